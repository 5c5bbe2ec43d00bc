"""The demo's database logins: one for each kind of task, and each of Airflow's processes knows those that it needs."""

from contextlib import closing

import psycopg2
import psycopg2.errors
import pytest

from deid_tasks.demo import demo_institutions
from deid_tasks.demo.databases import close_database, end_idle_transactions, make_database_login
from deid_tasks.demo.environment import Places, airflow_environment, demo_secrets, login_uri, service_environment
from deid_tasks.demo.state import INSTITUTIONS, State, checkout
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.role_check import role_differences
from deid_tasks.platform.warehouse.role_logins import make_roles
from deid_tasks.platform.warehouse.roles import needed_tasks, role_name


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_WORK_DIR", str(tmp_path / "work"))
    return State(tmp_path / "run")


@pytest.fixture
def institutions(state):
    return demo_institutions(checkout() / INSTITUTIONS, state)


def places_in(tmp_path, uri):
    return Places(tmp_path, tmp_path, 8081, 9001, dict.fromkeys(("airflow", "ehr", "catalog"), uri))


@pytest.fixture
def given(tmp_path, state, institutions):
    """What each of Airflow's processes is given, of connections."""
    places = places_in(tmp_path, "postgresql://u:p@127.0.0.1:5555/ehr")
    whole = airflow_environment(state, places, institutions)
    services = ("scheduler", "api-server", "dag-processor")
    return {
        service: {
            name.removeprefix("AIRFLOW_CONN_").lower()
            for name in service_environment(service, whole, institutions)
            if name.startswith("AIRFLOW_CONN_")
        }
        for service in services
    }


def test_the_page_has_its_own_logins_and_public_keys(given):
    assert given["api-server"] == {"lakeshore_page", "riverside_page", "certificate_verification_key"}
    assert given["dag-processor"] == set()


def test_tasks_have_a_login_for_each_kind_and_none_for_the_page_or_reidentification(given, institutions):
    for settings in institutions:
        logins = {settings.warehouse.connection_of(task) for task in needed_tasks(settings)}
        others = {f"{settings.institution}_reidentify", f"{settings.institution}_page"}
        assert logins - given["scheduler"] == others


def test_no_task_knows_the_password_of_the_superuser(tmp_path, state, institutions):
    places = places_in(tmp_path, "postgresql://superuser:marigold@127.0.0.1:5555/ehr")
    assert "marigold" not in str(airflow_environment(state, places, institutions).values())
    uris = demo_secrets(state, places, institutions)
    passwords = {
        uris.text(one.warehouse.connection_of(task)).split("@")[0] for one in institutions for task in needed_tasks(one)
    }
    assert len(passwords) == sum(len(needed_tasks(one)) for one in institutions)


def test_each_login_acts_as_its_role_and_may_do_no_more(tmp_path, database, state, institutions):
    places = places_in(tmp_path, database)
    secrets = demo_secrets(state, places, institutions)
    close_database(database)
    for settings in institutions:
        make_roles(database, settings, secrets)
    # Again: nothing changes.
    make_roles(database, institutions[0], secrets)
    for settings in institutions:
        for task in needed_tasks(settings):
            with connect(secrets.text(settings.warehouse.connection_of(task))) as connection:
                cursor = connection.cursor()
                cursor.execute("select current_user, rolsuper from pg_roles where rolname = session_user")
                assert cursor.fetchone() == (role_name(settings, task), False)
        with connect(secrets.text(settings.warehouse.connection_of("owner"))) as connection:
            assert role_differences(connection, settings) == []


def test_a_session_whose_transaction_does_nothing_ends_and_unlocks_its_rows(database):
    end_idle_transactions(database, 1)
    with closing(psycopg2.connect(database)) as killed, closing(psycopg2.connect(database)) as successor:
        with killed.cursor() as cursor:
            cursor.execute("create table run as select 1 as id")
            killed.commit()
            cursor.execute("select id from run for update")
        with successor.cursor() as cursor:
            # As a scheduler does: it passes over the runs that another one has locked.
            cursor.execute("select id from run for update skip locked")
            assert cursor.fetchall() == []
            # One that waits gets the row when the server has ended the session.
            cursor.execute("set local lock_timeout = '20s'")
            cursor.execute("select id from run for update")
            assert cursor.fetchall() == [(1,)]
        with pytest.raises(psycopg2.Error), killed.cursor() as cursor:
            cursor.execute("select 1")


def test_a_database_of_one_program_is_closed_to_all_others(database, tmp_path, state, institutions):
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("create type state as enum ('a', 'b')")
        cursor.execute("create table made_before (id serial primary key, state state)")
        cursor.execute("create sequence counted_before")
    connection.close()
    owner = login_uri(database, "only_airflow", state)
    for _ in range(2):
        make_database_login(database, owner)
    with psycopg2.connect(owner) as connection, connection.cursor() as cursor:
        cursor.execute("alter table made_before add column more text")
        cursor.execute("insert into made_before (state) values ('a')")
        cursor.execute("alter type state add value 'c'")
        cursor.execute("select nextval('counted_before')")
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            cursor.execute("create role somebody")
    connection.close()
    other = login_uri(database, "other_program", state)
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("drop role if exists other_program")
        cursor.execute(f"create role other_program login password '{other.split(':')[2].split('@')[0]}'")
    connection.close()
    with pytest.raises(psycopg2.OperationalError, match="permission denied for database"):
        psycopg2.connect(other)
