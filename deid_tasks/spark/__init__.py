"""The engine on Spark 4: notes of a DataFrame, and the shards of a run as tasks of one Spark application.

``frames`` de-identifies any DataFrame of notes. ``run_shards`` is the application that a run submits, and ``reports``
is what it hands back. ``requirements`` says what a machine lacks. Importing any of them needs neither pyspark nor Java.
"""
