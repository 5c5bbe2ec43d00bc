"""Merged patients, excluded patients, and rows that break the contract: who has what in staging, and what is counted."""

import re
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest
from jinja2 import Environment

MERGES = {
    "omop": "insert into {i}_ehr.person_merge values (4, 3, '2024-02-01'), (3, 2, '2024-02-02')",
    "clarity": "insert into {i}_ehr.pat_merge_history values ('P000004', 'P000003', '2024-02-01'),"
    " ('P000003', 'P000002', '2024-02-02')",
}
EXCLUSIONS = {
    "omop": "insert into {i}_ehr.research_exclusion values (1, 3, null, 'opted_out', null, null),"
    " (2, null, 1, 'vip', null, null), (3, null, null, 'vip', null, null)",
    "clarity": "insert into {i}_ehr.research_exclusion values (1, 'P000003', null, 'opted_out', null, null),"
    " (2, null, 'N0000', 'vip', null, null), (3, null, ' ', 'vip', null, null)",
}
DIRTY = {
    "omop": "update {i}_ehr.note set note_datetime = '2204-01-01' where note_id = 1;"
    " update {i}_ehr.note set person_id = 99 where note_id = 2;"
    " update {i}_ehr.note set note_datetime = '-infinity' where note_id = 3;"
    " insert into {i}_ehr.person_identifier values (1, 'passport', 'X1234567')",
    "clarity": "update {i}_ehr.hno_info set create_instant_dttm = '2204-01-01' where note_id = 'N0000';"
    " update {i}_ehr.hno_info set pat_enc_csn_id = 99 where note_id = 'N0001';"
    " update {i}_ehr.hno_info set create_instant_dttm = '-infinity' where note_id = 'N0002';"
    " insert into {i}_ehr.identity_id values ('P000001', 9, null, 'X1234567')",
}
RESTORED = {
    "omop": "truncate {i}_ehr.person_merge, {i}_ehr.research_exclusion;"
    " update {i}_ehr.note set note_datetime = load_datetime where note_id in (1, 3);"
    " update {i}_ehr.note set person_id = 2 where note_id = 2;"
    " delete from {i}_ehr.person_identifier where identifier_type = 'passport'",
    "clarity": "truncate {i}_ehr.pat_merge_history, {i}_ehr.research_exclusion;"
    " update {i}_ehr.hno_info set create_instant_dttm = update_date where note_id in ('N0000', 'N0002');"
    " update {i}_ehr.hno_info set pat_enc_csn_id = 2 where note_id = 'N0001';"
    " delete from {i}_ehr.identity_id where line = 9",
}


@pytest.fixture
def change(warehouse):
    """Write to the raw tables; what was written is undone afterwards."""

    def write(statements: dict[str, str]) -> None:
        with psycopg2.connect(warehouse.uri) as connection, connection.cursor() as cursor:
            cursor.execute(statements[warehouse.layout].replace("{i}", warehouse.institution))

    yield write
    write(RESTORED)
    assert warehouse.run("run", "--select", "stg_patient_merge").returncode == 0


def ids(warehouse, model: str, column: str = "patient_id") -> set[str]:
    return {value for (value,) in warehouse.rows(f"select {column} from {{i}}_staging.{model}")}


def assert_note_states_are_those_of_the_notes(warehouse) -> None:
    columns = "note_id, patient_id, note_type, note_datetime, author_id, modified_at, is_deleted"
    notes, states = (f"select {columns} from {{i}}_staging.{model}" for model in ("stg_note", "stg_note_state"))
    assert warehouse.rows("select count(*) from {i}_staging.stg_note_state")[0][0] >= 8
    for one, other in ((notes, states), (states, notes)):
        assert warehouse.rows(f"{one} except all {other}") == []


