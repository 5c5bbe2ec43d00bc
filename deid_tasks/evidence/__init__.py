"""How well the engine finds identifiers, and the proof of it.

The packages follow the work on a gold set: ``sampling`` says how many notes of which group are drawn, ``annotation``
turns the labels of two people into gold notes, ``evaluate`` scores an engine on them, ``report`` prints the scores as a
page, and ``gate`` decides whether a run may be published. Nothing here imports Airflow or reads the warehouse;
``deid_tasks.platform`` connects these parts to both.
"""
