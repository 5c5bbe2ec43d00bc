"""The steps of a scheduled run: what one task does, from warehouse to published table.

Each takes settings, secrets and plain values, and returns counts: whatever it returns may stand in Airflow's database.
"""

from deid_tasks.platform.runs.adjudication import adjudicate, annotation_status, freeze
from deid_tasks.platform.runs.annotation import export_tasks, import_annotations
from deid_tasks.platform.runs.certificates import record_review, verify
from deid_tasks.platform.runs.dictionaries import compile_dictionaries, load_engine
from deid_tasks.platform.runs.evaluation import evaluate
from deid_tasks.platform.runs.harvesting import approve_harvest, approved_harvest, harvest
from deid_tasks.platform.runs.names import surrogate_keys
from deid_tasks.platform.runs.notes import plan_shards, process_shard
from deid_tasks.platform.runs.release import publish, reconcile
from deid_tasks.platform.runs.sampling import draw_samples
from deid_tasks.platform.runs.tables import publish_tables
from deid_tasks.platform.runs.vault import reidentify, rewrap_vault, store_vault

__all__ = [
    "adjudicate",
    "annotation_status",
    "approve_harvest",
    "approved_harvest",
    "compile_dictionaries",
    "draw_samples",
    "evaluate",
    "export_tasks",
    "freeze",
    "harvest",
    "import_annotations",
    "load_engine",
    "plan_shards",
    "process_shard",
    "publish",
    "publish_tables",
    "reconcile",
    "record_review",
    "reidentify",
    "rewrap_vault",
    "store_vault",
    "surrogate_keys",
    "verify",
]
