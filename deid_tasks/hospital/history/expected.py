"""What the warehouse is expected to hold after each event, kept in tables beside it."""

import datetime
import json
from collections.abc import Iterable
from functools import singledispatchmethod
from typing import Any

from deid_tasks.hospital.history import events as happened
from deid_tasks.hospital.layouts.copy import Table, copy_rows
from deid_tasks.hospital.records import GoldNote
from deid_tasks.hospital.worlds import stable

_NOTE_COLUMNS = (
    *("note_id", "patient_id", "note_type", "note_datetime", "author_id", "facility_id", "skeleton", "note_text"),
    *("spans", "modified_at"),
)
_IS_PRESENT = "EXISTS (SELECT 1 FROM expected_patient WHERE patient_id = %s AND is_registered AND left_with IS NULL)"


def expect_patients(cursor: Any, patient_ids: Iterable[str]) -> None:
    """Expect the patients of the first day."""
    rows = ((patient_id, True) for patient_id in patient_ids)
    copy_rows(cursor, Table("expected_patient", ("patient_id", "is_registered"), rows))


def expect_notes(cursor: Any, notes: Iterable[GoldNote]) -> None:
    """Expect the notes of the first day, each written at its own time."""
    rows = (_row(note, note.text, note.note_datetime) for note in notes)
    copy_rows(cursor, Table("expected_note", _NOTE_COLUMNS, rows, frozenset(_NOTE_COLUMNS)))


def _row(note: GoldNote, text: str | None, at: datetime.datetime) -> tuple[object, ...]:
    return (
        *(note.note_id, note.patient_id, note.note_type, note.note_datetime, note.author_id, note.facility_id),
        *(note.skeleton, _stored(text), _spans(note), at),
    )


def _stored(text: str | None) -> str | None:
    """Return the text as PostgreSQL writes bytes; they may be no UTF-8."""
    return None if text is None else "\\x" + text.encode("utf-8", "surrogateescape").hex()


def _spans(note: GoldNote) -> str:
    return json.dumps([(span.start, span.end, span.entity) for span in note.spans])


