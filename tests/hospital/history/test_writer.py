"""The raw tables and dbt's staging models after a history: exactly what the events say."""

import datetime
from dataclasses import replace

import psycopg2
import pytest
from psycopg2 import sql

from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.hospital.history import HistoryRates, HistoryWriter, simulate_history
from deid_tasks.hospital.history import events as happened
from deid_tasks.hospital.layouts import LAYOUTS
from deid_tasks.hospital.records import Person
from tests.conftest import fresh_database
from tests.support.dbt_models import build_models

SCHEMA = "riverside_ehr"
NOON = datetime.datetime(2024, 2, 1, 12)


def rows(connection, question: str, *values):
    with connection, connection.cursor() as cursor:
        cursor.execute(question, values)
        return cursor.fetchall()


def every_row(connection, schema: str = SCHEMA) -> dict[str, list[tuple]]:
    """Every table of a schema, sorted."""
    names = rows(connection, "SELECT tablename FROM pg_tables WHERE schemaname = %s", schema)
    held = {}
    for (name,) in names:
        with connection, connection.cursor() as cursor:
            cursor.execute(sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(schema, name)))
            held[name] = sorted(row for (row,) in cursor.fetchall())
    return held


@pytest.fixture(scope="module", params=LAYOUTS)
def layout(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def uri(postgres, layout) -> str:
    return fresh_database(postgres)


@pytest.fixture(scope="module")
def connection(uri):
    connection = psycopg2.connect(uri)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def lived(connection, layout, hospital, notes, history) -> HistoryWriter:
    """A writer that has applied the whole history, each day twice."""
    writer = HistoryWriter(connection, SCHEMA, layout, hospital)
    assert writer.load(iter(notes)) == len(notes)
    for day in history:
        changed = writer.apply(day)
        assert changed <= len(day.events)
        before = every_row(connection)
        assert writer.apply(day) == 0
        assert every_row(connection) == before
    return writer


@pytest.fixture(scope="module")
def staging(lived, uri, layout, tmp_path_factory):
    build_models(uri, "riverside", layout, tmp_path_factory.mktemp("dbt"), "staging")
    return lived


def test_staging_holds_the_present_notes_exactly(staging, connection):
    expected = {
        one.note.note_id: (
            *(one.patient_id, one.note.note_type, one.note.note_datetime, one.note.author_id),
            *(one.text, one.modified_at, one.is_deleted),
        )
        for one in staging.present_notes()
    }
    found = rows(
        connection,
        "SELECT note_id, patient_id, note_type, note_datetime, author_id, note_text, modified_at, is_deleted "
        "FROM riverside_staging.stg_note",
    )
    assert len(found) == len(expected)
    assert {row[0]: row[1:] for row in found} == expected


def test_staging_holds_the_present_merges_and_exclusions(staging, connection):
    merges = rows(connection, "SELECT former_id, surviving_id FROM riverside_staging.stg_patient_merge")
    assert dict(merges) == staging.present_merges()
    assert merges
    found = rows(
        connection, "SELECT patient_id, note_id, reason, valid_from, valid_to FROM riverside_staging.stg_exclusion"
    )
    expected = [(x.patient_id, x.note_id, x.reason, x.valid_from, x.valid_to) for x in staging.present_exclusions()]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    assert any(row[4] for row in found)
    assert any(row[4] is None for row in found)


def test_staging_holds_the_present_patients(staging, connection):
    found = rows(connection, "SELECT patient_id FROM riverside_staging.stg_patient")
    assert sorted(row[0] for row in found) == sorted(staging.present_patients())


def test_names_of_former_ids_are_the_surviving_patients(staging, connection, hospital, history):
    people = {patient.patient_id: patient.person for patient in hospital.patients}
    names = set(rows(connection, "SELECT patient_id, last_name FROM riverside_staging.stg_patient_name"))
    checked = 0
    for former, survivor in staging.present_merges().items():
        if former in people:
            assert (survivor, people[former].last) in names
            checked += 1
    assert checked


def test_exclusions_in_force_name_notes_and_all_notes_of_patients(lived):
    notes = list(lived.present_notes())
    for exclusion in lived.present_exclusions():
        hit = [n for n in notes if n.note.note_id == exclusion.note_id or n.patient_id == (exclusion.patient_id or "")]
        if exclusion.valid_to is None:
            assert all(exclusion.reason in note.exclusions for note in hit)
    assert any(note.exclusions for note in notes)
    assert not all(note.exclusions for note in notes)


def test_second_writer_goes_on_where_the_first_ended(lived, connection, layout, hospital):
    again = HistoryWriter(connection, SCHEMA, layout, hospital)
    assert list(again.present_notes()) == list(lived.present_notes())


@pytest.fixture
def writer(database, layout, hospital, notes):
    connection = psycopg2.connect(database)
    writer = HistoryWriter(connection, SCHEMA, layout, hospital)
    writer.load(notes)
    yield writer
    connection.close()


def test_event_applied_twice_changes_nothing_whatever_its_time(writer, layout, history, database):
    events = dict.fromkeys((event, at) for day in history for event, at in day.timed())
    connection = psycopg2.connect(database)
    for event, at in events:
        writer.apply_event(event, at)
        before = every_row(connection)
        assert not writer.apply_event(event, at)
        later = writer.apply_event(event, at + datetime.timedelta(microseconds=1))
        if not isinstance(event, happened.NoteResaved | happened.PatientRenamed | happened.PatientMoved):
            assert not later, event
        if not isinstance(event, happened.NoteResaved):
            assert every_row(connection) == before, event
    connection.close()


def test_deleted_note_takes_no_event(writer, layout, notes):
    note = notes[0]
    assert writer.apply_event(happened.NoteDeleted(note.note_id), NOON)
    later = NOON + datetime.timedelta(hours=1)
    for event in (
        happened.NoteAmended(replace(note, text="new", spans=())),
        happened.NoteRedated(note.note_id, NOON),
        happened.NoteResaved(note.note_id),
        happened.NoteDeleted(note.note_id),
        happened.NoteWritten(note),
        happened.NoteExcluded(1, note.note_id, "legal_hold"),
    ):
        assert not writer.apply_event(event, later)
    held = {present.note.note_id: present for present in writer.present_notes()}
    if layout == "clarity":
        assert held[note.note_id].is_deleted
        assert held[note.note_id].modified_at == NOON
    else:
        assert note.note_id not in held


def test_person_who_leaves_takes_former_ids_notes_and_exclusions_along(writer, hospital, notes, database):
    first, second = list(dict.fromkeys(note.patient_id for note in notes))[:2]
    assert writer.apply_event(happened.PatientsMerged(first, second), NOON)
    assert not writer.apply_event(happened.PatientsMerged(second, first), NOON), "a circle"
    assert writer.apply_event(happened.PatientExcluded(1, first, "vip"), NOON)
    assert {n.patient_id for n in writer.present_notes() if n.note.patient_id == first} == {second}
    assert writer.apply_event(happened.PatientLeft(second), NOON)
    assert not {n.note.patient_id for n in writer.present_notes()} & {first, second}
    assert writer.present_exclusions() == []
    assert writer.present_merges() == {}
    assert not writer.apply_event(happened.NoteWritten(replace(notes[0], note_id="9", patient_id=first)), NOON)
    connection = psycopg2.connect(database)
    text = repr(every_row(connection))
    connection.close()
    gone = [patient for patient in hospital.patients if patient.patient_id in (first, second)]
    assert not [value for p in gone for value in (p.mrn, p.ssn, p.account, p.phone, p.email) if value in text]


def test_renamed_patient_has_both_names(writer, layout, hospital, database):
    patient = hospital.patients[0]
    person = Person(patient.person.first, patient.person.middle, "Quillfeather", patient.person.sex)
    assert writer.apply_event(happened.PatientRenamed(patient.patient_id, person, patient.person), NOON)
    question = {
        "clarity": "SELECT pat_name FROM riverside_ehr.patient UNION ALL SELECT alias FROM riverside_ehr.patient_alias",
        "omop": "SELECT name_use || ' ' || last_name FROM riverside_ehr.person_name",
    }[layout]
    connection = psycopg2.connect(database)
    names = [name for (name,) in rows(connection, question)]
    connection.close()
    assert sum("Quillfeather" in name for name in names) == 1
    assert any(patient.person.last in name and "Quillfeather" not in name for name in names)


def test_refused_event_leaves_its_day_unapplied_and_is_not_quoted(writer, hospital, notes, database):
    connection = psycopg2.connect(database)
    before = every_row(connection)
    good = happened.NoteWritten(replace(notes[0], note_id="900", note_datetime=NOON))
    bad = happened.NoteWritten(replace(notes[0], note_id="901", text="Quill\0feather", spans=()))
    with pytest.raises((WarehouseError, ValueError)) as caught:
        writer.apply(happened.HistoryDay(NOON.date(), (good, bad), (NOON, NOON)))
    assert "Quill" not in str(caught.value)
    assert every_row(connection) == before
    connection.close()


def test_writer_says_what_is_missing(connection, hospital, notes):
    with pytest.raises(InputError, match="cerner"):
        HistoryWriter(connection, SCHEMA, "cerner", hospital)
    with pytest.raises(InputError, match="longer"):
        HistoryWriter(connection, "x" * 60, "omop", hospital)
    with pytest.raises(WarehouseError, match="load"):
        HistoryWriter(connection, "never_ehr", "omop", hospital).apply_event(happened.NoteDeleted("1"), NOON)


def test_bytes_that_are_not_utf_8_are_written_where_the_database_takes_them(postgres, layout, hospital, notes):
    admin = psycopg2.connect(postgres.uri())
    admin.autocommit = True
    name = f"unchecked_{layout}"
    admin.cursor().execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    admin.close()
    connection = psycopg2.connect(postgres.uri(name))
    connection.set_client_encoding("UTF8")
    writer = HistoryWriter(connection, SCHEMA, layout, hospital)
    writer.load(notes[:10])
    note = replace(notes[0], note_id="900", text="Größe \udcff\udcfe", spans=())
    assert writer.apply_event(happened.NoteDamaged(note), NOON)
    assert {n.note.note_id: n.text for n in writer.present_notes()}["900"] == note.text
    question = {
        "clarity": "SELECT note_text::bytea FROM riverside_ehr.hno_note_text WHERE note_id = '900'",
        "omop": "SELECT note_text::bytea FROM riverside_ehr.note WHERE note_source_value = '900'",
    }[layout]
    assert [bytes(row[0]) for row in rows(connection, question)] == ["Größe ".encode() + b"\xff\xfe"]
    connection.close()


def test_history_is_streamed_into_the_tables_day_by_day(writer, hospital, notes):
    days = simulate_history(hospital, notes, HistoryRates(written=2.0), 3, seed=9)
    assert sum(writer.apply(day) for day in days) > 0
