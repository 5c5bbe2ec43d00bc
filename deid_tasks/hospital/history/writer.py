"""Applies a history to the raw tables of a layout, and knows what they hold afterwards."""

import datetime
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice
from typing import Any, Protocol

import psycopg2
from psycopg2 import sql

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.core.span import Span
from deid_tasks.hospital.history.clarity import ClarityHistory
from deid_tasks.hospital.history.events import Event, HistoryDay
from deid_tasks.hospital.history.expected import ExpectedRecords, expect_notes, expect_patients
from deid_tasks.hospital.history.omop import OmopHistory
from deid_tasks.hospital.layouts import load
from deid_tasks.hospital.records import GoldNote, Hospital
from deid_tasks.hospital.render import GOLD

_BATCH_NOTES = 500
_LONGEST_SCHEMA = 54
"""Characters of a schema's name; with ``_expected`` it fits PostgreSQL's 63."""


class _RawTables(Protocol):
    def write(self, event: Event, at: datetime.datetime) -> None: ...


_LAYOUTS: dict[str, Callable[[Any], _RawTables]] = {"omop": OmopHistory, "clarity": ClarityHistory}


@dataclass(frozen=True, slots=True)
class PresentNote:
    """A note as the source holds it now."""

    note: GoldNote
    """With the patient id that the note has, and present text, spans and time; an empty text where it has none."""
    text: str | None = field(repr=False)
    """None where the source has no text."""
    patient_id: str | None
    """The surviving patient; None where the layout cannot say who it is, as OMOP before registration."""
    modified_at: datetime.datetime
    is_deleted: bool
    exclusions: tuple[str, ...]
    """The reasons in force, of the note and of its patient, each once."""


@dataclass(frozen=True, slots=True)
class PresentExclusion:
    """An exclusion of a patient or of one note, in force or ended."""

    patient_id: str | None
    """The surviving patient."""
    note_id: str | None
    reason: str
    valid_from: datetime.datetime
    valid_to: datetime.datetime | None


class HistoryWriter:
    """Applies events to one hospital's raw tables, and keeps what they should hold in ``<schema>_expected``.

    A second writer on the same schema goes on where the first ended. Times of events must not go back.
    """

    def __init__(self, connection: Any, schema: str, layout: str, hospital: Hospital) -> None:
        """Take a psycopg2 connection that nobody has a transaction open on.

        Raises:
            InputError: the layout is unknown, or the schema's name is too long.
        """
        if layout not in _LAYOUTS:
            raise InputError(f"layout {layout!r} is not one of {', '.join(_LAYOUTS)}")
        if len(schema) > _LONGEST_SCHEMA:
            raise InputError(f"schema {schema!r} is longer than {_LONGEST_SCHEMA} characters; choose a shorter name")
        self._connection, self._schema, self._layout, self._hospital = connection, schema, layout, hospital
        self._search_path = sql.SQL("SET LOCAL search_path TO {}, {}").format(
            sql.Identifier(schema), sql.Identifier(f"{schema}_expected")
        )

    def load(self, notes: Iterable[GoldNote]) -> int:
        """Write the hospital and its first notes in place of what was there; return the notes written.

        Raises:
            InputError: the schema's name is unsuitable, or a note names somebody the hospital lacks.
        """
        return load(self._connection, self._hospital, self._expected(notes), self._schema, self._layout)

    def _expected(self, notes: Iterable[GoldNote]) -> Iterator[GoldNote]:
        """Yield ``notes``, each once it is expected, in the transaction that loads them."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                sql.SQL("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}; SET LOCAL search_path TO {0}").format(
                    sql.Identifier(f"{self._schema}_expected")
                )
            )
            cursor.execute(files(__package__).joinpath("expected.sql").read_text(encoding="utf-8"))
            cursor.execute(self._search_path)
            expect_patients(cursor, (patient.patient_id for patient in self._hospital.patients))
            stream = iter(notes)
            while batch := list(islice(stream, _BATCH_NOTES)):
                expect_notes(cursor, batch)
                yield from batch

    def apply(self, day: HistoryDay) -> int:
        """Apply the events of ``day`` in one transaction; return how many changed the source.

        Raises:
            WarehouseError: a row was refused, or nothing was loaded; the day is then not applied at all.
        """
        return self._apply(day.timed())

    def apply_event(self, event: Event, at: datetime.datetime) -> bool:
        """Apply one event, written ``at``, in its own transaction; return whether it changed the source.

        An event that was applied with the same time, or that no longer fits (its note is deleted, its patient gone),
        changes nothing.

        Raises:
            WarehouseError: a row was refused, or nothing was loaded.
        """
        return bool(self._apply([(event, at)]))

    def _apply(self, timed: Iterable[tuple[Event, datetime.datetime]]) -> int:
        changed = 0
        try:
            with self._connection, self._connection.cursor() as cursor:
                cursor.execute(self._search_path)
                expected, raw = ExpectedRecords(cursor), _LAYOUTS[self._layout](cursor)
                for event, at in timed:
                    if expected.is_new(event, at) and expected.record(event, at):
                        raw.write(event, at)
                        changed += 1
        except psycopg2.Error as error:
            # The server's own text quotes the row.
            raise WarehouseError(
                f"schema {self._schema}: an event was refused (SQLSTATE {error.pgcode}); was the hospital loaded by "
                "HistoryWriter.load?"
            ) from None
        return changed

    def present_notes(self) -> Iterator[PresentNote]:
        """Yield every note that the source holds now, by id; read it to the end before the next event is applied.

        A deleted note is there, marked, in a layout that marks it, and not in one that removes its row.
        """
        is_omop = self._layout == "omop"
        with self._connection:
            with self._connection.cursor() as cursor:
                cursor.execute(self._search_path)
            with self._connection.cursor(name="present_notes") as cursor:
                cursor.execute(_PRESENT_NOTES, {"is_omop": is_omop})
                for row in cursor:
                    yield _present_note(row, is_omop=is_omop)

    def present_merges(self) -> dict[str, str]:
        """Return each former id and the patient who survives, chains followed."""
        return dict(self._rows("SELECT former_id, surviving_id FROM expected_survivor"))

    def present_patients(self) -> frozenset[str]:
        """Return the ids of the patients who are registered and are no former ids."""
        return frozenset(patient_id for (patient_id,) in self._rows(_PRESENT_PATIENTS))

    def present_exclusions(self) -> list[PresentExclusion]:
        """Return every exclusion; one of a note that a layout removed has gone with it."""
        return [PresentExclusion(*row) for row in self._rows(_PRESENT_EXCLUSIONS, is_omop=self._layout == "omop")]

    def _rows(self, question: str, **values: object) -> list[tuple[Any, ...]]:
        with self._connection, self._connection.cursor() as cursor:
            cursor.execute(self._search_path)
            cursor.execute(question, values)
            return list(cursor.fetchall())


_PRESENT_NOTES = """
WITH in_force AS (
    SELECT coalesce(s.surviving_id, x.patient_id) AS patient_id, x.note_id, x.reason
    FROM expected_exclusion AS x
    LEFT JOIN expected_survivor AS s ON x.patient_id = s.former_id
    WHERE x.valid_to IS NULL
)

