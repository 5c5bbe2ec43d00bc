"""How many notes of which group are drawn for people to annotate."""

from deid_tasks.evidence.sampling.allotment import Allotment, GroupSize, allot, weight_of
from deid_tasks.evidence.sampling.periods import period_names
from deid_tasks.evidence.sampling.version import SampleVersion

__all__ = ["Allotment", "GroupSize", "SampleVersion", "allot", "period_names", "weight_of"]
