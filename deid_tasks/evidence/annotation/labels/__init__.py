"""Label schemes of other corpora, mapped to our entities.

``schemes`` holds one mapping for each corpus, in both directions; ``bio`` joins one label for each word.
"""

from deid_tasks.evidence.annotation.labels.bio import from_bio
from deid_tasks.evidence.annotation.labels.schemes import (
    NO_OWN_LABELS,
    SCHEMES,
    OwnLabels,
    Scheme,
    UnknownLabelError,
    entity_of,
    label_of,
)

__all__ = [
    "NO_OWN_LABELS",
    "SCHEMES",
    "OwnLabels",
    "Scheme",
    "UnknownLabelError",
    "entity_of",
    "from_bio",
    "label_of",
]
