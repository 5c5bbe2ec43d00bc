"""Text of notes: offsets, tokens, sentences, words and word pieces.

Everything here depends on the text alone. Detectors read a note as a ``Document``; neural models read the words of
``shapes``, their ``word_pieces`` and ``word_groups``; evaluation counts the words of ``word_labels``.
"""

from deid_tasks.engine.text.ascii import fold_to_ascii
from deid_tasks.engine.text.document import Document
from deid_tasks.engine.text.sentences import split_sentences
from deid_tasks.engine.text.tokens import Token, tokenize
from deid_tasks.engine.text.word_labels import label_words, mark_words, split_words

__all__ = [
    "Document",
    "Token",
    "fold_to_ascii",
    "label_words",
    "mark_words",
    "split_sentences",
    "split_words",
    "tokenize",
]
