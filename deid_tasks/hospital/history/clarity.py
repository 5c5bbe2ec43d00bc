"""Writes events into the tables of the Clarity-like layout, as its EHR does."""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import singledispatchmethod
from typing import Any

from psycopg2 import sql

from deid_tasks.hospital.history import events as happened
from deid_tasks.hospital.history.keys import next_key, split_damaged
from deid_tasks.hospital.layouts import clarity
from deid_tasks.hospital.layouts.copy import Table, copy_rows
from deid_tasks.hospital.records import GoldNote

_OF_PATIENT = (
    *("patient", "patient_alias", "patient_race", "pat_address", "identity_id", "hsp_account", "other_communctn"),
    *("pat_relationships", "pat_enc", "pat_merge_history", "research_exclusion"),
)
_NOTES_OF_PATIENT = "SELECT h.note_id FROM hno_info AS h INNER JOIN pat_enc AS e USING (pat_enc_csn_id)"


class ClarityHistory:
    """Writes each event that ``ExpectedRecords`` found to change something; the tables are in the search path."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def _copy(self, tables: Iterable[Table]) -> None:
        for table in tables:
            copy_rows(self._cursor, table)

    def _do(self, statement: str, *values: object) -> None:
        self._cursor.execute(statement, values)

    def _numbers(self, table: str, number: str, name: str, names: Iterable[str]) -> Mapping[str, int]:
        """Return the number of each of ``names`` in a category table, where new ones are added."""
        wanted = sorted({one for one in names if one})
        where = {"table": sql.Identifier(table), "number": sql.Identifier(number), "name": sql.Identifier(name)}
        self._cursor.execute(
            sql.SQL(
                "INSERT INTO {table} ({number}, {name}) "
                "SELECT (SELECT coalesce(max({number}), 0) FROM {table}) + row_number() OVER (ORDER BY w), w "
                "FROM unnest(%s::text[]) AS w WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {name} = w)"
            ).format(**where),
            (wanted,),
        )
        self._cursor.execute(
            sql.SQL("SELECT {name}, {number} FROM {table} WHERE {name} = ANY(%s)").format(**where), (wanted,)
        )
        return dict(self._cursor.fetchall())

    def _states(self, *states: str) -> Mapping[str, int]:
        return self._numbers("zc_state", "state_c", "abbr", states)

    @singledispatchmethod
    def write(self, event: happened.Event, _: datetime.datetime) -> None:
        """Write ``event``; the second argument is when the EHR writes its rows."""
        raise TypeError(f"{type(event).__name__} is no event of a history")

    @write.register
    def _(self, event: happened.PatientRegistered, _: datetime.datetime) -> None:
        patient = event.patient
        relations = self._numbers(
            "zc_pat_relation", "pat_relation_c", "name", (relative.relation for relative in patient.relatives)
        )
        self._copy(clarity.patient_tables([patient], self._states(patient.address.state), relations))

    @write.register
    def _(self, event: happened.PatientRenamed, _: datetime.datetime) -> None:
        former = clarity.name_field(event.former)
        self._do(
            "UPDATE patient SET pat_name = %s, pat_middle_name = nullif(%s, ''), preferred_name = nullif(%s, '') "
            "WHERE pat_id = %s",
            *(clarity.name_field(event.person), event.person.middle, event.person.nickname, event.patient_id),
        )
        self._do(
            "INSERT INTO patient_alias SELECT %s, coalesce(max(line), 0) + 1, %s FROM patient_alias WHERE pat_id = %s "
            "HAVING count(*) FILTER (WHERE alias = %s) = 0",
            *(event.patient_id, former, event.patient_id, former),
        )

    @write.register
    def _(self, event: happened.PatientMoved, _: datetime.datetime) -> None:
        address = event.address
        self._do(
            "UPDATE patient SET city = nullif(%s, ''), state_c = %s, zip = nullif(%s, ''), home_phone = nullif(%s, '') "
            "WHERE pat_id = %s",
            *(address.city, self._states(address.state).get(address.state), address.zip, event.phone),
            event.patient_id,
        )
        self._do("DELETE FROM pat_address WHERE pat_id = %s", event.patient_id)
        self._do("INSERT INTO pat_address VALUES (%s, 1, %s)", event.patient_id, address.street)

    @write.register
    def _(self, event: happened.PatientsMerged, at: datetime.datetime) -> None:
        self._merge(event.former_id, event.surviving_id, at)

    @write.register
    def _(self, event: happened.MergeUndone, at: datetime.datetime) -> None:
        self._merge(event.former_id, None, at)

    def _merge(self, former: str, survivor: str | None, at: datetime.datetime) -> None:
        self._do(
            "INSERT INTO pat_merge_history VALUES (%s, %s, %s) "
            "ON CONFLICT (pat_id, merge_dttm) DO UPDATE SET surviving_pat_id = excluded.surviving_pat_id",
            *(former, survivor, at),
        )

    @write.register
    def _(self, event: happened.PatientLeft, _: datetime.datetime) -> None:
        self._do("SELECT patient_id FROM expected_patient WHERE left_with = %s", event.patient_id)
        ids = [patient_id for (patient_id,) in self._cursor.fetchall()]
        self._do(f"{_NOTES_OF_PATIENT} WHERE e.pat_id = ANY(%s)", ids)
        notes = [note_id for (note_id,) in self._cursor.fetchall()]
        for table in ("research_exclusion", "hno_note_text", "note_enc_info", "hno_info"):
            self._delete(table, "note_id", notes)
        for table in _OF_PATIENT:
            self._delete(table, "pat_id", ids)
        self._delete("pat_merge_history", "surviving_pat_id", ids)

    def _delete(self, table: str, column: str, values: list[str]) -> None:
        statement = sql.SQL("DELETE FROM {} WHERE {} = ANY(%s)")
        self._cursor.execute(statement.format(sql.Identifier(table), sql.Identifier(column)), (values,))

    @write.register
    def _(self, event: happened.ProviderHired, _: datetime.datetime) -> None:
        self._copy(clarity.staff_tables([event.provider]))

    @write.register
    def _(self, event: happened.FacilityOpened, _: datetime.datetime) -> None:
        self._copy(clarity.facility_tables([event.facility], self._states(event.facility.address.state)))

    @write.register
    def _(self, event: happened.NoteWritten, at: datetime.datetime) -> None:
        text, damage = split_damaged(event.note.text)
        note = replace(event.note, text=text)
        number = self._next_serial()
        types = self._numbers("zc_note_type_ip", "type_ip_c", "name", [note.note_type])
        self._copy(clarity.encounter_tables([(number, note)], types))
        self._copy(clarity.version_tables([(number, note)], 1))
        if isinstance(event, happened.NoteWithoutText):
            self._do("DELETE FROM hno_note_text WHERE note_csn_id = %s", number)
        if damage:
            self._do(
                "UPDATE hno_note_text SET note_text = note_text || convert_from(%s::bytea, 'SQL_ASCII') "
                "WHERE note_csn_id = %s AND line = (SELECT max(line) FROM hno_note_text WHERE note_csn_id = %s)",
                *(damage, number, number),
            )
        self._touch(note.note_id, at)
        self._do("UPDATE note_enc_info SET upd_dttm = %s WHERE contact_serial_num = %s", at, number)

    def _next_serial(self) -> int:
        return max(
            next_key(self._cursor, "pat_enc", "pat_enc_csn_id"),
            next_key(self._cursor, "note_enc_info", "contact_serial_num"),
        )

    def _touch(self, note_id: str, at: datetime.datetime) -> None:
        self._do("UPDATE hno_info SET update_date = %s WHERE note_id = %s", at, note_id)

    @write.register
    def _(self, event: happened.NoteAmended, at: datetime.datetime) -> None:
        self._do(
            "SELECT h.create_instant_dttm, max(v.contact_num) FROM hno_info AS h "
            "INNER JOIN note_enc_info AS v USING (note_id) WHERE h.note_id = %s GROUP BY h.create_instant_dttm",
            event.note.note_id,
        )
        written, version = self._cursor.fetchone()
        note: GoldNote = replace(event.note, note_datetime=written)
        number = self._next_serial()
        self._copy(clarity.version_tables([(number, note)], version + 1))
        self._do("UPDATE note_enc_info SET upd_dttm = %s WHERE contact_serial_num = %s", at, number)
        self._touch(note.note_id, at)

    @write.register
    def _(self, event: happened.NoteResaved, at: datetime.datetime) -> None:
        self._touch(event.note_id, at)

    @write.register
    def _(self, event: happened.NoteRedated, at: datetime.datetime) -> None:
        self._do(
            "UPDATE hno_info SET create_instant_dttm = %s, update_date = %s WHERE note_id = %s",
            *(event.note_datetime, at, event.note_id),
        )

    @write.register
    def _(self, event: happened.NoteDeleted, at: datetime.datetime) -> None:
        self._do(
            "UPDATE hno_info SET delete_instant_dttm = %s, update_date = %s WHERE note_id = %s", at, at, event.note_id
        )

    @write.register
    def _(self, event: happened.PatientExcluded, at: datetime.datetime) -> None:
        self._exclude(event.exclusion_id, event.patient_id, None, event.reason, at)

    @write.register
    def _(self, event: happened.NoteExcluded, at: datetime.datetime) -> None:
        self._exclude(event.exclusion_id, None, event.note_id, event.reason, at)

    def _exclude(self, line: int, patient_id: str | None, note_id: str | None, reason: str, at: object) -> None:
        self._do("INSERT INTO research_exclusion VALUES (%s, %s, %s, %s, %s)", line, patient_id, note_id, reason, at)

    @write.register
    def _(self, event: happened.ExclusionEnded, at: datetime.datetime) -> None:
        self._do("UPDATE research_exclusion SET to_dttm = %s WHERE line = %s", at, event.exclusion_id)
