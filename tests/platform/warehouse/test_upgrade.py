"""The tables that the engine writes: made from nothing, and upgraded from every schema that dbt ever made."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg2
import pytest

from deid_tasks.core.errors import WarehouseError
from deid_tasks.platform.warehouse.upgrade import SchemaVersion, upgrade_schemas

PRESENT = Path(__file__).parent / "present"
NEWEST = {"xx_gold": "gold_0003", "xx_results": "results_0021"}
RENAMED = {"sample_note": {"place": "draw_order", "holds_own_pii": "has_own_pii"}}
COUNTED = {"run_count": [("r1", "quarantined_notes", "engine_error", 1)]}
"""Rows that an upgrade adds: sums of rows that are there."""
SETTINGS = {
    "s1": {"size": 10, "min_notes_per_stratum": 3, "weight": "log10", "periods": [], "seed": 7},
    "s2": {"random_size": 5, "seed": 7, "periods": []},
    "s3": {"disagreement_size": 4, "disagreement_pool": 9, "fingerprint": "f", "held_out": 0.2},
    "s4": {},
}
ADDED_BY_THE_LAST_RELEASES = """
alter table xx_gold.annotated_note drop column handed_over;
alter table xx_gold.sample drop constraint sample_design_check;
alter table xx_gold.sample add constraint sample_design_check check (design in ('stratified', 'random'));
alter table xx_results.run drop column review;
alter table xx_results.certificate drop column signature;
alter table xx_results.certificate alter column document type jsonb using document::jsonb;
alter table xx_results.audit_finding drop column is_published;
drop table xx_results.run_count, xx_results.run_figure, xx_results.published_slice, xx_results.reidentification;
"""


@pytest.fixture
def settings(institution):
    return institution.model_copy(update={"institution": "xx"})


@pytest.fixture
def ask(database):
    """Runs a statement on the test's database and returns its rows."""

    def run(statement: str, *values: object) -> list[tuple]:
        connection = psycopg2.connect(database)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(statement, values or None)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    return run


@pytest.fixture
def present(ask):
    """The schemas as dbt made them, with rows in every table."""
    for name in ("gold", "results", "rows"):
        ask((PRESENT / f"{name}.sql").read_text())


def tables(ask) -> dict[tuple[str, str], list[str]]:
    """The columns of every table by schema and name."""
    found: dict[tuple[str, str], list[str]] = {}
    for schema, table, column in ask(
        "select table_schema, table_name, column_name from information_schema.columns"
        " where table_schema in ('xx_gold', 'xx_results') order by ordinal_position"
    ):
        found.setdefault((schema, table), []).append(column)
    return {name: columns for name, columns in found.items() if name[1] != "alembic_version"}


def content(ask) -> dict[str, list[tuple]]:
    """Every row of every table, by the columns that the table has now."""
    return {
        table: sorted(ask(f"select {', '.join(columns)} from {schema}.{table}"), key=repr)
        for (schema, table), columns in tables(ask).items()
    }


def described(ask) -> list[tuple]:
    """Columns, constraints, indexes, triggers and functions of both schemas."""
    columns = ask(
        "select table_schema, table_name, column_name, data_type, is_nullable, column_default, is_generated,"
        " is_identity, generation_expression"
        " from information_schema.columns where table_schema in ('xx_gold', 'xx_results')"
    )
    constraints = ask(
        "select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint"
        " where connamespace in ('xx_gold'::regnamespace, 'xx_results'::regnamespace)"
    )
    indexes = ask(
        "select schemaname, indexname, indexdef from pg_indexes where schemaname in ('xx_gold', 'xx_results')"
    )
    triggers = ask(
        "select tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal"
    )
    functions = ask("select proname, prosrc from pg_proc where pronamespace = 'xx_results'::regnamespace")
    return sorted((*columns, *constraints, *indexes, *triggers, *functions), key=repr)


def test_the_tables_are_made_from_nothing(database, ask, settings):
    assert upgrade_schemas(database, settings) == [SchemaVersion(name, "", NEWEST[name]) for name in NEWEST]
    assert {schema for schema, _ in tables(ask)} == set(NEWEST)
    assert all(rows == [] for rows in content(ask).values())
    assert ask("select * from xx_gold.alembic_version") == [("gold_0003",)]
    assert ask("select * from xx_results.alembic_version") == [("results_0021",)]


