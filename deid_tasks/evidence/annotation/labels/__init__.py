"""Label schemes of other corpora, mapped to our entities.

``schemes`` holds one mapping for each corpus, in both directions; ``bio`` converts one label for each word to spans.
"""

from deid_tasks.evidence.annotation.labels.bio import from_bio
from deid_tasks.evidence.annotation.labels.schemes import SCHEMES, Scheme, entity_of, label_of

__all__ = ["SCHEMES", "Scheme", "entity_of", "from_bio", "label_of"]
