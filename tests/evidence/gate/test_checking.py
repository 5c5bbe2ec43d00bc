"""Checks over PostgreSQL pass good figures, and say of others which figure fell short and what to do."""

import logging
import math

import psycopg2
import pytest

from deid_tasks.core.errors import GateError
from deid_tasks.evidence.gate import Check, Verdict, check_tables, evaluation_checks, run_checks
from deid_tasks.settings import GateSettings

GATE = GateSettings(recall_min=0.98, precision_min=0.9, stratum_recall_min=0.95, max_quarantined_share=0.02)


def score(metric, value, *, stratum="", entity="ALL", upper=1.0, variant="full", sample="random", found=900, missed=10):
    return {
        "evaluation_id": "e", "sample": sample, "variant": variant, "view": "word", "stratum": stratum,
        "metric": metric,
        "entity": entity, "value": value, "upper": upper, "true_positives": found, "false_negatives": missed,
    }  # fmt: skip


GOOD = {
    "recall": score("recall", 0.99),
    "bound": score("recall_lower_bound", 0.985),
    "precision": score("precision", 0.95),
    "category": {**score("recall", 0.96), "view": "word:category"},
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


TABLES = {
    "run": "run_id text, notes_read bigint, published bigint, unchanged bigint, quarantined bigint",
    "note_outcome": "run_id text, note_id text, reason text",
    "audit_finding": "run_id text, note_id text, is_published boolean",
    "run_figure": "run_id text, is_held boolean",
    "evaluation": (
        "evaluation_id text, sample text, variant text, view text, stratum text, metric text, entity text,"
        " value double precision, upper double precision, true_positives bigint, false_negatives bigint"
    ),
}


@pytest.fixture(scope="module")
def tables(module_database):
    connection = psycopg2.connect(module_database)
    with connection, connection.cursor() as cursor:
        cursor.execute("create schema res; set search_path to res")
        for table, columns in TABLES.items():
            cursor.execute(f"create table {table} ({columns})")
    yield module_database, connection
    connection.close()


def fill(connection, rows):
    """Replace the rows of each table."""
    with connection, connection.cursor() as cursor:
        for table, records in rows.items():
            cursor.execute(f"truncate res.{table}")
            for record in records:
                values = ", ".join(["%s"] * len(record))
                cursor.execute(f"insert into res.{table} ({', '.join(record)}) values ({values})", [*record.values()])


@pytest.fixture
def evaluated(tables):
    """The verdict on the good figures with some of them changed, or left out where ``None``."""
    uri, connection = tables

    def check(**changes):
        kept = {name: row for name, row in GOOD.items() if changes.get(name, {}) is not None}
        fill(connection, {"evaluation": [{**row, **changes.get(name, {})} for name, row in kept.items()]})
        checks = evaluation_checks(GATE, "e", "random", "9f3a")
        return check_tables("evaluation", uri, "res", {"evaluation": checks})

    return check


def test_good_figures_pass(evaluated):
    assert evaluated() == Verdict()


@pytest.mark.parametrize(
    ("changes", "figure"),
    [
        ({"bound": {"value": 0.9799}}, "recall_lower_bound (random) is 0.9799, must be at least 0.98"),
        ({"bound": {"value": math.nan}}, "recall_lower_bound (random) is not known"),
        ({"bound": None}, "recall_lower_bound (random) is not known"),
        ({"precision": {"value": 0.89}}, "precision (random) is 0.8900"),
        ({"category": {"value": 0.85}}, "category (random) is 0.8500, must be at least 0.9"),
        ({"category": None}, "category (random) is not known"),
        ({"recall": {"true_positives": 0, "false_negatives": 0}}, "gold_words (random) is 0"),
        ({"nursing": {"upper": 0.9499}}, "low_note_types (random) is 1, must be at most 0"),
    ],
)
def test_what_falls_short_blocks_and_is_named(evaluated, changes, figure):
    verdict = evaluated(**changes)
    assert len(verdict.failures) == 1
    assert verdict.failures[0].startswith(figure)
    assert "the random gold set 9f3a" in verdict.failures[0]
    assert verdict.failures[0].endswith(")")


@pytest.mark.parametrize(
    ("changes", "figure"),
    [
        ({"early": {"upper": 0.94}}, "low_periods"),
        ({"city": {"upper": 0.94}}, "low_entities"),
        ({"gain": {"value": -0.01}}, "dictionary_gain"),
    ],
)
def test_a_warning_is_reported_and_does_not_block(evaluated, changes, figure):
    verdict = evaluated(**changes)
    assert verdict.failures == ()
    assert [warning.split()[0] for warning in verdict.warnings] == [figure]


RUN = {"run_id": "r: '1", "notes_read": 100, "published": 90, "unchanged": 8, "quarantined": 2}


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
def test_the_rules_of_a_run(tables, run, outcomes, findings, held, failed, warned):
    uri, connection = tables
    row = RUN | run
    fill(
        connection,
        {
            "run": [row, {**row, "run_id": "other", "published": 0}],
            "note_outcome": [
                {"run_id": row["run_id"], "note_id": f"n{i}", "reason": "too_long"} for i in range(outcomes)
            ],
            "audit_finding": [{"run_id": row["run_id"], "note_id": "n1", "is_published": value} for value in findings],
            "run_figure": [{"run_id": row["run_id"], "is_held": value} for value in held],
        },
    )
    verdict = check_tables("run", uri, "res", run_checks(GATE, str(row["run_id"]), int(row["notes_read"])))
    assert [failure.split()[0] for failure in verdict.failures] == failed
    assert [warning.split()[0] for warning in verdict.warnings] == warned


@pytest.mark.parametrize(("without_record", "failed"), [(2, []), (3, ["notes_without_patient_record"])])
def test_notes_whose_patient_is_not_identified_are_bounded_by_themselves(tables, without_record, failed):
    uri, connection = tables
    reasons = ["no_patient_record"] * without_record + [""] * (100 - without_record)
    outcomes = [
        {"run_id": RUN["run_id"], "note_id": f"n{number}", "reason": reason} for number, reason in enumerate(reasons)
    ]
    fill(connection, {"run": [RUN], "note_outcome": outcomes, "audit_finding": [], "run_figure": []})
    verdict = check_tables("run", uri, "res", run_checks(GATE, str(RUN["run_id"]), 100))
    assert [failure.split()[0] for failure in verdict.failures] == failed


@pytest.mark.parametrize("published", [(None, 1), (0, None)])
def test_a_missing_value_is_no_figure(tables, published):
    uri, connection = tables
    fill(connection, {"run": [{"run_id": "r", "published": value} for value in published]})
    check = Check("published", "notes", "ask", terms={"published": 1}, where={"run_id": "r"}, minimum=0)
    expected = Verdict(("published is not known, must be at least 0: notes (ask)",))
    assert check_tables("run", uri, "res", {"run": [check]}) == expected


def test_great_expectations_logs_nothing_below_a_warning(tables, caplog):
    uri, connection = tables
    fill(connection, {"run": [RUN]})
    caplog.set_level(logging.INFO)
    check_tables("run", uri, "res", {"run": [Check("notes", "notes", minimum=1)]})
    assert not [record for record in caplog.records if record.name.startswith("great_expectations")]


@pytest.mark.parametrize("table", ["run", "nowhere"])
def test_what_cannot_be_read_is_said_without_the_password(tables, caplog, table):
    uri, _ = tables
    address = uri.rsplit("/", 1)[0].replace("//", "//someone:opensesame@", 1) if table == "run" else uri
    if table == "run":
        host = uri.split("@")[-1].split("/")[0]
        address = f"postgresql://someone:opensesame@{host}/none"
    with pytest.raises(GateError) as caught:
        check_tables("run", address, "res", {table: [Check("notes", "notes", minimum=0)]})
    assert "Great Expectations cannot read schema res" in str(caught.value)
    assert "opensesame" not in str(caught.value)
    assert "opensesame" not in caplog.text
    [record] = [record for record in caplog.records if record.name.endswith("gate.checking")]
    assert ".py:" in record.getMessage()
    assert caught.value.__suppress_context__
