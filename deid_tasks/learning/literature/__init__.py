"""Counts of words and phrases in the scientific literature. A word that is frequent there is language first and a name
second.
"""

from deid_tasks.learning.literature.phrases import PhraseCounter
from deid_tasks.learning.literature.sources import files_of, read_literature

__all__ = ["PhraseCounter", "files_of", "read_literature"]
