"""Sentences, tokens and offsets of a note."""

from deid_tasks.engine.text.document import Document
from deid_tasks.engine.text.sentences import split_sentences
from deid_tasks.engine.text.tokens import Token, tokenize

__all__ = ["Document", "Token", "split_sentences", "tokenize"]
