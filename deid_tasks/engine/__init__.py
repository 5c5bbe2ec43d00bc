"""The engine: finds the identifiers of notes and replaces them. It needs no Airflow, no database and no institution.

A note travels through ``text``, ``detect``, ``cascade``, ``merge``, ``recover``, ``obfuscate`` and ``audit``; ``pipeline`` calls them in this order.
``fingerprint`` names everything that decides what comes out.
"""
