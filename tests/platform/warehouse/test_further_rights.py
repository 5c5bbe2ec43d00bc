"""Rights beside those of `deid roles` are found wherever they are: logins, raw tables in any schema, everybody."""

import json

import pytest
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.role_check import role_differences
from deid_tasks.platform.warehouse.role_grants import roles_script
from tests.support.role_logins import make_logins, run_script, settings_with_roles


@pytest.fixture
def settings(tmp_path):
    return settings_with_roles("hawthorn", tmp_path)


@pytest.fixture
def uris(database, settings):
    """An institution whose layout reads notes from a schema of the hospital's own name."""
    other = settings.model_copy(update={"institution": "hazel"})
    run_script(database, 'create schema "ChartPro"; create table "ChartPro"."Note" as select 1 as id, 2 as text')
    run_script(database, 'create table "ChartPro".author (id int); create table looked_up (id int)')
    uris = make_logins(database, settings)
    run_script(database, roles_script(other))
    run_script(
        database,
        'create view hawthorn_staging.stg_note as select * from "ChartPro"."Note";'
        ' grant usage on schema "ChartPro" to hawthorn_build, hawthorn_source;'
        ' grant select on all tables in schema "ChartPro" to hawthorn_build, hawthorn_source',
    )
    run_script(database, roles_script(settings))
    yield uris
    with connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("select rolname from pg_roles where rolname ~ '^(hawthorn|hazel)_'")
        for (role,) in cursor.fetchall():
            cursor.execute(f"drop owned by {role} cascade; drop role {role}")


def compared(uris, settings):
    with connect(uris["owner"]) as connection:
        return role_differences(connection, settings)


GIVEN = {
    'grant all on all tables in schema "ChartPro" to hawthorn_page': ("hawthorn_page", "2 tables of ChartPro, such as Note"),
    'grant select on "ChartPro"."Note" to hawthorn_page_login': ("hawthorn_page_login", "ChartPro.Note"),
    'grant select (text) on "ChartPro"."Note" to hawthorn_engine': ("hawthorn_engine", "ChartPro.Note"),
    'grant insert on "ChartPro"."Note" to hawthorn_build': ("hawthorn_build", "ChartPro.Note"),
    'grant usage on schema "ChartPro" to public; grant select on "ChartPro"."Note" to public': ("public", "ChartPro.Note"),
    "grant select on looked_up to public": ("public", "public.looked_up"),
    "grant create on schema public to hawthorn_engine": ("hawthorn_engine", "schema public"),
    'grant usage on schema "ChartPro" to hawthorn_evidence': ("hawthorn_evidence", "schema ChartPro"),
    'alter default privileges in schema "ChartPro" grant select on tables to hawthorn_page': (
        "hawthorn_page", "later tables of palimpsest in ChartPro",
    ),
    "create table hazel_results.run (id int); grant select on hazel_results.run to hawthorn_build": (
        "hawthorn_build", "hazel_results.run",
    ),
    "alter role hawthorn_page_login superuser": ("hawthorn_page_login", "role"),
    "alter role hawthorn_page_login bypassrls": ("hawthorn_page_login", "role"),
    "alter role hawthorn_page_login replication": ("hawthorn_page_login", "role"),
    "grant hawthorn_owner to hawthorn_page_login": ("hawthorn_page_login", "role hawthorn_owner"),
    "grant pg_read_all_data to hawthorn_page_login": ("hawthorn_page_login", "role pg_read_all_data"),
    "grant hazel_evidence to hawthorn_evidence": ("hawthorn_evidence", "role hazel_evidence"),
}  # fmt: skip


def test_raw_tables_may_be_read_by_columns(database, uris, settings):
    run_script(
        database,
        'revoke select on "ChartPro"."Note" from hawthorn_source; grant select (id) on "ChartPro"."Note" to hawthorn_source',
    )
    assert compared(uris, settings) == []
    run_script(database, 'grant update (id) on "ChartPro"."Note" to hawthorn_source')
    [found] = compared(uris, settings)
    assert (found.what, found.mend) == (
        "ChartPro.Note",
        'revoke update (id) on table "ChartPro"."Note" from hawthorn_source;',
    )


def test_each_right_is_found_and_its_statement_mends_it(database, uris, settings):
    assert compared(uris, settings) == []
    for given, where in GIVEN.items():
        run_script(database, given)
        found = {(one.role, one.what): one.mend for one in compared(uris, settings)}
        assert where in found, given
        assert all(found.values()), given
        for statement in found.values():
            run_script(database, statement)
        assert compared(uris, settings) == [], given


def test_a_table_that_a_login_owns_is_found(database, uris, settings):
    run_script(database, 'alter table "ChartPro"."Note" owner to hawthorn_page_login')
    try:
        [found] = compared(uris, settings)
        assert (found.role, found.what, found.found) == ("hawthorn_page_login", "ChartPro.Note", "owner")
        assert found.mend == 'alter table "ChartPro"."Note" owner to …;'
    finally:
        run_script(database, 'alter table "ChartPro"."Note" owner to palimpsest')


def test_who_administers_a_server_without_superusers_may_be_a_member_of_all(database, uris, settings):
    run_script(database, "create role hawthorn_administrator login createrole")
    with connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("select rolname from pg_roles where rolname ~ '^hawthorn_' and not rolcanlogin")
        groups = ", ".join(name for (name,) in cursor.fetchall())
    run_script(database, f"grant {groups} to hawthorn_administrator")
    assert compared(uris, settings) == []
    run_script(database, "revoke hawthorn_page from hawthorn_administrator")
    assert "createrole" in {one.found for one in compared(uris, settings)}


def test_tasks_that_share_a_connection_share_a_login(database, uris, settings):
    run_script(database, "grant hawthorn_engine to hawthorn_publish_login")
    assert [one.what for one in compared(uris, settings)] == ["role hawthorn_engine"]
    names = {**settings.warehouse.connections, "engine": "hawthorn_publish"}
    shared = settings.warehouse.model_copy(update={"connections": names})
    assert compared(uris, settings.model_copy(update={"warehouse": shared})) == []


def test_the_command_prints_what_mends_them(database, uris, settings, tmp_path, monkeypatch):
    (tmp_path / "hawthorn.yaml").write_text(json.dumps(settings.model_dump(mode="json", exclude_defaults=True)))
    monkeypatch.setenv("PALIMPSEST_SECRET_HAWTHORN_OWNER", uris["owner"])
    arguments = ["roles", "--institution", "hawthorn", "--institutions", str(tmp_path), "--check"]
    run_script(database, "grant hawthorn_owner to hawthorn_page_login")
    checked = CliRunner().invoke(app, arguments)
    assert checked.exit_code == 1, checked.output
    assert "hawthorn_page_login  role hawthorn_owner" in checked.output
    assert "\nrevoke hawthorn_owner from hawthorn_page_login;\n" in checked.output
    assert "deid roles --institution hawthorn | psql" not in checked.output
    run_script(database, "revoke hawthorn_owner from hawthorn_page_login")
    checked = CliRunner().invoke(app, arguments)
    assert checked.exit_code == 0, checked.output
    assert "they have no other rights; nor have their logins (hawthorn_audit_login, " in checked.output
