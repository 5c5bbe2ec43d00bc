"""The steps of a scheduled run: what one task does, from warehouse to published table.

Each takes settings, secrets and plain values, and returns counts: whatever it returns may stand in Airflow's database.
"""

from deid_tasks.runs.dictionaries import compile_dictionaries, load_engine
from deid_tasks.runs.evaluation import evaluate
from deid_tasks.runs.notes import plan_shards, process_shard
from deid_tasks.runs.release import publish, reconcile

__all__ = ["compile_dictionaries", "evaluate", "load_engine", "plan_shards", "process_shard", "publish", "reconcile"]
