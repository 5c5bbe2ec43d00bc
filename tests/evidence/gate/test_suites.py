"""The suites pass what is good, say which figure fell short, and give the same figure on a frame and on PostgreSQL."""

import math

import pandas as pd
import psycopg2
import pytest

from deid_tasks.core.errors import GateError
from deid_tasks.evidence.gate import Check, Verdict, check_frame, check_tables, evaluation_checks, run_checks
from deid_tasks.settings import GateSettings

GATE = GateSettings(recall_min=0.98, precision_min=0.9, stratum_recall_min=0.95, max_quarantined_share=0.02)


def score(metric, value, *, stratum="", entity="ALL", upper=1.0, variant="full", sample="random", found=900, missed=10):
    return {
        "evaluation_id": "e", "sample": sample, "variant": variant, "view": "word", "stratum": stratum, "metric": metric,
        "entity": entity, "value": value, "upper": upper, "true_positives": found, "false_negatives": missed,
    }  # fmt: skip


GOOD = {
    "recall": score("recall", 0.99),
    "bound": score("recall_lower_bound", 0.985),
    "precision": score("precision", 0.95),
    "gain": score("dictionary_gain", 0.05),
    "nursing": score("recall", 0.97, stratum="note_type=nursing", upper=0.99),
    "early": score("recall", 0.97, stratum="period=2020", upper=0.99),
    "city": score("recall", 0.97, entity="CITY", upper=0.99),
    # Another view, variant, design or evaluation is none of this suite's business.
    "strict": {**score("recall", 0.1, stratum="note_type=nursing", upper=0.2), "view": "entity:strict"},
    "without": score("precision", 0.1, variant="without_dictionaries"),
    "enriched": score("precision", 0.1, sample="stratified"),
    "earlier": {**score("precision", 0.1), "evaluation_id": "d"},
}


def evaluated(**changes):
    rows = {name: {**row, **changes.get(name, {})} for name, row in GOOD.items() if changes.get(name, {}) is not None}
    return check_frame("evaluation", evaluation_checks(GATE, "e", "random"), pd.DataFrame(rows.values()))


def test_good_figures_pass():
    assert evaluated() == Verdict()


@pytest.mark.parametrize(
    ("changes", "figure"),
    [
        ({"bound": {"value": 0.9799}}, "recall_lower_bound (random) is 0.9799, must be at least 0.98"),
        ({"bound": {"value": math.nan}}, "recall_lower_bound (random) is not known"),
        ({"bound": None}, "recall_lower_bound (random) is not known"),
        ({"precision": {"value": 0.89}}, "precision (random) is 0.8900"),
        ({"recall": {"true_positives": 0, "false_negatives": 0}}, "gold_words (random) is 0"),
        ({"nursing": {"upper": 0.9499}}, "low_note_types (random) is 1, must be at most 0"),
    ],
)
def test_what_falls_short_blocks_and_is_named(changes, figure):
    verdict = evaluated(**changes)
    assert len(verdict.failures) == 1
    assert verdict.failures[0].startswith(figure)


@pytest.mark.parametrize(
    ("changes", "figure"),
    [
        ({"early": {"upper": 0.94}}, "low_periods"),
        ({"city": {"upper": 0.94}}, "low_entities"),
        ({"gain": {"value": -0.01}}, "dictionary_gain"),
    ],
)
def test_a_warning_is_reported_and_does_not_block(changes, figure):
    verdict = evaluated(**changes)
    assert verdict.failures == ()
    assert [warning.split()[0] for warning in verdict.warnings] == [figure]


RUN = {"run_id": "r: '1", "notes_read": 100, "published": 90, "unchanged": 8, "quarantined": 2}


@pytest.fixture(scope="module")
def tables(module_database):
    connection = psycopg2.connect(module_database)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "create schema res; set search_path to res;"
            "create table run (run_id text, notes_read bigint, published bigint, unchanged bigint, quarantined bigint);"
            "create table note_outcome (run_id text, note_id text);"
            "create table audit_finding (run_id text, note_id text, is_published boolean);"
            "create table run_figure (run_id text, is_held boolean)"
        )
    yield module_database, connection
    connection.close()


