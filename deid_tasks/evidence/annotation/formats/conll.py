"""CoNLL columns: one token on each line with its label last, an empty line after each sentence, ``-DOCSTART-`` before
each document.
"""

from collections.abc import Iterator
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats.files import annotation_files, read_text
from deid_tasks.evidence.annotation.formats.marks import FileMark, spans_of
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, ReadNote, ReadOnlyFormat, note_or_error
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, SCHEMES, OwnLabels, from_bio
from deid_tasks.evidence.annotation.labels.bio import OUTSIDE

_SCHEMES = (SCHEMES["ours"], SCHEMES["conll-2003"], SCHEMES["i2b2-2014"])
_DOCUMENT = "-DOCSTART-"


class Conll(ReadOnlyFormat):
    """Columns with BIO, IOB1 or IOB2 labels.

    The format does not store the text. It is rebuilt with one space between tokens and one line for each sentence.
    """

    name = "conll"
    suffix = ".conll"

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield each document of a file, or of the files of a folder; a file without ``-DOCSTART-`` is one document."""
        for path in annotation_files(source, "") if source.is_dir() else [source]:
            document = _Document(path, labels)
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

    def __init__(self, path: Path, labels: OwnLabels) -> None:
        self._path, self._own_labels, self._number = path, labels, 0
        self._begin()

    def _begin(self) -> None:
        self._text = ""
        self._words: list[tuple[int, int]] = []
        self._labels: list[str] = []
        self._locations: dict[int, str] = {}
        self._marks: list[FileMark] = []
        self._error: InputError | None = None

    def add(self, columns: list[str], location: str) -> None:
        label = columns[-1] if len(columns) > 1 else ""
        prefix, _, name = label.partition("-")
        if label != OUTSIDE and (prefix not in {"B", "I"} or not name):
            reason = "its label is neither O, B-… nor I-…" if label else "has a token without a label"
            self._error = self._error or InputError(f"{location}: {reason}")
            label = OUTSIDE
        if self._text and not self._text.endswith("\n"):
            self._text += " "
        self._locations[len(self._text)] = location
        self._words.append((len(self._text), len(self._text) + len(columns[0])))
        self._labels.append(label)
        self._text += columns[0]

    def end_sentence(self) -> None:
        # A span never continues in the next sentence.
        for start, end, label in from_bio(self._words, self._labels):
            self._marks.append(FileMark(((start, end),), label, self._locations[start]))
        self._words, self._labels = [], []
        if self._text and not self._text.endswith("\n"):
            self._text += "\n"

    def finish(self) -> Iterator[ReadNote]:
        self.end_sentence()
        if self._text:
            self._number += 1
            yield note_or_error(self._note)
        self._begin()

    def _note(self) -> AnnotatedNote:
        if self._error is not None:
            raise self._error
        found = spans_of(self._marks, self._text, self._own_labels, *_SCHEMES, is_quoted=False)
        return AnnotatedNote(f"{self._path.stem}-{self._number}", self._text, found.spans, ignored=found.ignored)
