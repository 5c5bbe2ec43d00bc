"""Merging: the spans of all detectors become one sorted, disjoint list.

Models vote, detectors rank by priority, boundaries are repaired, and names found once are found again in the same note.
"""

from deid_tasks.engine.merge.agreement import count_agreed
from deid_tasks.engine.merge.merge import merge_spans

__all__ = ["count_agreed", "merge_spans"]
