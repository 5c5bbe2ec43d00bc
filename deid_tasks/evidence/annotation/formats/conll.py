"""CoNLL columns: one token on each line with its label last, an empty line after each sentence, ``-DOCSTART-`` before
each document.
"""

from collections.abc import Iterator
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.files import annotation_files, read_text
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, ReadOnlyFormat
from deid_tasks.evidence.annotation.labels import SCHEMES, entity_of, from_bio
from deid_tasks.evidence.annotation.labels.bio import OUTSIDE

_SCHEMES = (SCHEMES["ours"], SCHEMES["conll-2003"], SCHEMES["i2b2-2014"])
_DOCUMENT = "-DOCSTART-"


class Conll(ReadOnlyFormat):
    """Columns with BIO, IOB1 or IOB2 labels.

    The format does not store the text. It is rebuilt with one space between tokens and one line for each sentence.
    """

    name = "conll"
    suffix = ".conll"

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield each document of a file, or of the files of a folder; a file without ``-DOCSTART-`` is one document."""
        for path in annotation_files(source, "") if source.is_dir() else [source]:
            document = _Document(path)
            for number, line in enumerate(read_text(path).split("\n"), start=1):
                columns = line.split()
                if columns and columns[0] == _DOCUMENT:
                    yield from document.finish()
                elif columns:
                    document.add(columns, f"{path}:{number}")
                else:
                    document.end_sentence()
            yield from document.finish()


class _Document:
    """Rebuilds one document token by token."""

    def __init__(self, path: Path) -> None:
        self._path, self._number = path, 0
        self._text = ""
        self._words: list[tuple[int, int]] = []
        self._labels: list[str] = []
        self._spans: list[Span] = []

    def add(self, columns: list[str], location: str) -> None:
        if len(columns) < 2:
            raise InputError(f"{location}: has a token without a label")
        label = columns[-1]
        if label != OUTSIDE:
            prefix, _, name = label.partition("-")
            if prefix not in {"B", "I"} or not name:
                raise InputError(f"{location}: its label is neither O, B-… nor I-…")
            entity = entity_of(name, location, *_SCHEMES, is_quoted=False)
            label = f"{prefix}-{entity}" if entity else OUTSIDE
        if self._text and not self._text.endswith("\n"):
            self._text += " "
        self._words.append((len(self._text), len(self._text) + len(columns[0])))
        self._labels.append(label)
        self._text += columns[0]

    def end_sentence(self) -> None:
        # A span never continues in the next sentence.
        self._spans += from_bio(self._words, self._labels)
        self._words, self._labels = [], []
        if self._text and not self._text.endswith("\n"):
            self._text += "\n"

    def finish(self) -> Iterator[AnnotatedNote]:
        self.end_sentence()
        if self._text:
            self._number += 1
            yield AnnotatedNote(f"{self._path.stem}-{self._number}", self._text, tuple(self._spans))
        self._text, self._spans = "", []
