"""Sentences, tokens and offsets of a note."""

from deid_tasks.text.document import Document
from deid_tasks.text.sentences import split_sentences
from deid_tasks.text.tokens import Token, tokenize

__all__ = ["Document", "Token", "split_sentences", "tokenize"]
