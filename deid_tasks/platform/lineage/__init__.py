"""Lineage of what steps read and write, as OpenLineage events.

Events leave the process where the environment names a consumer (``OPENLINEAGE_URL``, ``OPENLINEAGE__TRANSPORT__…`` or
``OPENLINEAGE_CONFIG``), as OpenLineage's client reads it. They hold names of tables and columns, counts, fingerprints
and certificates: never text, ids, dates of notes or the id of an Airflow run, which holds such a date.
"""

from deid_tasks.platform.lineage.datasets import (
    LineageDataset,
    dictionary_tables,
    lexicon_dataset,
    published_dataset,
    shards_dataset,
    warehouse_dataset,
)
from deid_tasks.platform.lineage.dbt_models import models_lineage
from deid_tasks.platform.lineage.recording import LineageRecord, is_configured, recorded_lineage

__all__ = [
    "LineageDataset",
    "LineageRecord",
    "dictionary_tables",
    "is_configured",
    "lexicon_dataset",
    "models_lineage",
    "published_dataset",
    "recorded_lineage",
    "shards_dataset",
    "warehouse_dataset",
]
