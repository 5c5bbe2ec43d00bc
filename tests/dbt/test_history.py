"""Values that the EHR held before: snapshots keep them, dictionaries and records go on holding them."""

from contextlib import closing

import psycopg2
import pytest

from deid_tasks.engine.explanation import TermSource, phrases_of
from deid_tasks.hospital.layouts import load
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.dictionaries import read_term_sources
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.patient_records import refresh_records
from deid_tasks.platform.warehouse.patients import read_patients
from deid_tasks.platform.warehouse.record_digests import read_record_digests
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from tests.conftest import fresh_database
from tests.dbt.conftest import Dbt, settings
from tests.support.small_hospital import hospital, notes

TABLES = (
    *("patient_name", "patient_identifier", "patient_contact", "patient_address", "patient_relation"),
    *("provider", "facility"),
)
RENAME = {
    "omop": "update {i}_ehr.person_name set last_name = 'Quartermain' where person_id = 3",
    "clarity": "update {i}_ehr.patient set pat_name = 'Quartermain,Will Ray' where pat_id = 'P000003'",
}
RENAME_AGAIN = {layout: statement.replace("Quartermain", "Ellingsworth") for layout, statement in RENAME.items()}
MOVE = {
    "omop": "update {i}_ehr.location set address_1 = '9 Larkspur Ct' where location_id ="
    " (select location_id from {i}_ehr.person where person_id = 1)",
    "clarity": "update {i}_ehr.pat_address set address = '9 Larkspur Ct' where pat_id = 'P000001'",
}
NEW_NUMBERS = {
    "omop": "update {i}_ehr.person_identifier set identifier_value = 'RH7777777'"
    " where person_id = 1 and identifier_type = 'mrn';"
    " update {i}_ehr.person_contact set contact_value = '617-555-0999'"
    " where person_id = 1 and contact_value = '(617) 555-0101'",
    "clarity": "update {i}_ehr.identity_id set identity_id = 'RH7777777'"
    " where pat_id = 'P000001' and identity_id = 'RH0000001';"
    " update {i}_ehr.patient set home_phone = '617-555-0999' where pat_id = 'P000001'",
}
PROVIDER_LEAVES = {
    "omop": "delete from {i}_ehr.provider_identity where provider_id ="
    " (select provider_id from {i}_ehr.provider where provider_source_value = 'D001')",
    "clarity": "delete from {i}_ehr.clarity_ser where prov_id = 'D001'",
}
FACILITY_IS_RENAMED = {
    "omop": "update {i}_ehr.care_site set care_site_name = 'Marrowgate Clinic' where care_site_source_value = 'F01'",
    "clarity": "update {i}_ehr.clarity_loc set loc_name = 'Marrowgate Clinic' where loc_id = 'F01'",
}
RENAME_FORMER = {
    "omop": "update {i}_ehr.person_name set last_name = 'Thistlewood' where person_id = 4",
    "clarity": "update {i}_ehr.patient set pat_name = 'Thistlewood,D''Andre T' where pat_id = 'P000004'",
}
MERGE = {
    "omop": "insert into {i}_ehr.person_merge values (4, 2, '2024-02-01')",
    "clarity": "insert into {i}_ehr.pat_merge_history values ('P000004', 'P000002', '2024-02-01')",
}
UNDO_MERGE = {"omop": "delete from {i}_ehr.person_merge", "clarity": "delete from {i}_ehr.pat_merge_history"}
PATIENT_LEAVES = {
    "omop": "delete from {i}_ehr.person where person_id = 5",
    "clarity": "delete from {i}_ehr.patient where pat_id = 'P000005';"
    " delete from {i}_ehr.identity_id where pat_id = 'P000005';"
    " delete from {i}_ehr.other_communctn where pat_id = 'P000005';"
    " delete from {i}_ehr.hsp_account where pat_id = 'P000005'",
}


@pytest.fixture(scope="module", params=["omop", "clarity"])
def dbt(postgres, tmp_path_factory, request) -> Dbt:
    """An institution whose dictionaries were built once from nothing, by one command."""
    uri = fresh_database(postgres)
    with closing(psycopg2.connect(uri)) as connection:
        load(connection, hospital("riverside"), notes(), "riverside_ehr", request.param)
    upgrade_schemas(uri, settings())
    made = Dbt(uri, "riverside", request.param, tmp_path_factory.mktemp("history"))
    build(made, "+path:models/dictionaries", "path:models/history")
    return made


def build(dbt: Dbt, *select: str) -> None:
    result = dbt.run("build", "--exclude-resource-type", "test", "unit_test", "--select", *select)
    assert result.returncode == 0, result.stdout


def take_snapshots(dbt: Dbt) -> None:
    build(dbt, "path:snapshots", "patient_history_sum")


def change(dbt: Dbt, statements: dict[str, str]) -> None:
    with psycopg2.connect(dbt.uri) as connection, connection.cursor() as cursor:
        cursor.execute(statements[dbt.layout].replace("{i}", dbt.institution))
        assert cursor.rowcount > 0


