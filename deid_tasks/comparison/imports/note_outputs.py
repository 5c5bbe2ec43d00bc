"""What other tools wrote about notes, one reader a format.

- ``mist``: the JSON of MITRE's MAT, which MIST writes: ``signal`` and annotation sets with offsets.
- ``brat``: standoff files, as NeuroNER writes them: ``T1<TAB>LABEL START END<TAB>text``.
- ``scrubber``: texts of the NLM Scrubber, in which ``[LABEL]`` stands for what was removed.
- ``physionet``: output of PhysioNet's deid: records in which ``[**…**]`` stands for what was removed (``.res``), or
  offsets beside the text (``.text`` with ``.phi``).

A redacted text is aligned with its original, and what is in the original alone was removed.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from deid_tasks.comparison.llm.quotes import disjoint
from deid_tasks.comparison.protocol import SystemSpan
from deid_tasks.comparison.redacted_text import align_redacted
from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats.files import annotation_files, read_text
from deid_tasks.evidence.annotation.formats.physionet import PhysioNet

REMOVED = "REMOVED"
"""The label of text that is gone without a tag."""
_MAT_STRUCTURE = frozenset({"zone", "lex", "SEGMENT", "VOTE"})
"""Annotation sets of MAT that mark its own structure."""
_SCRUBBER_TAG = re.compile(r"\[([A-Z][A-Z0-9]{2,30}\+?)\]")
_SCRUBBER_SUFFIXES = (".nphi.txt", ".txt")
_PHYSIONET_TAG = re.compile(r"\[\*\*(.*?)\*\*\]", re.DOTALL)
_PHYSIONET_RECORD = re.compile(
    r"START_OF_RECORD=(\d+)\|\|\|\|(\d+)\|\|\|\|[ \t]*\r?\n?(.*?)\|\|\|\|END_OF_RECORD", re.DOTALL
)
_PHYSIONET_LABELS = (
    (re.compile(r"^[\s\d/-]+$|date|month|year|day|holiday", re.IGNORECASE), "DATE"),
    (re.compile(r"telephone|fax|phone|pager|e-?mail|url|address \(", re.IGNORECASE), "CONTACT"),
    (re.compile(r"number|ssn|security|serial|identifier|clip|unit no|job", re.IGNORECASE), "ID"),
    (re.compile(r"hospital|ward|clinic", re.IGNORECASE), "HOSPITAL"),
    (
        re.compile(r"location|street|state|country|university|universities|po box|address|zip", re.IGNORECASE),
        "LOCATION",
    ),
    (re.compile(r"company", re.IGNORECASE), "ORGANIZATION"),
    (re.compile(r"\bage\b", re.IGNORECASE), "AGE"),
    (re.compile(r"name|initial|attending|doctor|dictator", re.IGNORECASE), "NAME"),
)
"""A coarse label for the words of a tag; the first that matches decides."""


@dataclass(frozen=True)
class NoteOutput:
    """What a tool wrote about one note: spans, or the text again with tags."""

    location: str
    """File and note, for messages."""
    spans: tuple[SystemSpan, ...] = ()
    text: str | None = field(default=None, repr=False)
    """The text that the spans belong to, if the tool wrote it."""
    redacted: str | None = field(default=None, repr=False)
    tag: re.Pattern[str] = _SCRUBBER_TAG

    def spans_in(self, original: str) -> tuple[SystemSpan, ...]:
        """Return the spans in the original text of the note, sorted and disjoint.

        Raises:
            InputError: The output belongs to another text.
        """
        if self.redacted is not None:
            return self._aligned(original, self.redacted)
        if self.text is not None and self.text != original:
            raise InputError(f"{self.location}: its text is not that of the note")
        if any(span.end > len(original) for span in self.spans):
            raise InputError(f"{self.location}: has a span outside the note's text")
        return disjoint(self.spans)

    def _aligned(self, original: str, redacted: str) -> tuple[SystemSpan, ...]:
        """Align; what looks like a tag and is in the original too is text."""
        label_of = _physionet_label if self.tag is _PHYSIONET_TAG else _inner_text
        written = [re.escape(match[0]) for match in self.tag.finditer(original)]
        tag = re.compile(f"(?!{'|'.join(written)})(?:{self.tag.pattern})", re.DOTALL) if written else self.tag
        removals = align_redacted(original, redacted, tag, label_of).removals
        return tuple(SystemSpan(one.start, one.end, one.label or REMOVED) for one in removals)


NoteOutputs = Mapping[str, NoteOutput]
"""Outputs by note id."""


def read_mist(source: Path) -> NoteOutputs:
    """Read a folder of MAT JSON files; a note's id is the name of its file without suffixes."""
    return {_note_id(path, (".txt.json", ".json")): _mat_output(path) for path in annotation_files(source, ".json")}


