"""Label schemes of other corpora, mapped to our entities, and spans as labels of words.

``schemes`` holds one mapping for each corpus in both directions; ``bio`` converts spans to one label for each word and
back.
"""

from deid_tasks.evidence.annotation.labels.bio import from_bio, split_words, to_bio
from deid_tasks.evidence.annotation.labels.schemes import SCHEMES, Scheme, entity_of, label_of

__all__ = ["SCHEMES", "Scheme", "entity_of", "from_bio", "label_of", "split_words", "to_bio"]
