"""Votes, priorities and conflicts: the spans of all detectors become one list."""

from deid_tasks.merge.merge import merge_spans

__all__ = ["merge_spans"]
