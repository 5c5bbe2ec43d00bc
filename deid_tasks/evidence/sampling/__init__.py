"""Design of the samples that people annotate: how many notes of which group are drawn, and under which version.

``allocation`` divides a sample over note types and periods, ``periods`` names the periods, and ``version`` hashes how a
sample was drawn and what it holds. ``deid_tasks.platform`` draws the notes from the warehouse.
"""

from deid_tasks.evidence.sampling.allocation import GroupAllocation, GroupSize, allocate_sample, group_weight
from deid_tasks.evidence.sampling.periods import UNDATED, period_names
from deid_tasks.evidence.sampling.version import SampleVersion, hashed_name

__all__ = [
    "UNDATED",
    "GroupAllocation",
    "GroupSize",
    "SampleVersion",
    "allocate_sample",
    "group_weight",
    "hashed_name",
    "period_names",
]
