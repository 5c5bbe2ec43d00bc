"""Writes events into the tables of the OMOP layout, as the job that loads it does."""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import singledispatchmethod
from typing import Any

from psycopg2 import sql

from deid_tasks.hospital.history import events as happened
from deid_tasks.hospital.history.keys import next_key, split_damaged
from deid_tasks.hospital.layouts import omop
from deid_tasks.hospital.layouts.copy import Table, copy_rows

_OF_PERSON = (
    *("person_name", "person_identifier", "person_contact", "person_relation", "person_merge", "research_exclusion"),
    *("note", "visit_occurrence", "person"),
)


class OmopHistory:
    """Writes each event that ``ExpectedRecords`` found to change something; the tables are in the search path."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def _copy(self, tables: Iterable[Table]) -> None:
        for table in tables:
            copy_rows(self._cursor, table)

    def _do(self, statement: str, *values: object) -> None:
        self._cursor.execute(statement, values)

    def _keys(self, table: str, key: str, source: str, value: str) -> Mapping[str, int]:
        """Return the key of the row whose source value is ``value``; nothing where there is none."""
        self._cursor.execute(
            sql.SQL("SELECT {} FROM {} WHERE {} = %s").format(*map(sql.Identifier, (key, table, source))), (value,)
        )
        found = self._cursor.fetchone()
        return {value: found[0]} if found else {}

    def _sites(self, facility_id: str) -> Mapping[str, int]:
        return self._keys("care_site", "care_site_id", "care_site_source_value", facility_id)

    def _person(self, patient_id: str) -> int:
        """Return the key of a person; one who is not registered gets the key that registration will use."""
        if found := self._keys("person", "person_id", "person_source_value", patient_id):
            return found[patient_id]
        if found := self._keys("expected_person", "person_key", "patient_id", patient_id):
            return found[patient_id]
        key = next_key(self._cursor, "person", "person_id")
        self._do("INSERT INTO expected_person VALUES (%s, %s)", patient_id, key)
        return key

    @singledispatchmethod
    def write(self, event: happened.Event, _: datetime.datetime) -> None:
        """Write ``event``; the second argument is when its rows are loaded."""
        raise TypeError(f"{type(event).__name__} is no event of a history")

    @write.register
    def _(self, event: happened.PatientRegistered, _: datetime.datetime) -> None:
        person = self._person(event.patient.patient_id)
        location = next_key(self._cursor, "location", "location_id")
        self._copy(omop.person_tables([(person, location, event.patient)]))

    @write.register
    def _(self, event: happened.PatientRenamed, _: datetime.datetime) -> None:
        key, person, former = self._person(event.patient_id), event.person, event.former
        self._do(
            "UPDATE person_name SET first_name = %s, middle_name = nullif(%s, ''), last_name = %s, "
            "preferred_name = nullif(%s, '') WHERE person_id = %s AND name_use = 'official'",
            *(person.first, person.middle, person.last, person.nickname, key),
        )
        self._do(
            "INSERT INTO person_name (person_id, name_use, first_name, middle_name, last_name) "
            "SELECT %s, 'former', %s, nullif(%s, ''), %s WHERE NOT EXISTS (SELECT 1 FROM person_name "
            "WHERE person_id = %s AND name_use = 'former' AND first_name = %s AND last_name = %s)",
            *(key, former.first, former.middle, former.last, key, former.first, former.last),
        )

    @write.register
    def _(self, event: happened.PatientMoved, _: datetime.datetime) -> None:
        key, address = self._person(event.patient_id), event.address
        self._do(
            "UPDATE location SET address_1 = nullif(%s, ''), city = nullif(%s, ''), state = nullif(%s, ''), "
            "zip = nullif(%s, ''), county = nullif(%s, '') "
            "WHERE location_id = (SELECT location_id FROM person WHERE person_id = %s)",
            *(address.street, address.city, address.state, address.zip, address.county, key),
        )
        self._do(
            "DELETE FROM person_contact WHERE person_id = %s AND contact_system = 'phone' AND contact_use = 'home'", key
        )
        if event.phone:
            self._do("INSERT INTO person_contact VALUES (%s, 'phone', 'home', %s)", key, event.phone)

    @write.register
    def _(self, event: happened.PatientsMerged, at: datetime.datetime) -> None:
        self._merge(event.former_id, self._person(event.surviving_id), at)

    @write.register
    def _(self, event: happened.MergeUndone, at: datetime.datetime) -> None:
        self._merge(event.former_id, None, at)

    def _merge(self, former: str, survivor: int | None, at: datetime.datetime) -> None:
        self._do(
            "INSERT INTO person_merge VALUES (%s, %s, %s) "
            "ON CONFLICT (person_id, merged_at) DO UPDATE SET surviving_person_id = excluded.surviving_person_id",
            *(self._person(former), survivor, at),
        )

    @write.register
    def _(self, event: happened.PatientLeft, _: datetime.datetime) -> None:
        self._do(
            "SELECT p.person_id, p.location_id FROM person AS p "
            "INNER JOIN expected_patient AS x ON p.person_source_value = x.patient_id WHERE x.left_with = %s",
            event.patient_id,
        )
        rows = self._cursor.fetchall()
        persons = [person for person, _ in rows]
        self._do(
            "DELETE FROM research_exclusion AS x USING note AS n WHERE x.note_id = n.note_id AND n.person_id = ANY(%s)",
            persons,
        )
        for table in _OF_PERSON:
            statement = sql.SQL("DELETE FROM {} WHERE person_id = ANY(%s)").format(sql.Identifier(table))
            self._cursor.execute(statement, (persons,))
        self._do("DELETE FROM person_merge WHERE surviving_person_id = ANY(%s)", persons)
        self._do("DELETE FROM location WHERE location_id = ANY(%s)", [location for _, location in rows])

    @write.register
    def _(self, event: happened.ProviderHired, _: datetime.datetime) -> None:
        key = next_key(self._cursor, "provider", "provider_id")
        self._copy(omop.provider_tables([(key, event.provider)], self._sites(event.provider.facility_id)))

    @write.register
    def _(self, event: happened.FacilityOpened, _: datetime.datetime) -> None:
        key = next_key(self._cursor, "care_site", "care_site_id")
        self._copy(omop.care_site_tables([(key, next_key(self._cursor, "location", "location_id"), event.facility)]))

    @write.register
    def _(self, event: happened.NoteWritten, at: datetime.datetime) -> None:
        text, damage = split_damaged(event.note.text)
        note = replace(event.note, text=text)
        key = max(
            next_key(self._cursor, "note", "note_id"),
            next_key(self._cursor, "visit_occurrence", "visit_occurrence_id"),
        )
        author = self._keys("provider", "provider_id", "provider_source_value", note.author_id)
        persons = {note.patient_id: self._person(note.patient_id)}
        self._copy(omop.note_tables([(key, note)], persons, author, self._sites(note.facility_id)))
        if damage:
            self._do(
                "UPDATE note SET note_text = note_text || convert_from(%s::bytea, 'SQL_ASCII') WHERE note_id = %s",
                *(damage, key),
            )
        self._do("UPDATE note SET load_datetime = %s WHERE note_id = %s", at, key)

    @write.register
    def _(self, event: happened.NoteAmended, at: datetime.datetime) -> None:
        self._do(
            "UPDATE note SET note_text = %s, load_datetime = %s WHERE note_source_value = %s",
            *(event.note.text, at, event.note.note_id),
        )

    @write.register
    def _(self, event: happened.NoteResaved, at: datetime.datetime) -> None:
        self._do("UPDATE note SET load_datetime = %s WHERE note_source_value = %s", at, event.note_id)

    @write.register
    def _(self, event: happened.NoteRedated, at: datetime.datetime) -> None:
        self._do(
            "UPDATE note SET note_date = %s, note_datetime = %s, load_datetime = %s WHERE note_source_value = %s",
            *(event.note_datetime.date(), event.note_datetime, at, event.note_id),
        )

    @write.register
    def _(self, event: happened.NoteDeleted, _: datetime.datetime) -> None:
        self._do("DELETE FROM note WHERE note_source_value = %s", event.note_id)

    @write.register
    def _(self, event: happened.PatientExcluded, at: datetime.datetime) -> None:
        self._exclude(event.exclusion_id, self._person(event.patient_id), None, event.reason, at)

    @write.register
    def _(self, event: happened.NoteExcluded, at: datetime.datetime) -> None:
        note = self._keys("note", "note_id", "note_source_value", event.note_id)[event.note_id]
        self._exclude(event.exclusion_id, None, note, event.reason, at)

    def _exclude(self, exclusion: int, person: int | None, note: int | None, reason: str, at: object) -> None:
        self._do("INSERT INTO research_exclusion VALUES (%s, %s, %s, %s, %s)", exclusion, person, note, reason, at)

    @write.register
    def _(self, event: happened.ExclusionEnded, at: datetime.datetime) -> None:
        self._do("UPDATE research_exclusion SET valid_to = %s WHERE exclusion_id = %s", at, event.exclusion_id)
