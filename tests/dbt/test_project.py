import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg2
import pytest

from deid_tasks.hospital.layouts import load
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from tests.support.small_hospital import PATIENTS, PROVIDERS, hospital, notes

PHI = {"none", "quasi", "direct"}
RESULTS = ("run", "note_outcome", "evaluation", "certificate", "audit_finding")


@pytest.fixture
def manifest(warehouse) -> dict:
    return json.loads((warehouse.target / "manifest.json").read_text())


def test_every_column_says_whether_it_is_phi(warehouse, manifest):
    described = {
        n["relation_name"].replace('"', ""): n["columns"]
        for n in [*manifest["nodes"].values(), *manifest["sources"].values()]
        if n.get("relation_name")
    }
    silent = [
        (name, c["name"])
        for name, columns in described.items()
        for c in columns.values()
        if c["config"]["meta"].get("phi") not in PHI
    ]
    assert silent == []
    real = warehouse.rows(
        "SELECT table_catalog || '.' || table_schema || '.' || table_name, column_name FROM information_schema.columns "
        "WHERE table_schema IN ('{i}_staging', '{i}_history', '{i}_dictionaries', '{i}_quality', '{i}_gold', '{i}_results')"
    )
    assert len(real) > 200
    assert [(table, column) for table, column in real if column not in described.get(table, {})] == []


def test_sources_describe_the_tables_as_they_are(warehouse, manifest):
    described = {s["relation_name"].replace('"', ""): list(s["columns"]) for s in manifest["sources"].values()}
    real: dict[str, list[str]] = {}
    for table, column in warehouse.rows(
        "SELECT table_catalog || '.' || table_schema || '.' || table_name, column_name FROM information_schema.columns "
        "WHERE table_schema IN ('{i}_ehr', '{i}_gold', '{i}_results') ORDER BY ordinal_position"
    ):
        real.setdefault(table, []).append(column)
    assert described == {table: columns for table, columns in real.items() if table in described}


def test_patients_columns_are_marked_direct(manifest):
    for name in ("dict_patient", "dict_patient_name", "stg_patient_name", "stg_note"):
        columns = manifest["nodes"][f"model.palimpsest.{name}"]["columns"]
        marked = {column["name"] for column in columns.values() if column["config"]["meta"]["phi"] == "direct"}
        assert marked & {"term", "last_name", "note_text"}, name


def test_contracts_and_failures(manifest):
    models = [n for n in manifest["nodes"].values() if n["resource_type"] == "model"]
    published = [n for n in models if n["path"].startswith(("dictionaries/", "history/known_", "staging/stg_"))]
    assert len(published) == 12 + 7 + 11
    assert [n["name"] for n in published if not n["contract"]["enforced"]] == []
    tests = [n for n in manifest["nodes"].values() if n["resource_type"] == "test"]
    assert tests
    assert [n["name"] for n in tests if n["config"]["store_failures"] is not False] == []
    assert len(manifest["unit_tests"]) >= 6


def test_nothing_of_a_patient_is_in_target_or_logs(warehouse):
    planted = (
        [p.person.last for p in PATIENTS if len(p.person.last) > 5]
        + [p.mrn for p in PATIENTS]
        + [p.ssn for p in PATIENTS if p.ssn]
    )
    planted += [p.person.last for p in PROVIDERS if p.person.last != "May"]
    files = [path for path in warehouse.folder.rglob("*") if path.is_file()]
    assert {"manifest.json", "run_results.json", "dbt.log"} <= {path.name for path in files}
    for path in files:
        content = path.read_bytes().decode(errors="replace")
        assert [index for index, value in enumerate(planted) if value in content] == [], path.name


def test_building_again_changes_nothing(warehouses):
    warehouse = warehouses["clarity"]
    question = "SELECT min(version) FROM {i}_dictionaries.dict_patient_name UNION ALL SELECT min(version) FROM {i}_dictionaries.dict_medical"
    before = warehouse.rows(question)
    result = warehouse.run("run", "--select", "dict_patient_name", "dict_medical")
    assert result.returncode == 0, result.stdout
    assert warehouse.rows(question) == before


def test_freshness_is_measured(warehouses):
    # The CDM was released today; the newest note of Clarity is of 2024.
    for layout, hours, status in (("omop", 100, "pass"), ("clarity", 100, "error"), ("clarity", 1_000_000, "pass")):
        warehouse = warehouses[layout]
        result = warehouse.run("source", "freshness", freshness_warn_hours=hours, freshness_error_hours=hours)
        assert result.returncode == (0 if status == "pass" else 1), result.stdout
        measured = json.loads((warehouse.target / "sources.json").read_text())["results"]
        assert [r["status"] for r in measured] == [status]


@pytest.mark.parametrize(
    "view",
    [
        "quality_runs",
        "quality_outcomes",
        "quality_errors",
        "quality_scores",
        "quality_certificates",
        "quality_audit_findings",
    ],
)
def test_quality_is_empty_before_the_first_run(warehouse, view):
    assert warehouse.rows(f"SELECT count(*) FROM {{i}}_quality.{view}") == [(0,)]