@pytest.mark.parametrize(
    ("run", "outcomes", "findings", "held", "failed", "warned"),
    [
        ({}, 100, [False], [False], [], []),
        ({"notes_read": 101}, 100, [], [], ["unaccounted_notes", "note_outcomes"], []),
        ({"published": 91}, 100, [], [], ["unaccounted_notes"], []),
        ({"published": 88, "quarantined": 4}, 100, [], [], ["quarantined_share"], []),
        ({}, 99, [], [], ["note_outcomes"], []),
        ({}, 100, [True], [], ["audit_findings"], []),
        ({}, 100, [], [True], [], ["drifted_figures"]),
        (
            {"notes_read": 0, "published": 0, "unchanged": 0, "quarantined": 0}, 0, [], [], [], [],
        ),
    ],
)  # fmt: skip
def test_the_rules_of_a_run_on_postgresql_and_on_frames(tables, run, outcomes, findings, held, failed, warned):
    uri, connection = tables
    row = RUN | run
    other = {**row, "run_id": "other", "published": 0}
    rows = {
        "run": [row, other],
        "note_outcome": [{"run_id": row["run_id"], "note_id": f"n{i}"} for i in range(outcomes)],
        "audit_finding": [{"run_id": row["run_id"], "note_id": "n1", "is_published": value} for value in findings],
        "run_figure": [{"run_id": row["run_id"], "is_held": value} for value in held],
    }
    with connection, connection.cursor() as cursor:
        for table, content in rows.items():
            cursor.execute(f"truncate res.{table}")
            for record in content:
                marks = ", ".join(["%s"] * len(record))
                cursor.execute(f"insert into res.{table} ({', '.join(record)}) values ({marks})", [*record.values()])
    checks = run_checks(GATE, str(row["run_id"]), int(row["notes_read"]))
    over_tables = check_tables("run", uri, "res", checks)
    assert [failure.split()[0] for failure in over_tables.failures] == failed
    assert [warning.split()[0] for warning in over_tables.warnings] == warned
    columns = {"audit_finding": ["run_id", "note_id", "is_published"], "run_figure": ["run_id", "is_held"]}
    columns |= {"run": list(RUN), "note_outcome": ["run_id", "note_id"]}
    over_frames = Verdict()
    for table, asked in checks.items():
        over_frames += check_frame(table, asked, pd.DataFrame(rows[table], columns=columns[table]))
    assert over_frames == over_tables


def test_a_missing_value_is_no_figure_on_either(tables):
    uri, connection = tables
    with connection, connection.cursor() as cursor:
        cursor.execute("truncate res.run; insert into res.run values ('r', 1, null, 0, 0), ('r', 1, 1, 0, 0)")
    check = Check("published", "notes", terms={"published": 1}, where={"run_id": "r"}, minimum=0)
    frame = pd.DataFrame([{"run_id": "r", "published": None}, {"run_id": "r", "published": 1.0}])
    expected = Verdict(("published is not known, must be at least 0: notes",))
    assert check_tables("run", uri, "res", {"run": [check]}) == expected
    assert check_frame("run", [check], frame) == expected


@pytest.mark.parametrize("table", ["run", "nowhere"])
def test_what_cannot_be_read_is_said_without_the_password(tables, table):
    uri, _ = tables
    address = uri.rsplit("/", 1)[0].replace("//", "//someone:opensesame@", 1) if table == "run" else uri
    if table == "run":
        host = uri.split("@")[-1].split("/")[0]
        address = f"postgresql://someone:opensesame@{host}/none"
    with pytest.raises(GateError) as caught:
        check_tables("run", address, "res", {table: [Check("notes", "notes", minimum=0)]})
    assert "Great Expectations cannot read res" in str(caught.value)
    assert "opensesame" not in str(caught.value)
    assert caught.value.__suppress_context__