def test_what_a_former_id_had_is_the_survivor_s(warehouse, change):
    question = (
        "select kind, term from {i}_dictionaries.dict_patient where patient_id = any('{P000002,P000003,P000004}')"
    )
    terms = set(warehouse.rows(question))
    notes = warehouse.rows("select count(*) from {i}_staging.stg_note")
    change(MERGES)
    change(EXCLUSIONS)
    result = warehouse.run("build", "--select", "stg_patient_merge", "--exclude", "resource_type:unit_test")
    assert result.returncode == 0, result.stdout
    assert warehouse.rows("select former_id, surviving_id from {i}_staging.stg_patient_merge order by 1") == [
        ("P000003", "P000002"),
        ("P000004", "P000002"),
    ]
    for model in ("stg_patient", "stg_patient_name", "stg_patient_identifier", "stg_encounter", "stg_note"):
        assert not {"P000003", "P000004"} & ids(warehouse, model), model
    assert warehouse.rows("select count(*) from {i}_staging.stg_note") == notes
    assert_note_states_are_those_of_the_notes(warehouse)
    survivor = "select kind, term from {i}_dictionaries.dict_patient where patient_id = 'P000002'"
    assert set(warehouse.rows(survivor)) == terms
    assert set(warehouse.rows("select patient_id, note_id, reason from {i}_staging.stg_exclusion")) == {
        ("P000002", None, "opted_out"),
        (None, "N0000", "vip"),
    }
    counted = set(warehouse.rows("select * from {i}_quality.quality_rows where status in ('quarantined', 'excluded')"))
    assert ("patient", "quarantined", "merged", 2) in counted
    assert ("exclusion", "quarantined", "names_nobody", 1) in counted
    assert ("note", "excluded", "opted_out", 6) in counted
    assert ("note", "excluded", "vip", 1) in counted


def test_dirty_rows_are_counted_and_stop_no_build(warehouse, change):
    change(DIRTY)
    result = warehouse.run(
        "build", "--select", "path:models/staging", "quality_rows", "--exclude", "resource_type:unit_test"
    )
    assert result.returncode == 0, result.stdout
    assert "Warning in test not_blank_stg_note_patient_id" in result.stdout
    assert warehouse.rows("select note_id, patient_id from {i}_staging.stg_note where patient_id is null") == [
        ("N0001", None)
    ]
    assert not {"N0000", "N0002"} & ids(warehouse, "stg_note", "note_id")
    assert_note_states_are_those_of_the_notes(warehouse)
    assert warehouse.rows(
        "select status, reason, rows_counted from {i}_quality.quality_rows where table_name = 'note' order by 1, 2"
    ) == [
        *(("quarantined", reason, 1) for reason in ("in_the_future", "unreadable_time")),
        *(("raw", None, 10), ("staged", None, 8), ("unreadable_date", "note_datetime", 1)),
    ]
    kinds = "select kind from {i}_staging.stg_patient_identifier where value = 'X1234567'"
    assert warehouse.rows(kinds) == [("other_id",)]


@pytest.mark.parametrize(
    ("stored", "day", "moment"),
    [
        ("2024-02-29", "2024-02-29", "2024-02-29 00:00:00"),
        (" 2024-01-13T23:59:59.25 ", "2024-01-13", "2024-01-13 23:59:59.25"),
        # The zone is of no day and of no clock: who has one converts it.
        ("2024-01-13 08:30 +05:30", "2024-01-13", "2024-01-13 08:30:00"),
        ("2000-02-29T00:00:00Z", "2000-02-29", "2000-02-29 00:00:00"),
        ("infinity", "infinity", "infinity"),
        ("", None, None),
        (None, None, None),
        ("2024-13-45", "-infinity", "-infinity"),
        ("2023-02-29", "-infinity", "-infinity"),
        ("1900-02-29", "-infinity", "-infinity"),
        ("2024-04-31", "-infinity", "-infinity"),
        ("0000-01-01", "-infinity", "-infinity"),
        ("01/13/2024", "-infinity", "-infinity"),
        ("unknown", "-infinity", "-infinity"),
        ("2024-01-13 25:00", "2024-01-13", "-infinity"),
    ],
)
def test_a_text_that_is_no_date_stops_no_query(warehouses, stored, day, moment):
    read = rendered("dates_of_text.sql", "{{ date_of_text('t') }} as d, {{ timestamp_of_text('t') }} as m")
    with psycopg2.connect(warehouses["omop"].uri) as connection, connection.cursor() as cursor:
        cursor.execute(
            f"select d::text, m::text from (select {read} from (values (%s::text)) as v (t)) as x", (stored,)
        )
        assert cursor.fetchone() == (day, moment)


def test_a_column_of_dates_is_read_whatever_form_the_session_writes(warehouses):
    read = rendered("dates_of_text.sql", "{{ date_of_text('d') }}, {{ timestamp_of_text('m') }}")
    with psycopg2.connect(warehouses["omop"].uri) as connection, connection.cursor() as cursor:
        cursor.execute("set datestyle = 'German'")
        cursor.execute(
            f"select ({read}) = (d, m) from (values (date '13.01.2024', timestamp '13.01.2024 08:30:00.5')) as v (d, m)"
        )
        assert cursor.fetchone() == (True,)


