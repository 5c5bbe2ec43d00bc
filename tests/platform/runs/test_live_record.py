"""A patient whom the EHR changes after the dictionaries were built: the record is read when the note is."""

import datetime

import pytest

from deid_tasks.core.errors import GateError
from deid_tasks.platform import runs
from deid_tasks.platform.warehouse import connect, read_patients
from tests.support.dbt_models import build_models
from tests.support.published_days import follow_changes, published, release, texts, with_settings

START = datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)
NOTE = "comfort stillwater seen in follow up, stillwater rested well. bruce protocol tolerated."
_PATIENT = "NEW-1"

_REGISTER = """
insert into riverside_ehr.person (person_id, gender_concept_id, year_of_birth, race_concept_id, ethnicity_concept_id,
    person_source_value)
    values (990001, 8532, 1950, 0, 0, 'NEW-1');
insert into riverside_ehr.note (note_id, person_id, note_date, note_datetime, note_type_concept_id,
    note_class_concept_id, note_title, note_text, encoding_concept_id, language_concept_id, note_source_value)
    select 990001, 990001, '2024-05-01', '2024-05-01 10:00', 0, 0, 'nursing', '{text}', 0, 0, 'NOTE-NEW-1';
"""
_NAME = """
insert into riverside_ehr.person_name (person_id, name_use, first_name, last_name, preferred_name, valid_from)
    values (990001, 'official', 'Comfort', 'Stillwater', 'Comfy', '2024-05-01');
"""
_RENAME = "update riverside_ehr.person_name set last_name = 'Okonjo' where person_id = 990001"
_REMOVE = """
delete from riverside_ehr.note where person_id = 990001;
delete from riverside_ehr.person_name where person_id = 990001;
delete from riverside_ehr.person where person_id = 990001;
"""


@pytest.fixture(scope="module", autouse=True)
def certified(site):
    return runs.evaluate_and_certify(site.settings, site.secrets)


@pytest.fixture
def registered(site):
    """A patient without a name, and her note, written after the dictionaries were built."""
    site.rows(_REGISTER.format(text=NOTE))
    yield
    site.rows(_REMOVE)


def _outcome(site, run_id):
    return site.rows(
        f"select outcome, reason from riverside_results.note_outcome where run_id = '{run_id}'"
        " and note_id = 'NOTE-NEW-1'"
    )


def test_a_patient_registered_after_the_dictionaries_is_found_in_lower_case(site, registered):
    site.rows(_NAME)
    _, released, _ = release(site.settings, site, "live", START)
    assert (released["notes_read"], released["published"]) == (1, 1)
    [text] = [text for text in texts(published(site.settings, site)).values() if "bruce protocol" in text]
    for word in ("comfort", "stillwater"):
        assert word not in text.casefold()
    assert text.endswith("rested well. bruce protocol tolerated.")


def test_without_a_name_or_an_identifier_the_note_is_held_and_counted(site, registered):
    with pytest.raises(GateError, match=r"notes_without_patient_record is 1"):
        release(site.settings, site, "nameless", START)
    assert _outcome(site, "nameless") == [("quarantined", "no_patient_record")]
    counted = "select entity, value from riverside_results.run_count where measure = 'quarantined_notes'"
    assert site.rows(f"{counted} and run_id = 'nameless'") == [("no_patient_record", 1)]
    lenient = with_settings(site, gate={"max_share_without_record": 1.0, "max_quarantined_share": 1.0})
    _, released, publication = release(lenient, site, "nameless", START)
    assert (released["quarantined"], publication["notes"]) == (1, 0)
    site.rows(_NAME)
    _, released, publication = release(site.settings, site, "named", START)
    assert (released["quarantined"], publication["notes"]) == (0, 1)


def test_a_note_type_without_patients_needs_no_record(site, registered):
    settings = with_settings(site, notes={"types_without_patient": ("nursing",)})
    _, released, publication = release(settings, site, "ward", START)
    assert (released["quarantined"], publication["notes"]) == (0, 1)


def test_a_note_without_a_text_is_quarantined(site, registered):
    site.rows(_NAME + "alter table riverside_ehr.note alter note_text drop not null;")
    site.rows("update riverside_ehr.note set note_text = null where person_id = 990001")
    lenient = with_settings(site, gate={"max_quarantined_share": 1.0})
    try:
        _, released, publication = release(lenient, site, "textless", START)
        assert (released["quarantined"], publication["notes"]) == (1, 0)
        assert _outcome(site, "textless") == [("quarantined", "not_text")]
    finally:
        site.rows(_REMOVE + "alter table riverside_ehr.note alter note_text set not null;")


def test_a_changed_name_is_read_at_once_and_the_view_is_asked_by_patient(site, registered):
    site.rows(_NAME)
    with connect(site.uri) as connection:
        before = read_patients(connection, site.settings, [_PATIENT])[_PATIENT]
        site.rows(_RENAME)
        after = read_patients(connection, site.settings, [_PATIENT])[_PATIENT]
    assert {term.term for term in after.terms} - {term.term for term in before.terms} == {"Okonjo"}


def test_a_former_name_is_found_in_lower_case(site, registered, tmp_path):
    site.rows(_NAME)
    build_models(site.uri, "riverside", "omop", tmp_path, "path:snapshots")
    with connect(site.uri) as connection:
        before = read_patients(connection, site.settings, [_PATIENT])[_PATIENT]
        site.rows(_RENAME)
        after = read_patients(connection, site.settings, [_PATIENT])[_PATIENT]
    assert {term.term for term in after.terms} == {term.term for term in before.terms} | {"Okonjo"}
    _, released, _ = release(site.settings, site, "renamed", START)
    assert (released["notes_read"], released["published"]) == (1, 1)
    [text] = [text for text in texts(published(site.settings, site)).values() if "bruce protocol" in text]
    for word in ("comfort", "stillwater"):
        assert word not in text.casefold()


def test_a_name_change_and_the_snapshot_after_it_cause_one_reading(site, registered, tmp_path):
    site.rows(_NAME)
    build_models(site.uri, "riverside", "omop", tmp_path, "path:snapshots")
    release(site.settings, site, "named_first", START)
    site.rows(_RENAME)
    plan, _ = follow_changes(site.settings, site, "renamed_then")
    assert plan["causes"] == {"record": 1}
    build_models(site.uri, "riverside", "omop", tmp_path, "path:snapshots")
    plan, _ = follow_changes(site.settings, site, "snapshot_then")
    assert not plan["causes"]