def merge(dbt: Dbt, statements: dict[str, str]) -> None:
    change(dbt, statements)
    with connect(dbt.uri) as connection:
        assert refresh_merges(connection, settings())


def own_terms(dbt: Dbt, patient_id: str) -> dict[tuple[str, str], str]:
    """The source of each kind and term."""
    rows = dbt.rows(
        f"select kind, normalised, source from {{i}}_dictionaries.dict_patient where patient_id = '{patient_id}'"
    )
    return {(kind, term): source for kind, term, source in rows}


def shared_terms(dbt: Dbt, table: str) -> dict[tuple[str, str], str]:
    rows = dbt.rows(f"select kind, normalised, source from {{i}}_dictionaries.{table}")
    return {(kind, term): source for kind, term, source in rows}


def record(dbt: Dbt, patient_id: str) -> tuple[set[tuple[str, str]], str | None]:
    """The terms that a run reads of a patient, and the digest by which it tells that they changed."""
    with connect(dbt.uri) as connection:
        found = read_patients(connection, settings(), [patient_id])
        digest = read_record_digests(connection, settings(), 7, [patient_id]).get(patient_id)
    return {(term.kind, term.term) for one in found.values() for term in one.terms}, digest


def renewed(dbt: Dbt) -> int:
    """Bring all digests up to date; return how many patients had other values than last time."""
    with connect(dbt.uri) as connection:
        number = refresh_records(connection, settings(), 7)
        patients = [patient for (patient,) in dbt.rows("select patient_id from {i}_staging.stg_patient")]
        exact = read_record_digests(connection, settings(), 7, patients)
    held = dict(dbt.rows("select patient_id, digest from {i}_results.patient_record"))
    assert {patient: digest for patient, digest in held.items() if digest} == exact
    return number


def history(dbt: Dbt) -> dict[str, list[tuple]]:
    return {table: sorted(dbt.rows(f"select * from {{i}}_history.{table}_history"), key=repr) for table in TABLES}


def test_the_first_build_knows_everything_and_nothing_as_former(dbt):
    for table in TABLES:
        [(rows, former)] = dbt.rows(
            f"select count(*), count(*) filter (where is_former) from {{i}}_history.known_{table}"
        )
        assert rows > 0, table
        assert former == 0, table
    assert not [source for source in shared_terms(dbt, "dict_patient").values() if source.startswith("former")]


def found_sources(dbt: Dbt, text: str, patient_id: str | None = None) -> dict[str, TermSource]:
    with connect(dbt.uri) as connection:
        return {one.kind: one for one in read_term_sources(connection, settings(), phrases_of([text]), patient_id)}


def test_a_term_is_found_with_its_model_its_version_and_since_when_it_is_known(dbt):
    found = found_sources(dbt, "seen by Dr. OKAFOR, Emeka", "P000002")
    [(version, since)] = dbt.rows(
        "select d.version, min(h.dbt_valid_from)::date from {i}_dictionaries.dict_provider as d,"
        " {i}_history.provider_history as h where h.last_name = 'Okafor' group by d.version"
    )
    assert found["provider.last"] == TermSource("provider.last", "okafor", "stg_provider", version, since)
    assert str(found["provider.last"]) == f"provider.last: stg_provider since {since}, version {version[:12]}"
    assert "okafor" not in repr(found["provider.last"])
    assert found_sources(dbt, "Crohn's disease")["medical.disease"].first_seen is None


def test_a_patients_own_terms_are_found_for_that_patient_alone(dbt):
    own = found_sources(dbt, "Mrs. de la Cruz", "P000002")["patient.last"]
    assert (own.source, own.version) == ("stg_patient_name", "")
    assert own.first_seen is not None
    assert not [kind for kind in found_sources(dbt, "Mrs. de la Cruz", "P000001") if kind.startswith("patient.")]
    assert not [kind for kind in found_sources(dbt, "Mrs. de la Cruz") if kind.startswith("patient.")]


def test_a_former_name_is_known_at_once_and_its_record_changes_once(dbt):
    before, digest = record(dbt, "P000003")
    assert renewed(dbt) == len(dbt.rows("select from {i}_staging.stg_patient"))
    assert renewed(dbt) == 0
    change(dbt, RENAME)
    after, changed = record(dbt, "P000003")
    assert renewed(dbt) == 1
    assert after - before == {("last", "Quartermain")}
    assert before <= after
    assert changed != digest
    sources = own_terms(dbt, "P000003")
    assert sources[("last", "young")] == "former names"
    assert sources[("last", "quartermain")] == "stg_patient_name"
    # The first name is in the former row as well.
    assert sources[("first", "will")] == "stg_patient_name"
    take_snapshots(dbt)
    assert record(dbt, "P000003") == (after, changed)
    assert (renewed(dbt), renewed(dbt)) == (1, 0)
    assert own_terms(dbt, "P000003") == sources
    held = "select last_name, dbt_valid_to is null from {i}_history.patient_name_history where patient_id = 'P000003'"
    assert set(dbt.rows(held)) == {("Young", False), ("Quartermain", True)}


