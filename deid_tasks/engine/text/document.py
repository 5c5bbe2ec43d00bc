"""A note as detectors read it: its text, its tokens and its sentences, each computed once."""

from dataclasses import dataclass, field
from functools import cached_property

from deid_tasks.engine.text.ascii import fold_to_ascii
from deid_tasks.engine.text.sentences import split_sentences
from deid_tasks.engine.text.tokens import Token, tokenize


@dataclass(frozen=True)
class Document:
    """One note. All offsets are code points of ``text``; the ``repr`` shows no text."""

    note_id: str
    text: str = field(repr=False)
    patient_id: str | None = field(default=None, repr=False)
    note_type: str | None = None

    @cached_property
    def plain(self) -> str:
        """The text in ASCII, one character for each code point."""
        return fold_to_ascii(self.text)

    @cached_property
    def plain_bytes(self) -> bytes:
        """``plain`` encoded, as RE2 reads it."""
        return self.plain.encode("ascii")

    @cached_property
    def tokens(self) -> list[Token]:
        """Words and single punctuation marks, in order."""
        return tokenize(self.text)

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """``(start, end)`` of each sentence without surrounding white space, sorted and disjoint."""
        return split_sentences(self.text)