def test_quality_shows_results(warehouses):
    warehouse = warehouses["omop"]
    with psycopg2.connect(warehouse.uri) as connection, connection.cursor() as cursor:
        cursor.execute("SET search_path TO riverside_results")
        cursor.execute("""
            INSERT INTO run VALUES
                ('r1', 'riverside', '2024-01-01', '2024-01-02', 'f', 'c1', 10, 7, 2, 1, 900, 2.5, now()),
                ('r2', 'riverside', '2024-01-02', '2024-01-03', 'f', 'c1', 10, 7, 2, 0, 900, 0, now());
            INSERT INTO note_outcome VALUES
                ('r1', 'n1', 'published', '', 'f', 100, 5, 1.5, null, null),
                ('r1', 'n2', 'published', '', 'f', 50, 1, 0.5, null, null),
                ('r1', 'n3', 'quarantined', 'engine_error', 'f', 0, 0, 0, 'ValueError', 'detect.dates:read:7');
            INSERT INTO certificate VALUES
                ('c0', 'f', 'g', 'failed', '{}', '2024-01-01'), ('c1', 'f', 'g', 'passed', '{}', '2024-01-02');
            INSERT INTO evaluation VALUES
                ('e1', 'f', 'g', 's', 'full', 'word', '', 'recall', 'all', .98, .97, .99, 98, 1, 2, '2024-01-01'),
                ('e2', 'f', 'g', 's', 'full', 'word', '', 'recall', 'all', .99, .98, 1, 99, 1, 1, '2024-01-02');
            INSERT INTO audit_finding VALUES ('r1', 'n1', 'last', 3, 8), ('r1', 'n1', 'mrn', 9, 12), ('r1', 'n2', 'last', 0, 4);
        """)
        try:
            connection.commit()
            shown = warehouse.rows
            assert shown("SELECT run_id, is_reconciled, quarantined_share, notes_per_second FROM {i}_quality.quality_runs ORDER BY 1") == [
                ("r1", True, 0.1, 4.0), ("r2", False, 0.0, None),
            ]  # fmt: skip
            assert shown("SELECT outcome, notes, words, spans FROM {i}_quality.quality_outcomes ORDER BY 1") == [
                ("published", 2, 150, 6), ("quarantined", 1, 0, 0),
            ]  # fmt: skip
            assert shown("SELECT * FROM {i}_quality.quality_errors") == [
                ("r1", "engine_error", "ValueError", "detect.dates:read:7", 1)
            ]
            assert shown("SELECT value, lower FROM {i}_quality.quality_scores") == [(0.99, 0.98)]
            assert shown("SELECT certificate_id, is_current, runs FROM {i}_quality.quality_certificates ORDER BY 1") == [
                ("c0", False, 0), ("c1", True, 2),
            ]  # fmt: skip
            assert shown("SELECT kind, findings, notes FROM {i}_quality.quality_audit_findings ORDER BY 1") == [
                ("last", 2, 2),
                ("mrn", 1, 1),
            ]
            cursor.execute(
                "INSERT INTO riverside_gold.gold_span SELECT gold_version, 'N0002', 1, 4000, 'DATE' FROM riverside_gold.gold_set"
            )
            connection.commit()
            broken = warehouse.run("test", "--select", "quality_runs", "source:gold")
            failed = set(re.findall(r"Failure in test (\w+)", broken.stdout))
            assert len(failed) == 2, "a run that does not reconcile, and a span outside its text"
            assert {name.split("_is_reconciled")[0] for name in failed} > {"accepted_values_quality_runs"}
        finally:
            cursor.execute("DELETE FROM riverside_gold.gold_span WHERE end_offset = 4000")
            cursor.execute(f"TRUNCATE {', '.join(RESULTS)}")


def test_gold_is_shown_where_there_is_one(warehouses):
    question = "SELECT entity, spans FROM {i}_quality.quality_gold ORDER BY 1"
    assert warehouses["omop"].rows(question) == [("DATE", 1), ("PATIENT", 1), ("PROVIDER", 1)]
    assert warehouses["clarity"].rows(question) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"layout": None}, "'layout' not found"),
        ({"layout": "cerner"}, "stg_cerner__"),
    ],
)
def test_wrong_variables_are_said(warehouses, change, said):
    result = warehouses["omop"].run("parse", "--no-partial-parse", **change)
    assert result.returncode != 0
    assert said in result.stdout


def test_two_processes_on_a_new_database_and_a_missing_table(warehouses, riverside, database, tmp_path_factory):
    connection = psycopg2.connect(database)
    load(connection, hospital(), notes(), "riverside_ehr", "omop")
    connection.cursor().execute("DROP TABLE riverside_ehr.person_contact")
    connection.commit()
    connection.close()
    upgrade_schemas(database, riverside)
    racers = [replace(warehouses["omop"], uri=database, folder=tmp_path_factory.mktemp("race")) for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        whole = pool.submit(racers[0].run, "run", "--select", "quality_runs", "stg_omop__patient")
        lacking = pool.submit(racers[1].run, "run", "--select", "quality_outcomes", "+stg_patient_contact")
    assert whole.result().returncode == 0, whole.result().stdout
    assert lacking.result().returncode == 1
    assert 'relation "riverside_ehr.person_contact" does not exist' in lacking.result().stdout


def test_a_view_is_replaced_without_the_views_that_read_it(warehouses):
    warehouse = warehouses["omop"]
    question = "SELECT '{i}_dictionaries.dict_patient'::regclass::oid, '{i}_staging.stg_patient_name'::regclass::oid"
    before = warehouse.rows(question)
    assert warehouse.run("run", "--select", "stg_patient_name").returncode == 0
    assert warehouse.rows(question) == before


def test_a_view_with_other_columns_is_replaced_all_the_same(warehouses):
    warehouse = warehouses["omop"]
    with psycopg2.connect(warehouse.uri) as connection:
        connection.cursor().execute(
            "DROP VIEW riverside_quality.quality_errors; CREATE VIEW riverside_quality.quality_errors AS SELECT 1 AS x"
        )
    assert warehouse.run("run", "--select", "quality_errors").returncode == 0
    assert len(warehouse.rows("SELECT count(error_location) FROM {i}_quality.quality_errors")) == 1