class ExpectedRecords:
    """Records events in the tables of ``expected.sql``, which must be in the search path.

    Raises ``TypeError`` where something is no event.
    """

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        cursor.execute("SHOW server_encoding")
        self._is_text_checked = cursor.fetchone()[0] != "SQL_ASCII"

    def _changes(self, statement: str, *values: object) -> bool:
        self._cursor.execute(statement, values)
        return bool(self._cursor.rowcount)

    def is_new(self, event: happened.Event, at: datetime.datetime) -> bool:
        """Whether ``event`` of ``at`` comes for the first time; from now on it does not."""
        # A note's text is left out of its repr.
        text = event.note.text if isinstance(event, happened.NoteWritten | happened.NoteAmended) else ""
        digest = f"{stable(at, repr(event), text.encode('utf-8', 'surrogateescape').hex()):016x}"
        return self._changes("INSERT INTO expected_event VALUES (%s) ON CONFLICT DO NOTHING", digest)

    @singledispatchmethod
    def record(self, event: happened.Event, _: datetime.datetime) -> bool:
        """Record what ``event`` changes; return False where it changes nothing, as when its note is deleted."""
        raise TypeError(f"{type(event).__name__} is no event of a history")

    @record.register
    def _(self, event: happened.PatientRegistered, _: datetime.datetime) -> bool:
        return self._changes(
            "INSERT INTO expected_patient AS p (patient_id, is_registered) VALUES (%s, true) "
            "ON CONFLICT (patient_id) DO UPDATE SET is_registered = true WHERE NOT p.is_registered "
            "AND p.left_with IS NULL",
            event.patient.patient_id,
        )

    @record.register(happened.PatientRenamed)
    @record.register(happened.PatientMoved)
    def _(self, event: happened.PatientRenamed | happened.PatientMoved, _: datetime.datetime) -> bool:
        return self._is_present(event.patient_id)

    def _is_present(self, patient_id: str) -> bool:
        self._cursor.execute(f"SELECT {_IS_PRESENT}", (patient_id,))
        return bool(self._cursor.fetchone()[0])

    @record.register
    def _(self, event: happened.PatientsMerged, at: datetime.datetime) -> bool:
        if self._survivor(event.surviving_id) == event.former_id:
            return False
        return self._changes(
            f"INSERT INTO expected_merge SELECT %s, %s, %s WHERE {_IS_PRESENT} AND {_IS_PRESENT} "
            "ON CONFLICT DO NOTHING",
            *(event.former_id, event.surviving_id, at, event.former_id, event.surviving_id),
        )

    @record.register
    def _(self, event: happened.MergeUndone, _: datetime.datetime) -> bool:
        return self._changes("DELETE FROM expected_merge WHERE former_id = %s", event.former_id)

    def _survivor(self, patient_id: str) -> str:
        self._cursor.execute("SELECT surviving_id FROM expected_survivor WHERE former_id = %s", (patient_id,))
        found = self._cursor.fetchone()
        return str(found[0]) if found else patient_id

    @record.register
    def _(self, event: happened.PatientLeft, _: datetime.datetime) -> bool:
        if not self._is_present(event.patient_id):
            return False
        survivor = self._survivor(event.patient_id)
        of_person = "SELECT former_id FROM expected_survivor WHERE surviving_id = %s UNION SELECT %s"
        self._cursor.execute(of_person, (survivor, survivor))
        ids = [patient_id for (patient_id,) in self._cursor.fetchall()]
        for statement in (
            "DELETE FROM expected_exclusion AS x USING expected_note AS n "
            "WHERE x.note_id = n.note_id AND n.patient_id = ANY(%s)",
            "DELETE FROM expected_exclusion WHERE patient_id = ANY(%s)",
            "DELETE FROM expected_note WHERE patient_id = ANY(%s)",
            "DELETE FROM expected_merge WHERE former_id = ANY(%s)",
        ):
            self._cursor.execute(statement, (ids,))
        return self._changes(
            "UPDATE expected_patient SET left_with = %s WHERE patient_id = ANY(%s)", event.patient_id, ids
        )

    @record.register
    def _(self, event: happened.ProviderHired, _: datetime.datetime) -> bool:
        return self._arrives("provider", event.provider.provider_id)

    @record.register
    def _(self, event: happened.FacilityOpened, _: datetime.datetime) -> bool:
        return self._arrives("facility", event.facility.facility_id)

    def _arrives(self, kind: str, one: str) -> bool:
        return self._changes("INSERT INTO expected_newcomer VALUES (%s, %s) ON CONFLICT DO NOTHING", kind, one)

    @record.register
    def _(self, event: happened.NoteWritten, at: datetime.datetime) -> bool:
        if self._is_text_checked and isinstance(event, happened.NoteDamaged):
            return False
        note = event.note
        self._cursor.execute(
            "INSERT INTO expected_patient (patient_id, is_registered) VALUES (%s, false) ON CONFLICT DO NOTHING",
            (note.patient_id,),
        )
        text = None if isinstance(event, happened.NoteWithoutText) else note.text
        return self._changes(
            f"INSERT INTO expected_note ({', '.join(_NOTE_COLUMNS)}) "  # noqa: S608 - names of this module
            f"SELECT {', '.join(['%s'] * len(_NOTE_COLUMNS))} FROM expected_patient "
            "WHERE patient_id = %s AND left_with IS NULL ON CONFLICT DO NOTHING",
            *(*_row(note, text, at), note.patient_id),
        )

    @record.register
    def _(self, event: happened.NoteAmended, at: datetime.datetime) -> bool:
        note = event.note
        return self._changes(
            "UPDATE expected_note SET note_text = %s, spans = %s, skeleton = %s, modified_at = %s "
            "WHERE note_id = %s AND NOT is_deleted AND note_text IS DISTINCT FROM %s::bytea",
            *(_stored(note.text), _spans(note), note.skeleton, at, note.note_id, _stored(note.text)),
        )

    @record.register
    def _(self, event: happened.NoteResaved, at: datetime.datetime) -> bool:
        return self._changes(
            "UPDATE expected_note SET modified_at = %s WHERE note_id = %s AND NOT is_deleted", at, event.note_id
        )

    @record.register
    def _(self, event: happened.NoteRedated, at: datetime.datetime) -> bool:
        return self._changes(
            "UPDATE expected_note SET note_datetime = %s, modified_at = %s "
            "WHERE note_id = %s AND NOT is_deleted AND note_datetime <> %s",
            *(event.note_datetime, at, event.note_id, event.note_datetime),
        )

    @record.register
    def _(self, event: happened.NoteDeleted, at: datetime.datetime) -> bool:
        return self._changes(
            "UPDATE expected_note SET is_deleted = true, modified_at = %s WHERE note_id = %s AND NOT is_deleted",
            *(at, event.note_id),
        )

    @record.register
    def _(self, event: happened.PatientExcluded, at: datetime.datetime) -> bool:
        return self._changes(
            f"INSERT INTO expected_exclusion SELECT %s, %s, NULL, %s, %s WHERE {_IS_PRESENT} ON CONFLICT DO NOTHING",
            *(event.exclusion_id, event.patient_id, event.reason, at, event.patient_id),
        )

    @record.register
    def _(self, event: happened.NoteExcluded, at: datetime.datetime) -> bool:
        return self._changes(
            "INSERT INTO expected_exclusion SELECT %s, NULL, note_id, %s, %s FROM expected_note "
            "WHERE note_id = %s AND NOT is_deleted ON CONFLICT DO NOTHING",
            *(event.exclusion_id, event.reason, at, event.note_id),
        )

    @record.register
    def _(self, event: happened.ExclusionEnded, at: datetime.datetime) -> bool:
        return self._changes(
            "UPDATE expected_exclusion SET valid_to = %s WHERE exclusion_id = %s AND valid_to IS NULL",
            *(at, event.exclusion_id),
        )
