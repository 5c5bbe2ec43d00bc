"""Structured tables beside the notes: the same people get the same surrogates, and undeclared columns stay out."""

import datetime
import re
from pathlib import Path

import pytest
import yaml

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.core.versions import newest_version
from deid_tasks.engine.obfuscate import KnownPeople, Obfuscator
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.publish.catalog import open_catalog
from deid_tasks.platform.runs import structured_tables
from deid_tasks.platform.warehouse import connect, read_patients
from tests.support.published_days import START, release, with_settings

TABLES = (
    "patients", "patient_names", "patient_identifiers", "patient_contacts", "patient_addresses", "patient_relations",
    "encounters", "providers", "facilities",
)  # fmt: skip
CONTRACT = Path(__file__).parents[3] / "dbt" / "models" / "staging" / "models.yml"
TODAY = datetime.date(2024, 1, 5)


def settings_of(site, **publish):
    return with_settings(site, publish={"table": "structured.notes", "tables": TABLES} | publish)


@pytest.fixture(scope="module")
def extract(site):
    """Rows of a day's notes and of the tables, by name."""
    settings = settings_of(site)
    # Evaluated again, because an earlier test may have left a certificate that failed under stricter bounds.
    runs.evaluate_and_certify(settings, site.secrets)
    release(settings, site, "extract")
    said = runs.publish_tables(settings, site.secrets, "extract", CONTRACT, TODAY)
    assert said["is_unchanged"] is False
    found = {name: rows(settings, site, name) for name in TABLES}
    assert said["tables"] == {name: len(table) for name, table in found.items()}
    return found | {"notes": open_table(settings, site.secrets).scan().to_arrow().to_pylist()}


def rows(settings, site, name):
    return open_catalog(settings, site.secrets).load_table(f"structured.{name}").scan().to_arrow().to_pylist()


def obfuscator(site):
    s = site.settings
    return Obfuscator(site.secrets.key("riverside_key"), s.institution, s.policy, s.obfuscate)


def test_every_row_of_the_warehouse_is_there(site, extract):
    for name in TABLES:
        model = {"addresses": "address", "facilities": "facility"}.get(name.split("_")[-1])
        stem = "_".join([*name.split("_")[:-1], model]) if model else name.removesuffix("s")
        [(count,)] = site.rows(f"select count(*) from riverside_staging.stg_{stem}")
        assert len(extract[name]) == count > 0, name
    counted = site.rows(
        "select table_name, rows_read, published, withheld from riverside_results.published_table"
        " where run_id = 'extract'"
    )
    assert {(name, len(extract[name]), len(extract[name]), 0) for name in TABLES} == set(counted)


def test_notes_and_tables_are_joined_by_their_keys(extract):
    patients = {row["patient_key"] for row in extract["patients"]}
    authors = {row["author_key"] for row in extract["providers"]}
    assert {note["patient_key"] for note in extract["notes"]} <= patients
    assert {note["author_key"] for note in extract["notes"]} <= authors
    for name in TABLES:
        if "patient_key" in extract[name][0]:
            assert {row["patient_key"] for row in extract[name]} <= patients
    facilities = {row["facility_key"] for row in extract["facilities"]}
    assert {row["facility_key"] for row in extract["encounters"]} - {None} <= facilities


def test_names_in_tables_are_those_in_notes(site, extract):
    """The surrogate of a patient's name is the same in the notes and in the patient's row."""
    names = {row["patient_key"]: row for row in extract["patient_names"]}
    hide = obfuscator(site)
    agreed = 0
    texts = {note["note_key"]: note for note in extract["notes"]}
    for note in site.notes:
        published = texts.get(hide.pseudonym("note", note.note_id))
        patient = next(p for p in site.hospital.patients if p.patient_id == note.patient_id)
        full = f"{patient.person.first} {patient.person.last}"
        if published is None or full not in note.text or patient.previous_last:
            continue
        row = names[hide.pseudonym("patient", note.patient_id)]
        agreed += f"{row['first_name']} {row['last_name']}" in published["text"]
    assert agreed >= 5


def test_nothing_of_a_patient_stands_in_the_patients_rows(site, extract):
    hide = obfuscator(site)
    for patient in site.hospital.patients:
        key = hide.pseudonym("patient", patient.patient_id)
        mine = [row for name in TABLES for row in extract[name] if row.get("patient_key") == key]
        shown = "\n".join(str(value) for row in mine for value in row.values())
        for value in (patient.patient_id, patient.mrn, patient.ssn, patient.email, patient.phone, patient.person.last):
            assert not re.search(rf"\b{re.escape(value)}\b", shown), "a value of the patient's own"


def test_dates_move_as_in_the_patients_notes(site, extract):
    hide = obfuscator(site)
    born = {row["patient_key"]: row["birth_date"] for row in extract["patients"]}
    old = 0
    for patient in site.hospital.patients:
        shift = datetime.timedelta(days=hide.shift_days(patient.patient_id))
        published = born[hide.pseudonym("patient", patient.patient_id)]
        age = (
            TODAY.year
            - patient.birth_date.year
            - ((TODAY.month, TODAY.day) < (patient.birth_date.month, patient.birth_date.day))
        )
        old += age > 89
        assert published == (None if age > 89 else patient.birth_date + shift)
    assert old < len(born)
    visits = {(row["patient_key"], row["started_on"]) for row in extract["encounters"]}
    assert {(note["patient_key"], note["note_datetime"].date()) for note in extract["notes"]} <= visits


