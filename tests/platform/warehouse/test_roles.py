"""Database roles: each does the work of its tasks over a whole day, and nothing else."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.errors import GateError, WarehouseError
from deid_tasks.core.identity import Identity
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.role_check import role_differences
from deid_tasks.platform.warehouse.role_grants import roles_script
from deid_tasks.platform.warehouse.roles import EVERY_TABLE, OWNERS, RIGHTS
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import DATABASE_TASKS, CompareSettings, Secrets
from tests.support.audit_desk import ALICE, BOB
from tests.support.deliveries import landing_settings
from tests.support.forbidden_acts import AUDIT_LOG_TAMPERING, FORBIDDEN, GOLD, NOTES, RAW, ROWS_OF_THE_LOG, TAMPERING
from tests.support.published_days import DAY, START, follow_changes, texts
from tests.support.role_logins import make_logins, run_script, settings_with_roles
from tests.support.small_systems import adapter

OFFICER = Identity("officer", "operating_system")


def refused(uri, *statements, match="permission denied|must be owner"):
    for statement in statements:
        with pytest.raises(WarehouseError, match=match), connect(uri) as connection:
            connection.cursor().execute(statement)


def asked(uri, statement):
    with connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def test_every_step_of_a_day_has_what_it_needs(worked):
    assert worked.compiled["terms"] > 100
    assert len(worked.shards) > 1
    assert worked.published["notes"] == worked.stored["notes"] > 20
    assert worked.tables["tables"]["patients"] > 10


def test_changes_and_removals_need_no_more(role_site, worked):
    settings, secrets = role_site.settings, role_site.secrets
    note = role_site.notes[0]
    runs.retract(settings, secrets, note_ids=[note.note_id], reason="consent_withdrawn", requested_by=ALICE)
    follow_changes(settings, role_site, "changes/roles")
    runs.purge_removed(settings, secrets, at_once=True)
    assert runs.retract_at_once(settings, secrets)["removed"] == 0
    counts = runs.reconcile_ledger(settings, secrets)
    assert (counts["excluded"], counts["pending"]) == (1, 0)
    assert counts["in_table"] == counts["published"] > 20
    runs.ledger_counts(settings, secrets)
    runs.stale_notes(settings, secrets)
    pin = runs.pin_engine(settings, secrets)
    runs.plan_restate_run(settings, secrets, "restate/roles", pin)
    runs.compact_table(settings, secrets)
    runs.expire_snapshots(settings, secrets)
    runs.prune_files(settings, secrets)
    runs.prune_outcomes(settings, secrets)
    assert [use.is_current for use in runs.surrogate_keys(settings, secrets)] == [True]


def test_a_run_that_is_planned_takes_merges_over(role_site, worked):
    run_script(
        role_site.superuser,
        "insert into rolesite_ehr.person_merge (person_id, surviving_person_id, merged_at)"
        " select max(person_id), min(person_id), timestamp '2024-01-02' from rolesite_ehr.person",
    )
    runs.plan_notes_run(role_site.settings, role_site.secrets, "merged", START + DAY, START + 2 * DAY)
    assert asked(role_site.uris["engine"], "select count(*) from rolesite_staging.stg_patient_merge") == [(1,)]


def test_samples_and_annotation_need_no_more(role_site, worked):
    settings, secrets = role_site.settings, role_site.secrets
    drawn = runs.draw_samples(settings, secrets)
    assert drawn
    runs.export_tasks(settings, secrets)
    runs.annotation_status(settings, secrets)
    runs.harvest_candidates(settings, secrets, ALICE)


def test_reidentification_needs_no_more(role_site, worked):
    [key, *_] = sorted(texts(open_table(role_site.settings, role_site.secrets).scan().to_arrow()))
    [original] = runs.reidentify_notes(role_site.settings, role_site.secrets, [key], "adverse event, ticket 17", ALICE)
    assert original.text in {note.text for note in role_site.notes}
    # The session's user is the login, not the group that it acts as.
    [(user,)] = asked(role_site.uris["reidentify"], "select database_user from rolesite_results.reidentification")
    assert user == "rolesite_reidentify_login"


def test_requests_and_the_audit_log_need_no_more(role_site, worked):
    settings, secrets = role_site.settings, role_site.secrets
    [key, *_] = sorted(texts(open_table(settings, secrets).scan().to_arrow()))
    asked_for = runs.request_reidentification(settings, secrets, [key], "adverse event, ticket 18", ALICE)
    runs.decide_request(settings, secrets, asked_for.request_id, "approved", BOB)
    assert len(runs.reidentify_as_approved(settings, secrets, asked_for.request_id, ALICE)) == 1
    patient = role_site.notes[1].patient_id
    asked_for = runs.request_retraction(settings, secrets, patient_ids=[patient], reason="wish", requested_by=ALICE)
    runs.decide_request(settings, secrets, asked_for.request_id, "rejected", BOB)
    assert [one.state for one in runs.read_request_states(settings, secrets)] == ["used", "rejected"]
    assert runs.verify_audit_log(settings, secrets).findings == ()
    exported = list(runs.export_audit_log(settings, secrets))
    users = {row["event"]: row["database_user"] for row in exported}
    assert users["reidentification"] == "rolesite_reidentify_login"
    assert users["certificate_issued"] == "rolesite_evidence_login"
    assert users["exclusion"] == "rolesite_publish_login"


def test_the_database_is_what_the_script_says_after_all_of_this(role_site, worked):
    with connect(role_site.uris["owner"]) as connection:
        assert role_differences(connection, role_site.settings) == []
    run_script(role_site.superuser, roles_script(role_site.settings))
    with connect(role_site.uris["owner"]) as connection:
        assert role_differences(connection, role_site.settings) == []


@pytest.mark.parametrize("task", [task for task in DATABASE_TASKS if task not in {"land", "owner"}])
def test_no_task_can_tamper_with_the_log_of_reidentification(role_site, task):
    refused(role_site.uris[task], *TAMPERING)
    # Ownership is what decides that, and no role can take the owner's.
    refused(role_site.uris[task], "set role rolesite_owner", f"alter table {ROWS_OF_THE_LOG} owner to current_user")


@pytest.mark.parametrize("task", [task for task in DATABASE_TASKS if task not in {"land", "owner"}])
def test_no_task_can_tamper_with_the_audit_log(role_site, task):
    refused(role_site.uris[task], *AUDIT_LOG_TAMPERING)


@pytest.mark.parametrize(
    "task", [task for task in DATABASE_TASKS if task not in {"land", "reidentify", "audit", "owner"}]
)
def test_who_asked_for_originals_is_for_reidentification_alone(role_site, task):
    refused(
        role_site.uris[task],
        f"select * from {ROWS_OF_THE_LOG}",
        f"insert into {ROWS_OF_THE_LOG} (asked_by, reason, note_keys) values ('x', 'x', '{{}}')",
    )


@pytest.mark.parametrize("task", FORBIDDEN)
def test_a_role_cannot_do_what_others_do(role_site, worked, task):
    refused(role_site.uris[task], *FORBIDDEN[task])


def test_every_role_has_forbidden_acts():
    assert {*FORBIDDEN, "land"} == {*DATABASE_TASKS}


def test_the_page_shows_its_figures(role_site, worked, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "plugins"))
    monkeypatch.setenv("AIRFLOW_CONN_ROLESITE_PAGE", role_site.uris["page"])
    from palimpsest_page.figures import read_figures
    from palimpsest_page.periods import period_of

    runs.reconcile_ledger(role_site.settings, role_site.secrets)
    figures = read_figures(role_site.settings, period_of("years"))
    assert figures.problem == ""
    for query in ("published", "engine", "certificate_in_use", "quality", "over_time", "note_types", "certificates",
                  "engines", "days", "kinds", "runs"):  # fmt: skip
        assert figures.rows(query), query
    counted = asked(
        role_site.uris["owner"], "select count(*) from rolesite_results.note_ledger where outcome <> 'excluded'"
    )
    assert [(figures.row("stale")["notes"],)] == counted


def test_a_comparison_needs_no_more_and_the_page_shows_it(role_site, worked, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "plugins"))
    monkeypatch.setenv("AIRFLOW_CONN_ROLESITE_PAGE", role_site.uris["page"])
    from palimpsest_page.figures import read_figures
    from palimpsest_page.periods import period_of

    adapter(tmp_path / "capitals")
    compare = CompareSettings(systems=(f"adapter:{tmp_path}/capitals",), max_notes=10)
    settings = role_site.settings.model_copy(update={"compare": compare})
    runs.compare_after_evaluation(settings, role_site.secrets, worked.certified)
    shown = read_figures(settings, period_of("years")).rows("compared")
    assert {row["system"] for row in shown} == {"engine", "capitals"}


def test_one_institution_cannot_read_another(role_site, worked, tmp_path):
    other = settings_with_roles("rolesland", tmp_path)
    uris = make_logins(role_site.superuser, other)
    upgrade_schemas(uris["owner"], other)
    for task in ("source", "build", "engine", "evidence", "publish", "page", "reidentify", "audit", "owner"):
        refused(uris[task], RAW, NOTES, GOLD, f"select * from {ROWS_OF_THE_LOG}", "select * from rolesite_results.run")
        refused(uris[task], f"set role rolesite_{task}")


def test_landing_writes_raw_tables_and_no_others(role_site, tmp_path):
    deliveries = tmp_path / "deliveries"
    deliveries.mkdir()
    from tests.platform.runs.test_landing import first_delivery

    landing = landing_settings(deliveries)
    settings = settings_with_roles("roleslanded", tmp_path).model_copy(update={"landing": landing})
    uris = make_logins(role_site.superuser, settings)
    upgrade_schemas(uris["owner"], settings)
    secrets = Secrets({f"roleslanded_{task}": uri for task, uri in uris.items()}.get)
    first_delivery(deliveries)
    assert runs.land_deliveries(settings, secrets)["deliveries"] == 1
    assert asked(uris["build"], "select count(*) from roleslanded_ehr.patient") == [(3,)]
    with connect(uris["owner"]) as connection:
        assert role_differences(connection, settings) == []
    refused(
        uris["land"],
        "create table roleslanded_staging.x (y int)",
        "select * from roleslanded_gold.gold_note",
        "delete from roleslanded_results.landed_file",
        "select * from roleslanded_results.run",
        RAW,
    )


CHANGED = {
    "grant select on rolesite_gold.gold_note to rolesite_engine": ("rolesite_engine", "rolesite_gold.gold_note"),
    "revoke select on rolesite_results.run from rolesite_page": ("rolesite_page", "rolesite_results.run"),
    "alter table rolesite_results.run owner to rolesite_build": ("rolesite_owner", "rolesite_results.run"),
    "grant rolesite_evidence to rolesite_engine": ("rolesite_engine", "rolesite_gold"),
    "alter role rolesite_publish createrole": ("rolesite_publish", "role"),
    "grant usage on schema rolesite_gold to rolesite_page": ("rolesite_page", "rolesite_gold"),
    "grant update (review) on rolesite_results.run to rolesite_engine": ("rolesite_engine", "rolesite_results.run"),
    "alter default privileges for role rolesite_build in schema rolesite_staging revoke select on tables"
    " from rolesite_engine": ("rolesite_engine", "later tables of rolesite_staging"),
}  # fmt: skip


@pytest.mark.parametrize("statement", CHANGED)
def test_a_changed_right_is_found_and_mended(role_site, worked, statement):
    run_script(role_site.superuser, statement)
    try:
        with connect(role_site.uris["owner"]) as connection:
            found = {(one.role, one.what) for one in role_differences(connection, role_site.settings)}
        assert CHANGED[statement] in found
    finally:
        undo = {
            "grant rolesite_evidence to rolesite_engine": "revoke rolesite_evidence from rolesite_engine",
            "alter role rolesite_publish createrole": "alter role rolesite_publish nocreaterole",
        }
        if statement in undo:
            run_script(role_site.superuser, undo[statement])
        run_script(role_site.superuser, roles_script(role_site.settings))
    with connect(role_site.uris["owner"]) as connection:
        assert role_differences(connection, role_site.settings) == []


def test_the_nightly_check_fails_on_a_right_that_somebody_granted(role_site, worked):
    assert runs.check_roles(role_site.settings, role_site.secrets)["roles"] > 5
    run_script(role_site.superuser, "grant select on rolesite_gold.gold_note to rolesite_engine")
    try:
        with pytest.raises(
            GateError, match=r"1 rights of .*: rolesite_engine on rolesite_gold.gold_note has select, not"
        ):
            runs.check_roles(role_site.settings, role_site.secrets)
    finally:
        run_script(role_site.superuser, roles_script(role_site.settings))
    assert runs.check_roles(role_site.settings, role_site.secrets)["roles"] > 5


def test_an_upgrade_sets_rights_that_a_release_changed_alone(role_site, worked):
    """No table is new, as in a release that changes the rights alone."""
    run_script(
        role_site.superuser,
        "grant delete on rolesite_results.run to rolesite_page; revoke select on rolesite_gold.gold_note"
        " from rolesite_evidence; revoke usage on schema rolesite_gold from rolesite_audit",
    )
    runs.upgrade_tables(role_site.settings, role_site.secrets)
    with connect(role_site.uris["owner"]) as connection:
        assert role_differences(connection, role_site.settings) == []


def test_the_command_prints_the_script_and_compares(role_site, worked, tmp_path, monkeypatch):
    document = role_site.settings.model_dump(mode="json", exclude_defaults=True)
    (tmp_path / "rolesite.yaml").write_text(json.dumps(document))
    arguments = ["roles", "--institution", "rolesite", "--institutions", str(tmp_path)]
    printed = CliRunner().invoke(app, arguments)
    assert printed.exit_code == 0
    assert printed.output == roles_script(role_site.settings)
    monkeypatch.setenv("PALIMPSEST_SECRET_ROLESITE_OWNER", role_site.uris["owner"])
    assert CliRunner().invoke(app, [*arguments, "--check"]).exit_code == 0
    run_script(role_site.superuser, "grant delete on rolesite_results.run to rolesite_page")
    found = CliRunner().invoke(app, [*arguments, "--check"])
    run_script(role_site.superuser, roles_script(role_site.settings))
    assert found.exit_code == 1
    assert re.search(r"rolesite_page +rolesite_results\.run +select +delete, select", found.output)


def test_rights_name_tables_that_there_are(role_site, worked):
    tables = {
        (schema, table)
        for schema, table in asked(
            role_site.superuser,
            "select nspname, relname from pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid"
            " where nspname like 'rolesite%'",
        )
    }
    for rights in RIGHTS.values():
        for right in rights:
            if right.table != EVERY_TABLE:
                assert (role_site.settings.schema_name(right.layer), right.table) in tables


def test_a_table_of_results_that_nobody_may_read_is_noticed(role_site):
    """A migration that adds a table must say here who may use it."""
    named = {(right.layer, right.table) for rights in RIGHTS.values() for right in rights}
    made = asked(
        role_site.superuser,
        "select table_schema, table_name from information_schema.tables"
        " where table_schema in ('rolesite_results', 'rolesite_gold') and table_name <> 'alembic_version'",
    )
    layers = {role_site.settings.schema_name(layer): layer for layer in OWNERS}
    assert {(layers[schema], table) for schema, table in made} == {
        one for one in named if one[0] in {"results", "gold"}
    }
