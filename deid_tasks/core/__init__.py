"""The words that every other package uses: entities, spans, notes, patients, errors, and the public reference lists.

It imports nothing else of this project and needs nothing but PyArrow.
"""
