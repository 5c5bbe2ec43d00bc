"""The versions of the tables that the engine writes: schemas ``<institution>_results`` and ``<institution>_gold``.

Each schema has a folder of Alembic revisions here and a table ``alembic_version``. A revision's SQL names no schema: it
runs with the schema as its search path. Revisions only go forward, keep every row, and are never changed once released.

To add a column to a table of ``_results``: add ``results/results_<number>_<what>.py`` with the ``alter table``, the
column to ``dbt/models/quality/sources_results.yml``, and the field to the writer in ``deid_tasks/platform/warehouse``.
``deid tables upgrade --institution NAME`` applies it; the DAG ``dictionaries__NAME`` does so before every dbt run.
"""
