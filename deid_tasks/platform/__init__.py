"""What surrounds the engine at an institution: it reads the warehouse, runs one Airflow task each, publishes, and keeps originals.

``runs`` holds the tasks; ``warehouse``, ``publish``, ``vault`` and ``workspace`` are the places they read and write.
"""