def test_an_upgrade_keeps_every_row(database, ask, settings, present):
    columns = tables(ask)
    before = content(ask)
    assert all(before.values()), "every table of the present schema has a row"
    upgrade_schemas(database, settings)
    for (schema, table), names in columns.items():
        now = [RENAMED.get(table, {}).get(name, name) for name in names]
        rows = sorted(ask(f"select {', '.join(now)} from {schema}.{table}"), key=repr)
        expected = before[table]
        if "design" in names:
            position = names.index("design")
            expected = [
                (
                    *row[:position],
                    "disagreement" if row[position] == "disputed" else row[position],
                    *row[position + 1 :],
                )
                for row in expected
            ]
        if "settings" in names:
            position = names.index("settings")
            expected = [(*row[:position], SETTINGS[row[0]], *row[position + 1 :]) for row in expected]
        assert rows == sorted([*expected, *COUNTED.get(table, [])], key=repr), table
    assert ask("select error_class, error_location from xx_results.note_outcome") == [(None, None)] * 2


def test_upgraded_tables_are_those_made_from_nothing(database, ask, settings, present):
    upgrade_schemas(database, settings)
    upgraded = described(ask)
    ask("drop schema xx_gold cascade; drop schema xx_results cascade")
    upgrade_schemas(database, settings)
    assert upgraded == described(ask)


def test_tables_of_earlier_releases_are_adopted(database, ask, settings, present):
    ask("delete from xx_gold.gold_set where design = 'disputed'; delete from xx_gold.sample where design = 'disputed'")
    ask(ADDED_BY_THE_LAST_RELEASES)
    before = content(ask)
    upgrade_schemas(database, settings)
    after = content(ask)
    assert {table: len(rows) for table, rows in before.items()} == {table: len(after[table]) for table in before}
    assert ask("select review from xx_results.run") == [("[]",)]
    assert ask("select signature, document::jsonb from xx_results.certificate") == [("", {"a": [2], "b": 1})]
    ask("update xx_gold.sample set design = 'disagreement'")
    columns = tables(ask)
    ask("drop schema xx_gold cascade; drop schema xx_results cascade")
    upgrade_schemas(database, settings)
    assert {name: set(found) for name, found in columns.items()} == {n: set(found) for n, found in tables(ask).items()}


def test_a_second_upgrade_changes_and_locks_nothing(database, ask, settings, present):
    upgrade_schemas(database, settings)
    before = described(ask), content(ask)
    reader = psycopg2.connect(database)
    try:
        # A reader or a writer in the middle of its work.
        reader.cursor().execute("lock table xx_gold.sample, xx_results.run in exclusive mode")
        assert upgrade_schemas(database, settings) == [SchemaVersion(s, NEWEST[s], NEWEST[s]) for s in NEWEST]
    finally:
        reader.close()
    assert (described(ask), content(ask)) == before


@pytest.mark.parametrize("start", ["nothing", "present"])
def test_callers_at_the_same_time_wait_for_each_other(database, ask, settings, start, request):
    if start == "present":
        request.getfixturevalue("present")
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: upgrade_schemas(database, settings), range(8)))
    assert all(one.after == NEWEST[one.schema] for outcome in outcomes for one in outcome)
    assert sum(one.before != one.after for outcome in outcomes for one in outcome) == 2
    assert ask("select count(*) from xx_gold.alembic_version") == [(1,)]


def test_an_upgrade_that_fails_leaves_everything_as_it_was(database, ask, settings, present):
    ask(
        "create view xx_results.taken as select 1 as one; alter table xx_results.note_outcome add column error_class int"
    )
    before = described(ask), content(ask)
    with pytest.raises(WarehouseError, match=r"DuplicateColumn \(SQLSTATE 42701\)"):
        upgrade_schemas(database, settings)
    assert (described(ask), content(ask)) == before


def test_old_column_names_answer_queries_for_one_release(database, ask, settings, present):
    upgrade_schemas(database, settings)
    assert ask("select bool_and(place = draw_order and holds_own_pii = has_own_pii) from xx_gold.sample_note") == [
        (True,)
    ]


def test_rows_of_reidentification_are_never_changed(database, ask, settings, present):
    upgrade_schemas(database, settings)
    with pytest.raises(psycopg2.errors.RaiseException, match="rows of reidentification are never changed"):
        ask("delete from xx_results.reidentification")


def test_a_role_without_rights_is_told_what_it_lacks(database, ask, settings):
    ask("drop role if exists stranger; create role stranger login password 'stranger'")
    head, rest = database.split("://", 1)
    uri = f"{head}://stranger:stranger@{rest.split('@', 1)[1]}"
    with pytest.raises(WarehouseError, match=r"permission denied for database .*; grant it to the connection's role"):
        upgrade_schemas(uri, settings)
    # Where nothing is left to do, reading the version is enough.
    upgrade_schemas(database, settings)
    ask("grant usage on schema xx_gold, xx_results to stranger")
    ask("grant select on xx_gold.alembic_version, xx_results.alembic_version to stranger")
    assert [one.before for one in upgrade_schemas(uri, settings)] == list(NEWEST.values())
