"""What every other package uses: entities, detectors, spans, notes, patients, errors and reference lists.

It imports nothing else of this project and needs nothing but PyArrow.
"""