SELECT
    n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.facility_id, n.skeleton, n.note_text, n.spans,
    n.modified_at, n.is_deleted,
    CASE WHEN p.is_registered OR NOT %(is_omop)s THEN coalesce(s.surviving_id, n.patient_id) END,
    ARRAY(
        SELECT DISTINCT f.reason
        FROM in_force AS f
        WHERE f.note_id = n.note_id OR f.patient_id = coalesce(s.surviving_id, n.patient_id)
        ORDER BY 1
    )
FROM expected_note AS n
INNER JOIN expected_patient AS p USING (patient_id)
LEFT JOIN expected_survivor AS s ON n.patient_id = s.former_id
WHERE NOT (n.is_deleted AND %(is_omop)s)
ORDER BY n.note_id
"""
_PRESENT_PATIENTS = """
SELECT patient_id
FROM expected_patient AS p
WHERE is_registered AND left_with IS NULL AND NOT EXISTS (SELECT 1 FROM expected_merge WHERE former_id = p.patient_id)
"""
_PRESENT_EXCLUSIONS = """
SELECT coalesce(s.surviving_id, x.patient_id), x.note_id, x.reason, x.valid_from, x.valid_to
FROM expected_exclusion AS x
LEFT JOIN expected_survivor AS s ON x.patient_id = s.former_id
WHERE
    x.patient_id IS NOT NULL OR NOT %(is_omop)s
    OR EXISTS (SELECT 1 FROM expected_note AS n WHERE n.note_id = x.note_id AND NOT n.is_deleted)
ORDER BY x.exclusion_id
"""


def _present_note(row: tuple[Any, ...], *, is_omop: bool) -> PresentNote:
    (note_id, raw_id, note_type, moment, author, facility, skeleton, stored, spans, modified_at, deleted) = row[:11]
    text = None if stored is None else bytes(stored).decode("utf-8", "surrogateescape")
    note = GoldNote(
        *(note_id, raw_id, note_type, moment, author, facility, skeleton, text or ""),
        spans=tuple(Span(start, end, Entity(entity), GOLD) for start, end, entity in json.loads(spans)),
    )
    # OMOP demands a text: a note without one has an empty one.
    return PresentNote(note, "" if is_omop and text is None else text, row[11], modified_at, deleted, tuple(row[12]))