def read_standoff(source: Path) -> NoteOutputs:
    """Read a folder of brat files; each fragment of a discontinuous annotation is a span."""
    found = {}
    for path in annotation_files(source, ".ann"):
        spans: list[SystemSpan] = []
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if line.startswith("T"):
                spans += _standoff_spans(line, f"{path}:{number}")
        beside = path.with_suffix(".txt")
        text = read_text(beside) if beside.exists() else None
        found[_note_id(path, (".ann",))] = NoteOutput(str(path), _valid(spans, path), text)
    return found


def read_scrubber(source: Path) -> NoteOutputs:
    """Read a folder of texts of the NLM Scrubber, ``ID.nphi.txt`` or ``ID.txt``."""
    return {
        _note_id(path, _SCRUBBER_SUFFIXES): NoteOutput(str(path), redacted=read_text(path))
        for path in annotation_files(source, ".txt")
    }


def read_physionet(source: Path) -> NoteOutputs:
    """Read ``.res`` files, whose records give the ids ``PATIENT-NOTE``; else ``.text`` files with their offsets."""
    found: dict[str, NoteOutput] = {}
    results = annotation_files(source, ".res")
    for path in results:
        for patient, note, text in (match.groups() for match in _PHYSIONET_RECORD.finditer(read_text(path))):
            location = f"{path}: patient {patient} note {note}"
            found[f"{patient}-{note}"] = NoteOutput(location, redacted=text, tag=_PHYSIONET_TAG)
    for path in () if results else annotation_files(source, ".text"):
        for one in PhysioNet().read(path):
            spans = tuple(SystemSpan(span.start, span.end, "PHI") for span in one.spans)
            found[one.note_id] = NoteOutput(f"{path}: note {one.note_id}", spans, one.text)
    return found


OUTPUT_READERS: Mapping[str, Callable[[Path], NoteOutputs]] = MappingProxyType(
    {"mist": read_mist, "brat": read_standoff, "scrubber": read_scrubber, "physionet": read_physionet}
)


def _mat_output(path: Path) -> NoteOutput:
    try:
        document = json.loads(read_text(path))
        text, spans = str(document["signal"]), _mat_spans(document["asets"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        pass
    else:
        return NoteOutput(str(path), _valid(spans, path), text)
    # Outside the handler: a parser's error holds the whole text.
    raise InputError(f"{path}: is not MAT JSON with a signal and annotation sets")


def _mat_spans(sets: Sequence[Mapping[str, Any]]) -> list[SystemSpan]:
    return [
        SystemSpan(int(annotation[0]), int(annotation[1]), str(one["type"]))
        for one in sets
        if one["type"] not in _MAT_STRUCTURE and one.get("hasSpan", True)
        for annotation in one["annots"]
    ]


def _standoff_spans(line: str, location: str) -> list[SystemSpan]:
    try:
        label, offsets = line.split("\t")[1].split(" ", 1)
        bounds = [tuple(map(int, pair.split())) for pair in offsets.split(";")]
        return [SystemSpan(start, end, label) for start, end in bounds]
    except (IndexError, ValueError):
        pass
    raise InputError(f"{location}: is not a text-bound annotation (T…, label, start, end)")


def _valid(spans: Sequence[SystemSpan], path: Path) -> tuple[SystemSpan, ...]:
    if any(not 0 <= span.start < span.end for span in spans):
        raise InputError(f"{path}: has an empty span, or one before its text")
    return tuple(spans)


def _note_id(path: Path, suffixes: Sequence[str]) -> str:
    name = path.name
    for suffix in suffixes:
        if name.endswith(suffix):
            return unquote(name.removesuffix(suffix))
    return unquote(path.stem)


def _inner_text(match: re.Match[str]) -> str:
    return match[1]


def _physionet_label(match: re.Match[str]) -> str:
    words = match[1].strip()
    return next((label for pattern, label in _PHYSIONET_LABELS if pattern.search(words)), "PHI")
