"""The literature's tables beside ours, for holders of the data.

``figures.json`` holds the published figures with the numbers of their tables, ``layouts`` computes the same figures for
predicted spans, and ``tables`` puts the two side by side.
"""
