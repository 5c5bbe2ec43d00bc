"""Dictionaries after nights of changes are those that a build from nothing would make, row for row."""

from contextlib import closing

import psycopg2
import pytest

from deid_tasks.hospital.layouts import load
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from tests.conftest import fresh_database
from tests.dbt.conftest import Dbt, settings
from tests.support.small_hospital import hospital, notes

TABLES = (
    *("dict_patient", "dict_patient_name", "dict_provider", "dict_facility", "dict_address", "dict_medical"),
    *("institution_words", "harvest_sample", "harvest_vocabulary", "harvested_phrases"),
)
PHRASES = " Steady gait. Chest pain."
FIRST = {
    "omop": f"update riverside_ehr.note set note_text = note_text || '{PHRASES}'",
    "clarity": f"update riverside_ehr.hno_note_text set note_text = note_text || '{PHRASES}' where line = 1",
}
NIGHT = {
    "omop": """
        update riverside_ehr.note set note_text = 'Cough. Cough.', load_datetime = '2024-03-01'
            where note_source_value in ('N0000', 'N0003', 'N0005', 'N0007', 'N0008');
        insert into riverside_ehr.note (note_id, person_id, note_date, note_datetime, note_type_concept_id,
            note_class_concept_id, note_title, note_text, encoding_concept_id, language_concept_id, note_source_value,
            load_datetime)
            select 500 + i, 1 + i % 5, '2024-02-01', '2024-02-01 10:00', 0, 0, 'nursing', 'Steady gait. Rash', 0, 0,
                'X' || i, '2024-02-01' from generate_series(1, 5) as i;
        delete from riverside_ehr.note where note_source_value = 'N0002';
        insert into riverside_ehr.research_exclusion values (1, 2, null, 'vip', '2024-01-01', null);
        insert into riverside_ehr.person (person_id, gender_concept_id, year_of_birth, race_concept_id,
            ethnicity_concept_id, person_source_value) values (77, 8532, 1950, 0, 0, 'P000077');
        insert into riverside_ehr.person_name (person_id, name_use, first_name, last_name)
            values (77, 'official', 'Chest', 'Okonjo');
        delete from riverside_ehr.person where person_id = 5;
        update riverside_ehr.provider_identity set last_name = 'Marrowgate' where user_id = 'cokafor';
    """,
    "clarity": """
        update riverside_ehr.hno_note_text set note_text = 'Cough. Cough.' where line = 1 and note_csn_id in
            (select contact_serial_num from riverside_ehr.note_enc_info where note_id in ('N0000', 'N0003', 'N0005', 'N0007', 'N0008'));
        update riverside_ehr.hno_info set update_date = '2024-03-01' where note_id in ('N0000', 'N0003', 'N0005', 'N0007', 'N0008');
        update riverside_ehr.hno_info set delete_instant_dttm = '2024-03-01' where note_id = 'N0002';
        insert into riverside_ehr.research_exclusion values (1, 'P000002', null, 'vip', '2024-01-01', null);
        insert into riverside_ehr.patient (pat_id, pat_name) values ('P000077', 'Okonjo,Chest');
        delete from riverside_ehr.patient where pat_id = 'P000005';
        update riverside_ehr.clarity_ser set prov_name = 'Marrowgate,Chidi Emeka' where prov_id = 'D001';
    """,
}
LIMITS = {"harvest_patients": 2, "harvest_notes": 8}


@pytest.fixture(scope="module", params=["omop", "clarity"])
def dbt(postgres, tmp_path_factory, request) -> Dbt:
    """An institution whose dictionaries were built once, with phrases that several patients' notes share."""
    uri = fresh_database(postgres)
    with closing(psycopg2.connect(uri)) as connection:
        load(connection, hospital("riverside"), notes(), "riverside_ehr", request.param)
        write(connection, FIRST[request.param])
    upgrade_schemas(uri, settings())
    made = Dbt(uri, "riverside", request.param, tmp_path_factory.mktemp("rebuilds"))
    build(made)
    return made


def write(connection, statements: str) -> None:
    with connection, connection.cursor() as cursor:
        cursor.execute(statements)


def build(dbt: Dbt, *options: str) -> None:
    arguments = ("build", "--exclude-resource-type", "test", "unit_test", "--select", "+path:models/dictionaries")
    result = dbt.run(*arguments, *options, **LIMITS)
    assert result.returncode == 0, result.stdout


def rows(dbt: Dbt) -> dict[str, list[tuple]]:
    return {table: sorted(dbt.rows(f"select * from {{i}}_dictionaries.{table}"), key=repr) for table in TABLES}


def phrases(dbt: Dbt) -> set[str]:
    return {phrase for (phrase,) in dbt.rows("select normalised from {i}_dictionaries.harvested_phrases")}


def sample(dbt: Dbt) -> set[str]:
    return {note for (note,) in dbt.rows("select note_id from {i}_dictionaries.harvest_sample")}


def test_a_night_without_changes_reads_no_text(dbt):
    written = "select normalised, xmin::text from {i}_dictionaries.harvested_phrases order by 1"
    before, held = dbt.rows(written), rows(dbt)
    assert {"steady gait", "chest pain"} <= phrases(dbt)
    build(dbt)
    assert dbt.rows(written) == before
    assert rows(dbt) == held


def test_after_changes_every_row_is_that_of_a_build_from_nothing(dbt):
    before = rows(dbt)
    with closing(psycopg2.connect(dbt.uri)) as connection:
        write(connection, NIGHT[dbt.layout])
    build(dbt)
    after = rows(dbt)
    changed = {table for table in TABLES if before[table] != after[table]}
    assert changed >= {"dict_patient", "dict_patient_name", "dict_provider", "harvest_sample", "harvested_phrases"}
    build(dbt, "--full-refresh")
    assert rows(dbt) == after
    excluded = {note for (note,) in dbt.rows("select note_id from {i}_staging.stg_note where patient_id = 'P000002'")}
    assert excluded
    assert not sample(dbt) & (excluded | {"N0002"})
    # The word is a patient's name now.
    assert "chest pain" not in phrases(dbt)
    assert "cough" in phrases(dbt) - {row[1] for row in before["harvested_phrases"]}


def test_phrases_of_an_earlier_release_are_replaced(dbt):
    before = rows(dbt)
    with closing(psycopg2.connect(dbt.uri)) as connection:
        write(connection, "alter table riverside_dictionaries.harvested_phrases drop column version")
    build(dbt)
    assert rows(dbt) == before
