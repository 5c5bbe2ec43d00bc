"""The only place that reads the EHR warehouse, or writes results back to it."""

from deid_tasks.platform.warehouse.connection import connect
from deid_tasks.platform.warehouse.notes import Shard, count_notes, read_shard
from deid_tasks.platform.warehouse.patients import read_patients

__all__ = ["Shard", "connect", "count_notes", "read_patients", "read_shard"]
