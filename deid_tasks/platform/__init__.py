"""The platform around the engine at an institution.

``runs`` holds the steps, one for each Airflow task; ``warehouse`` reads and writes PostgreSQL, ``publish`` writes the
published table, ``vault`` seals originals for re-identification, ``layouts`` finds the SQL that adapts a warehouse, and
``workspace`` holds the files that tasks pass to each other.
"""
