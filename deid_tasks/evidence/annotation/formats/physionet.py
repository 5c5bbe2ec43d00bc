"""PhysioNet's gold standard corpus of nursing notes: ``id.text``, and offsets in ``id.phrase`` or ``id.phi`` beside it.

The text holds a record after each ``START_OF_RECORD=patient||||note||||`` and before ``||||END_OF_RECORD``. A line of ``.phrase`` is
``patient note start end type phrase``; ``.phi`` has ``Patient p Note n`` and below it lines of ``start start end``, with no type.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.document import AnnotatedNote, ReadOnly, checked_span, read_text
from deid_tasks.evidence.annotation.labels import SCHEMES, entity_of

_RECORD = re.compile(r"START_OF_RECORD=(\d+)\|\|\|\|(\d+)\|\|\|\|[ \t]*\r?\n?(.*?)\|\|\|\|END_OF_RECORD", re.DOTALL)
_HEADING = re.compile(r"Patient\s+(\d+)\s+Note\s+(\d+)", re.IGNORECASE)
_UNTYPED = Entity.OTHER_ID

Marks = dict[tuple[str, str], list[Span]]


class PhysioNet(ReadOnly):
    """The corpus as it is distributed, and as the ``deid`` software writes its findings."""

    name = "physionet"
    suffix = ".text"

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """Every record of ``id.text``, given as that file or the folder it lies in."""
        path = source / "id.text" if source.is_dir() else source
        text = read_text(path)
        marks = _marks(path)
        found = 0
        for patient, note, record in (match.groups() for match in _RECORD.finditer(text)):
            found += 1
            place = f"{path}: patient {patient} note {note}"
            spans = sorted({checked_span(span, record, place) for span in marks.pop((patient, note), ())})
            yield AnnotatedNote(f"{patient}-{note}", record, tuple(spans), patient_id=patient)
        if not found:
            raise InputError(f"{path}: holds no START_OF_RECORD=patient||||note||||")
        if marks:
            patient, note = min(marks)
            raise InputError(f"{path}: patient {patient} note {note} has offsets and no record")


def _marks(path: Path) -> Marks:
    for suffix, reader in ((".phrase", _phrases), (".phi", _offsets)):
        beside = path.with_suffix(suffix)
        if beside.exists():
            return reader(beside)
    raise InputError(f"{path}: there is no .phrase and no .phi beside it")


def _phrases(path: Path) -> Marks:
    marks: Marks = defaultdict(list)
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        parts = line.split(maxsplit=5)
        try:
            patient, note, start, end, label = parts[0], parts[1], int(parts[2]), int(parts[3]), parts[4]
        except (IndexError, ValueError):
            raise InputError(f"{place}: is no line of patient, note, start, end, type and phrase") from None
        if entity := entity_of(label, place, SCHEMES["physionet"]):
            marks[patient, note].append(Span(start, end, entity))
    return dict(marks)


def _offsets(path: Path) -> Marks:
    marks: Marks = defaultdict(list)
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
            raise InputError(f"{path}:{number}: is no line of start, start and end") from None
        if key is None:
            raise InputError(f"{path}:{number}: stands before the first 'Patient p Note n'")
        marks[key].append(Span(start, end, _UNTYPED))
    return dict(marks)