def test_every_former_name_stays_and_one_that_comes_back_is_of_now(dbt):
    change(dbt, RENAME_AGAIN)
    take_snapshots(dbt)
    three = {name for kind, name in own_terms(dbt, "P000003") if kind == "last"}
    assert three == {"young", "quartermain", "ellingsworth"}
    _, digest = record(dbt, "P000003")
    change(dbt, RENAME)
    sources = own_terms(dbt, "P000003")
    assert sources[("last", "quartermain")] == "stg_patient_name"
    assert sources[("last", "ellingsworth")] == "former names"
    # The record holds the same values as before: no note is read again.
    assert record(dbt, "P000003")[1] == digest


def test_former_addresses_and_numbers_identify_too(dbt):
    for statements in (MOVE, NEW_NUMBERS):
        change(dbt, statements)
    sources = own_terms(dbt, "P000001")
    assert sources[("street", "1 birchwood hill rd")] == "former addresses"
    assert sources[("mrn", "rh0000001")] == "former identifiers"
    assert sources[("phone", "617 555 0101")] == "former contacts"
    assert {("street", "9 larkspur ct"), ("mrn", "rh7777777"), ("phone", "617 555 0999")} <= set(sources)


def test_shared_dictionaries_hold_what_has_left(dbt):
    for statements in (PROVIDER_LEAVES, FACILITY_IS_RENAMED, RENAME_FORMER):
        change(dbt, statements)
    records = [record(dbt, patient) for patient in ("P000001", "P000003", "P000004")]
    build(dbt, "path:snapshots", "path:models/history", "path:models/dictionaries")
    assert [record(dbt, patient) for patient in ("P000001", "P000003", "P000004")] == records
    providers = shared_terms(dbt, "dict_provider")
    assert providers[("last", "okafor")] == providers[("full", "chidi okafor")] == "former providers"
    assert providers[("full", "grace lee may")] == "stg_provider"
    names = shared_terms(dbt, "dict_patient_name")
    assert names[("full", "will young")] == "former names"
    assert names[("last", "quartermain")] == "stg_patient_name"
    facilities = shared_terms(dbt, "dict_facility")
    assert facilities[("name", "birchwood general hospital")] == "former facilities"
    assert facilities[("name", "marrowgate clinic")] == "stg_facility"
    assert shared_terms(dbt, "dict_address")[("street", "1 birchwood hill rd")] == "former addresses"
    medical = {term for _, term in shared_terms(dbt, "dict_medical")}
    assert not medical & {"okafor", "young", "quartermain", "larkspur"}
    words = {word for (word,) in dbt.rows("select phrase from {i}_dictionaries.institution_words")}
    assert {"okafor", "young", "birchwood general hospital"} <= words


def test_former_names_of_a_merged_patient_are_the_survivor_s_and_a_merge_is_no_history(dbt):
    before, own, survivors = history(dbt), own_terms(dbt, "P000004"), own_terms(dbt, "P000002")
    assert own[("last", "king jr")] == "former names"
    merge(dbt, MERGE)
    take_snapshots(dbt)
    assert history(dbt) == before
    assert own_terms(dbt, "P000004") == {}
    merged = own_terms(dbt, "P000002")
    assert set(merged) == set(own) | set(survivors)
    assert merged[("last", "king jr")] == "former names"
    renewed(dbt)
    merge(dbt, UNDO_MERGE)
    assert renewed(dbt) >= 2
    assert own_terms(dbt, "P000004") == own
    assert own_terms(dbt, "P000002") == survivors


def test_a_patient_who_left_has_no_record(dbt):
    assert own_terms(dbt, "P000005")
    change(dbt, PATIENT_LEAVES)
    assert renewed(dbt) > 0
    build(dbt, "path:snapshots", "dict_patient_name")
    ended = "select dbt_valid_to is not null from {i}_history.patient_name_history where patient_id = 'P000005'"
    assert dbt.rows(ended) == [(True,)]
    assert record(dbt, "P000005")[0] == set()
    former = {key for key, source in own_terms(dbt, "P000005").items() if source.startswith("former")}
    assert former == set()
    assert not [term for _, term in shared_terms(dbt, "dict_patient_name") if "nguyen" in term]


def test_a_lookup_by_patient_uses_indexes(dbt):
    with psycopg2.connect(dbt.uri) as connection, connection.cursor() as cursor:
        for table, values in (("name", "'F' || i, null, 'L' || i, null"), ("contact", "'phone', '555-' || i")):
            cursor.execute(
                f"insert into riverside_history.patient_{table}_history select md5(i::text), 'X' || i, {values}, 'x',"
                " now(), now(), null from generate_series(1, 30000) as i"
            )
            cursor.execute(f"analyze riverside_history.patient_{table}_history")
        cursor.execute(
            "explain select * from riverside_dictionaries.dict_patient where patient_id = any(%s)",
            ([f"X{number}" for number in range(1, 12_000, 100)],),
        )
        plan = "\n".join(line for (line,) in cursor.fetchall())
        connection.rollback()
    for table in ("name", "contact"):
        assert f"Seq Scan on patient_{table}_history" not in plan
