"""Votes, priorities and conflicts: the spans of all detectors become one list."""

from deid_tasks.engine.merge.agreement import count_agreed
from deid_tasks.engine.merge.merge import merge_spans

__all__ = ["count_agreed", "merge_spans"]
