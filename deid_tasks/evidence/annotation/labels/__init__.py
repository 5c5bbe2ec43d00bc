"""The label schemes of other corpora, what each label is here, and labels on words."""

from deid_tasks.evidence.annotation.labels.bio import from_bio, split_words, to_bio
from deid_tasks.evidence.annotation.labels.schemes import SCHEMES, Scheme, entity_of, label_of

__all__ = ["SCHEMES", "Scheme", "entity_of", "from_bio", "label_of", "split_words", "to_bio"]
