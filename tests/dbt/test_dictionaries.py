import psycopg2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deid_tasks.engine.lexicon.normalise import normalise
from tests.support.small_hospital import FACILITIES, PATIENTS, PROVIDERS

DICTIONARIES = ("dict_patient", "dict_patient_name", "dict_provider", "dict_facility", "dict_address", "dict_medical")


def terms(warehouse, table: str, where: str = "true") -> set[tuple[str, str]]:
    return set(warehouse.rows(f"SELECT kind, normalised FROM {{i}}_dictionaries.{table} WHERE {where}"))


@pytest.mark.parametrize("table", [table for table in DICTIONARIES if table != "dict_patient"])  # a view has none
def test_same_content_has_the_same_version(warehouses, table):
    versions = [w.rows(f"SELECT DISTINCT version FROM {{i}}_dictionaries.{table}") for w in warehouses.values()]
    assert len(versions[0]) == 1
    assert versions[0] == versions[1]


@pytest.mark.parametrize("table", DICTIONARIES)
def test_normalised_is_what_python_makes_of_the_term(warehouse, table):
    pairs = warehouse.rows(f"SELECT term, normalised FROM {{i}}_dictionaries.{table} WHERE term <> normalised")
    assert pairs
    assert [pair for pair in pairs if normalise(pair[0]) != pair[1]] == []


@pytest.mark.parametrize(
    ("table", "inside", "outside"),
    [
        ("dict_patient_name", {("full", "will young"), ("last", "o brien"), ("first", "nguyen")}, {("first", "will"),
        ("last", "young"), ("preferred", "bill")}),
        ("dict_provider", {("last", "okafor"), ("full", "grace lee may"), ("user_id", "gmay7"), ("npi", "1234567893")},
        {("last", "may")}),
        ("dict_facility", {("name", "north tower 5"), ("short_name", "bgh"), ("phone", "617 555 0500")}, set()),
        ("dict_address", {("city", "northam falls"), ("zip", "02131"), ("street", "1 birchwood sq")}, {("state",
        "ma")}),
        ("dict_medical", {("disease", "pneumonia")}, {("disease", "young"), ("eponym", "king")}),
    ],
)  # fmt: skip
def test_shared_dictionaries(warehouse, table, inside, outside):
    held = terms(warehouse, table)
    assert inside - held == set()
    assert outside & held == set()


def test_a_patient_keeps_names_that_are_words(warehouse):
    own = terms(warehouse, "dict_patient", "patient_id = 'P000003'")
    assert {("first", "will"), ("last", "young"), ("preferred", "bill"), ("state", "ma")} <= own
    assert ("last", "okafor") not in own


def test_every_identifier_of_every_patient_is_held(warehouse):
    for patient in PATIENTS:
        own = terms(warehouse, "dict_patient", f"patient_id = '{patient.patient_id}'")
        expected = {
            ("mrn", patient.mrn), ("ssn", patient.ssn), ("health_plan", patient.health_plan), ("account",
            patient.account),
            ("phone", patient.phone), ("phone", patient.mobile), ("email", patient.email), ("last",
            patient.person.last),
            ("last", patient.previous_last), ("street", patient.address.street), ("zip", patient.address.zip),
            *(("relative_last", relative.person.last) for relative in patient.relatives),
        }  # fmt: skip
        assert {(kind, normalise(value)) for kind, value in expected if value} - own == set()


def test_no_single_medical_word_is_a_name_here(warehouse):
    people = [p.person for p in (*PATIENTS, *PROVIDERS)]
    names = {
        w
        for person in people
        for n in (person.first, person.middle, person.last)
        for w in normalise(n).split()
        if len(w) > 1
    }
    places = {normalise(facility.name) for facility in FACILITIES}
    held = {term for _, term in terms(warehouse, "dict_medical")}
    assert held
    assert held & (names | places) == set()


# Letters and marks of the scripts that names in a western EHR come in; other scripts' vowel signs differ between the
# two.
TEXT = st.text(
    st.one_of(
        st.characters(max_codepoint=0x036F, exclude_characters="\0"),
        st.characters(min_codepoint=0x0386, max_codepoint=0x0482),
        st.characters(min_codepoint=0x1E00, max_codepoint=0x1FFF, exclude_categories=("Cn",)),
        st.characters(min_codepoint=0x2010, max_codepoint=0x2122, exclude_categories=("Cn", "Cs")),
        st.sampled_from("ﬁ½Ⅳ²漢字かなが—’‑"),
    )
)  # fmt: skip


@pytest.fixture(scope="module")
def in_sql(warehouses):
    """The macro as dbt compiled it, as a function."""
    compiled = (
        warehouses["omop"].target / "compiled" / "palimpsest" / "models" / "dictionaries" / "institution_words.sql"
    )
    expression = compiled.read_text().split("select distinct ")[1].split(" as phrase")[0]
    connection = psycopg2.connect(warehouses["omop"].uri)

    def normalised(values: list[str]) -> list[str]:
        with connection.cursor() as cursor:
            question = f"SELECT {expression} FROM unnest(%s::text[]) WITH ORDINALITY AS v (name, n) ORDER BY n"
            cursor.execute(question.replace("\\%", "%"), (values,))
            return [value for (value,) in cursor.fetchall()]

    yield normalised
    connection.close()


@example(["0\u034f0"])
@given(st.lists(TEXT, min_size=1, max_size=30))
def test_sql_and_python_normalise_alike(in_sql, values):
    assert in_sql(values) == [normalise(value) for value in values]