def test_city_and_zip_of_a_row_are_one_place(extract):
    from deid_tasks.core.reference import fold, read_tsv

    places = {(fold(row["city"]), row["zip"][:5]) for row in read_tsv("places.tsv")}
    found = [(fold(row["city"]), row["zip"][:5]) for row in extract["patient_addresses"] if row["city"] and row["zip"]]
    assert sum(place in places for place in found) > 0.9 * len(found)


def test_rows_stand_in_the_order_of_their_pseudonyms(extract):
    for name in ("patients", "patient_names", "encounters"):
        keys = [row["patient_key"] for row in extract[name]]
        assert name == "encounters" or keys == sorted(keys)
    visits = [row["encounter_key"] for row in extract["encounters"]]
    assert visits == sorted(visits)


def test_what_has_not_changed_is_not_published_again(site, extract):
    settings = settings_of(site)
    before = open_catalog(settings, site.secrets).load_table("structured.patients").metadata.last_sequence_number
    assert runs.publish_tables(settings, site.secrets, "twice", CONTRACT, TODAY)["is_unchanged"] is True
    birthday = datetime.date(2124, 1, 5)
    assert runs.publish_tables(settings, site.secrets, "later", CONTRACT, birthday)["is_unchanged"] is False
    assert {row["birth_date"] for row in rows(settings, site, "patients")} == {None}
    runs.publish_tables(settings, site.secrets, "back", CONTRACT, TODAY)
    assert rows(settings, site, "patients") == extract["patients"]
    after = open_catalog(settings, site.secrets).load_table("structured.patients").metadata.last_sequence_number
    assert after > before


def test_the_files_of_the_run_may_be_deleted_meanwhile(site, extract, monkeypatch):
    settings = settings_of(site)
    replace_rows = structured_tables.replace_rows

    def replace_after_clean_up(*arguments):
        runs.delete_run_files(settings, site.secrets, "meanwhile")
        return replace_rows(*arguments)

    monkeypatch.setattr(structured_tables, "replace_rows", replace_after_clean_up)
    birthday = datetime.date(2123, 1, 5)
    assert runs.publish_tables(settings, site.secrets, "meanwhile", CONTRACT, birthday)["is_unchanged"] is False
    monkeypatch.undo()
    runs.publish_tables(settings, site.secrets, "back again", CONTRACT, TODAY)
    assert rows(settings, site, "patients") == extract["patients"]


def test_an_undeclared_column_is_refused_and_nothing_is_published(site, extract, tmp_path):
    settings = settings_of(site, table="refused.notes")
    document = yaml.safe_load(CONTRACT.read_text())
    [names] = [model for model in document["models"] if model["name"] == "stg_patient_name"]
    [column] = [column for column in names["columns"] if column["name"] == "last_name"]
    del column["config"]["meta"]["deid"]
    silent = tmp_path / "models.yml"
    silent.write_text(yaml.safe_dump(document))
    with pytest.raises(SettingsError, match=r"stg_patient_name\.last_name: no meta\.deid"):
        runs.publish_tables(settings, site.secrets, "silent", silent, TODAY)
    names["columns"].remove(column)
    silent.write_text(yaml.safe_dump(document))
    with pytest.raises(SettingsError, match=r"stg_patient_name\.last_name: no rule"):
        runs.publish_tables(settings, site.secrets, "silent", silent, TODAY)
    assert open_catalog(settings, site.secrets).list_tables("refused") == []


def test_a_row_that_tells_who_the_patient_is_is_withheld_and_many_stop_all(site, extract, tmp_path):
    settings = settings_of(site, table="leaky.notes", tables=("patient_contacts",))
    document = yaml.safe_load(CONTRACT.read_text())
    [contacts] = [model for model in document["models"] if model["name"] == "stg_patient_contact"]
    [column] = [column for column in contacts["columns"] if column["name"] == "value"]
    column["config"]["meta"] = {"phi": "none", "deid": "keep"}
    wrong = tmp_path / "models.yml"
    wrong.write_text(yaml.safe_dump(document))
    with pytest.raises(
        GateError, match=r"patient_contacts: (\d+) of \1 rows hold a value of the patient's own record"
    ) as caught:
        runs.publish_tables(settings, site.secrets, "leaky", wrong, TODAY)
    assert "@" not in str(caught.value)
    lenient = settings.model_copy(update={"gate": settings.gate.model_copy(update={"max_quarantined_share": 1.0})})
    assert runs.publish_tables(lenient, site.secrets, "leaky", wrong, TODAY)["tables"] == {"patient_contacts": 0}


def test_who_is_a_patient_is_known_by_hashes_alone(site):
    folder = Path(site.settings.work_dir) / "people"
    path = folder / newest_version(folder)
    key, institution = site.secrets.key("riverside_key"), site.settings.institution
    known = KnownPeople.open(path, key, institution)
    content = path.read_bytes()
    for patient in site.hospital.patients:
        assert known.holds(patient.patient_id, patient.person.first, patient.person.last, patient.birth_date)
        assert patient.person.last.encode() not in content
    assert not known.holds("nobody", "Xqwen", "Vance", datetime.date(1950, 1, 1))
    runs.compile_dictionaries(site.settings, site.secrets)
    again = KnownPeople.open(folder / newest_version(folder), key, institution)
    assert (again.version, again.generation) == (known.version, 0)


def test_without_tables_nothing_is_done(site):
    assert runs.publish_tables(site.settings, site.secrets, "none", CONTRACT)["tables"] == {}
    with connect(site.uri) as connection:
        assert read_patients(connection, site.settings, [site.hospital.patients[0].patient_id])
    assert START
