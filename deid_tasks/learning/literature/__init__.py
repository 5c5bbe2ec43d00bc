"""The scientific literature, counted: what is said there is language, and not somebody's name."""

from deid_tasks.learning.literature.phrases import PhraseCounter
from deid_tasks.learning.literature.sources import files_of, read_literature

__all__ = ["PhraseCounter", "files_of", "read_literature"]
