"""How well the engine works, and the proof of it.

``sampling`` chooses notes, ``annotation`` turns two people's labels into a gold set, ``evaluate`` scores, ``report`` prints, ``gate`` certifies.
"""
