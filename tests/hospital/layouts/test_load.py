from dataclasses import replace

import psycopg2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.hospital.layouts import LAYOUTS, load
from deid_tasks.hospital.layouts.clarity import ClarityRows
from deid_tasks.hospital.layouts.copy import Table, copy_rows
from tests.support.small_hospital import hospital, notes

TEXTS = {
    "omop": "SELECT note_source_value, note_text FROM x_ehr.note",
    "clarity": "SELECT note_id, string_agg(note_text, '' ORDER BY line) FROM x_ehr.hno_note_text GROUP BY note_id",
}


@pytest.fixture
def connection(database):
    connection = psycopg2.connect(database)
    yield connection
    connection.close()


def rows(connection, question: str):
    with connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchall()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_texts_arrive_byte_for_byte_and_twice_is_once(connection, layout):
    expected = {note.note_id: note.text for note in notes()}
    for _ in range(2):
        assert load(connection, hospital(), iter(notes()), "x_ehr", layout) == len(expected)
        assert dict(rows(connection, TEXTS[layout])) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_failed_load_leaves_what_was_there(connection, layout):
    load(connection, hospital(), notes(), "x_ehr", layout)
    stranger = replace(notes()[0], note_id="N9999", patient_id="nobody")
    with pytest.raises(InputError, match="N9999"):
        load(connection, hospital(), [*notes(), stranger], "x_ehr", layout)
    assert len(rows(connection, TEXTS[layout])) == len(notes())


@pytest.mark.parametrize(("schema", "layout"), [("x_ehr", "cerner"), ("x; drop", "omop"), ("X", "omop")])
def test_unknown_layouts_and_schemas_are_refused(connection, schema, layout):
    with pytest.raises(InputError):
        load(connection, hospital(), notes(), schema, layout)


def test_refused_row_is_not_quoted(connection):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE small (value varchar(3))")
        with pytest.raises(WarehouseError, match="small") as caught:
            copy_rows(cursor, Table("small", ("value",), [("Quillfeather",)]))
    assert "Quillfeather" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_note_types_keep_their_number_over_batches():
    rows_of = ClarityRows(hospital())
    seen = {}
    for batch in (notes()[:2], notes()[2:]):
        for table in rows_of.notes(batch):
            if table.name == "zc_note_type_ip":
                fresh = {name: number for number, name in table.rows}
                assert not fresh.keys() & seen.keys()
                seen |= fresh
    assert sorted(seen.values()) == [1, 2, 3]


@pytest.fixture(scope="module")
def scratch(module_database):
    connection = psycopg2.connect(module_database)
    connection.cursor().execute("CREATE TABLE scratch (value text)")
    yield connection
    connection.close()


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))), max_size=20))
def test_any_text_survives_copy(scratch, values):
    with scratch.cursor() as cursor:
        cursor.execute("TRUNCATE scratch")
        copy_rows(cursor, Table("scratch", ("value",), [(v,) for v in values], frozenset({"value"})))
        cursor.execute("SELECT value FROM scratch")
        assert [value for (value,) in cursor.fetchall()] == values
