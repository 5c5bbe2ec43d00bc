"""PhysioNet's gold standard corpus of nursing notes: ``id.text``, with offsets in ``id.phrase`` or ``id.phi`` beside
it.

A record stands between ``START_OF_RECORD=patient||||note||||`` and ``||||END_OF_RECORD``. A line of ``.phrase`` is
``patient note start end type phrase``. In ``.phi``, the line ``Patient p Note n`` is followed by lines of ``start start
end``, without a type.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats.files import read_text
from deid_tasks.evidence.annotation.formats.marks import FileMark, spans_of
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, ReadNote, ReadOnlyFormat, note_or_error
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, SCHEMES, OwnLabels

_RECORD = re.compile(r"START_OF_RECORD=(\d+)\|\|\|\|(\d+)\|\|\|\|[ \t]*\r?\n?(.*?)\|\|\|\|END_OF_RECORD", re.DOTALL)
_HEADING = re.compile(r"Patient\s+(\d+)\s+Note\s+(\d+)", re.IGNORECASE)
_UNTYPED = "Other"

MarksByNote = dict[tuple[str, str], list[FileMark]]


class PhysioNet(ReadOnlyFormat):
    """The corpus as it is distributed, and the output of the ``deid`` software of PhysioNet."""

    name = "physionet"
    suffix = ".text"

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield each record of ``id.text``; ``source`` is that file or its folder."""
        path = source / "id.text" if source.is_dir() else source
        text = read_text(path)
        marks_by_note = _read_offsets(path)
        found = 0
        for patient, note, record in (match.groups() for match in _RECORD.finditer(text)):
            found += 1
            marks = marks_by_note.pop((patient, note), [])
            yield note_or_error(_note, patient, note, record, marks, labels)
        if not found:
            raise InputError(f"{path}: holds no START_OF_RECORD=patient||||note||||")
        if marks_by_note:
            patient, note = min(marks_by_note)
            raise InputError(f"{path}: patient {patient} note {note} has offsets but no record")


def _note(patient: str, note: str, text: str, marks: list[FileMark], labels: OwnLabels) -> AnnotatedNote:
    # A line without a type has a word of the text in its place.
    found = spans_of(marks, text, labels, SCHEMES["physionet"], is_quoted=False)
    return AnnotatedNote(f"{patient}-{note}", text, found.spans, patient_id=patient, ignored=found.ignored)


def _read_offsets(path: Path) -> MarksByNote:
    for suffix, reader in ((".phrase", _read_phrase_file), (".phi", _read_phi_file)):
        beside = path.with_suffix(suffix)
        if beside.exists():
            return reader(beside)
    raise InputError(f"{path}: has neither a .phrase nor a .phi file beside it")


def _read_phrase_file(path: Path) -> MarksByNote:
    marks_by_note: MarksByNote = defaultdict(list)
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        location = f"{path}:{number}"
        parts = line.split(maxsplit=5)
        try:
            patient, note, start, end, label = parts[0], parts[1], int(parts[2]), int(parts[3]), parts[4]
        except (IndexError, ValueError):
            raise InputError(f"{location}: is not a line of patient, note, start, end, type and phrase") from None
        marks_by_note[patient, note].append(FileMark(((start, end),), label, location))
    return dict(marks_by_note)


def _read_phi_file(path: Path) -> MarksByNote:
    marks_by_note: MarksByNote = defaultdict(list)
    key: tuple[str, str] | None = None
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if heading := _HEADING.search(line):
            key = heading[1], heading[2]
            continue
        if not line.strip():
            continue
        try:
            start, _, end = (int(part) for part in line.split())
        except ValueError:
            raise InputError(f"{path}:{number}: is not a line of start, start and end") from None
        if key is None:
            raise InputError(f"{path}:{number}: comes before the first 'Patient p Note n'")
        marks_by_note[key].append(FileMark(((start, end),), _UNTYPED, f"{path}:{number}"))
    return dict(marks_by_note)
