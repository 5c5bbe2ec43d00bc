import pytest

from tests.support.small_hospital import PATIENTS, TEXTS, notes

CANONICAL = [
    "patient",
    "patient_name",
    "patient_identifier",
    "patient_contact",
    "patient_address",
    "patient_relation",
    "provider",
    "facility",
    "encounter",
    "note",
]


@pytest.mark.parametrize("table", CANONICAL)
def test_both_layouts_give_the_same_rows(warehouses, table):
    question = f"SELECT * FROM {{i}}_staging.stg_{table}"
    omop, clarity = (sorted(warehouses[layout].rows(question), key=repr) for layout in ("omop", "clarity"))
    assert omop
    assert omop == clarity


def test_notes_are_byte_identical(warehouse):
    stored = warehouse.rows(
        "SELECT note_id, patient_id, note_type, note_datetime, author_id, note_text FROM {i}_staging.stg_note ORDER BY note_id"
    )
    assert stored == [(n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.text) for n in notes()]
    assert len(TEXTS) == len(stored)


def test_a_note_is_as_new_as_it_was_written_and_not_deleted(warehouse):
    stored = warehouse.rows("SELECT note_id, modified_at, is_deleted FROM {i}_staging.stg_note ORDER BY note_id")
    assert stored == [(n.note_id, n.note_datetime, False) for n in notes()]


def test_names_are_split_as_people_have_them(warehouse):
    stored = warehouse.rows("SELECT patient_id, first_name, middle_name, last_name FROM {i}_staging.stg_patient_name")
    expected = {(p.patient_id, p.person.first, p.person.middle or None, p.person.last) for p in PATIENTS}
    former = ("P000001", "Zoë", "Anaïs", "O’Brien")
    assert set(stored) == expected | {former}


@pytest.mark.parametrize(
    ("patient", "sex", "ethnicity"),
    [
        ("P000001", "F", "white"),
        ("P000002", "F", "hispanic"),
        ("P000003", "M", "black"),
        ("P000004", "M", "multiple"),
        ("P000005", "U", "api"),
    ],
)
def test_categories_are_mapped(warehouse, patient, sex, ethnicity):
    question = f"SELECT sex, ethnicity_hint FROM {{i}}_staging.stg_patient WHERE patient_id = '{patient}'"
    assert warehouse.rows(question) == [(sex, ethnicity)]


def test_what_is_not_known_is_null(warehouse):
    kinds = warehouse.rows(
        "SELECT kind FROM {i}_staging.stg_patient_identifier WHERE patient_id = 'P000004' ORDER BY 1"
    )
    assert kinds == [("health_plan",), ("mrn",)]
    assert warehouse.rows("SELECT count(*) FROM {i}_staging.stg_patient_address WHERE patient_id = 'P000005'") == [(0,)]
    assert warehouse.rows("SELECT phone FROM {i}_staging.stg_patient_relation WHERE first_name = 'Will'") == [(None,)]