def test_a_birthday_that_no_month_has_stops_no_query_and_is_counted(warehouses):
    omop = warehouses["omop"]
    born = "select patient_id, birth_date from {i}_staging.stg_patient order by 1"
    counted = "select table_name, reason, rows_counted from {i}_quality.quality_rows where status = 'unreadable_date'"
    before = dict(omop.rows(born))
    [(kept,)] = omop.rows("select birth_datetime::text from {i}_ehr.person where person_id = 1")
    with closing(psycopg2.connect(omop.uri)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        update = (
            f"update {omop.institution}_ehr.person set birth_datetime = %s::timestamp, month_of_birth = %s,"
            " day_of_birth = %s where person_id = 1"
        )
        try:
            cursor.execute(update, (None, 2, 31))
            assert dict(omop.rows(born)) == before | {"P000001": None}
            assert omop.rows(counted) == [("patient", "birth_date", 1)]
        finally:
            cursor.execute(update, (kept, before["P000001"].month, before["P000001"].day))
    assert dict(omop.rows(born)) == before
    assert omop.rows(counted) == []


def rendered(file: str, expression: str) -> str:
    """Return an expression with the macros of a file in it."""
    macros = (Path(__file__).parents[2] / "dbt/macros" / file).read_text()
    return Environment().from_string(macros + expression).render().strip()


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("Zoë — 𝔘 \n\t".encode(), "Zoë — 𝔘 \n\t"),
        (b"", ""),
        (b"caf\xe9", None),
        (b"a\x00b", None),
        (b"\xed\xa0\x80", None),
        (b"\xc0\xaf", None),
        (b"\xf4\x90\x80\x80", None),
        (b"\xe2\x82", None),
    ],
)
def test_bytes_that_are_no_text_are_null_and_stop_no_query(warehouses, stored, text):
    macro = (Path(__file__).parents[2] / "dbt/macros/unusable_notes.sql").read_text()
    expression = re.search(r"text_of_bytes\(column\) -%\}(.*?)\{%- endmacro", macro, re.DOTALL).group(1)
    with psycopg2.connect(warehouses["omop"].uri) as connection, connection.cursor() as cursor:
        cursor.execute("select " + expression.replace("{{ column }}", "%(stored)s::bytea"), {"stored": stored})
        assert cursor.fetchone() == (text,)


def test_a_text_that_is_not_utf8_stops_no_query_where_the_database_checks_no_encoding(postgres):
    readable = rendered("unusable_notes.sql", "{{ readable_text('note_text') }}")
    with closing(psycopg2.connect(postgres.uri())) as connection:
        connection.autocommit = True
        connection.cursor().execute(
            "create database unchecked template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'"
        )
    stored = ["Zoë — seen".encode(), b"caf\xe9", b"plain"]
    with closing(psycopg2.connect(postgres.uri("unchecked"))) as connection, connection.cursor() as cursor:
        cursor.execute("create table note (note_text text)")
        cursor.executemany("insert into note values (convert_from(%s, 'SQL_ASCII'))", [(text,) for text in stored])
        cursor.execute(f"select convert_to({readable}, 'UTF8') from note")
        read = [None if raw is None else bytes(raw) for (raw,) in cursor.fetchall()]
        assert read == [stored[0], None, stored[2]]
        with pytest.raises(psycopg2.errors.CharacterNotInRepertoire):
            cursor.execute("select convert_to(note_text, 'UTF8') from note")


@pytest.mark.parametrize("lost", ["note_id = 'N0001'", "true"])
def test_note_states_that_lack_notes_fail_the_build(warehouses, lost):
    warehouse = warehouses["clarity"]
    view = f"{warehouse.institution}_staging.stg_note_state"
    with closing(psycopg2.connect(warehouse.uri)) as connection:
        with connection, connection.cursor() as cursor:
            cursor.execute("select pg_get_viewdef(%s)", (view,))
            (written,) = cursor.fetchone()
            cursor.execute(
                f"create or replace view {view} as select * from ({written.rstrip('; ')}) as s where not ({lost})"
            )
        try:
            result = warehouse.run("test", "--select", "stg_note_state")
            assert result.returncode == 1
            assert re.search(r"Failure in test same_values_stg_note_state\w*", result.stdout)
        finally:
            with connection, connection.cursor() as cursor:
                cursor.execute(f"create or replace view {view} as {written}")
    result = warehouse.run("test", "--select", "stg_note_state")
    assert result.returncode == 0, result.stdout


def test_a_layout_without_note_states_of_its_own_needs_no_comparison(warehouses):
    result = warehouses["omop"].run("ls", "--select", "stg_note_state", "--resource-type", "test")
    assert "same_values" not in result.stdout
