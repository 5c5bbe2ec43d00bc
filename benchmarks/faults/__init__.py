"""Faults and bad input: what the platform survives, with the seed of every try so that it can be repeated.

``fuzz`` feeds hostile notes to the engine and damaged files to every reader. ``python -m benchmarks.faults`` injects
faults into runs over real services and checks what was published afterwards.
"""
