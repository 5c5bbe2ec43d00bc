"""What PostgreSQL writes to its log where it logs every statement: no text of a note, and no row of a delivery."""

import datetime
import json
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import psycopg2
import pytest
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.platform import runs
from deid_tasks.platform.landing.rows import BadRow
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.gold import NewGoldNote, freeze_gold_set, read_gold
from deid_tasks.platform.warehouse.landing import record_quarantine
from deid_tasks.platform.warehouse.role_logins import make_roles
from deid_tasks.platform.warehouse.server_logs import SILENT_LOG, logged_statements
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import Secrets
from tests.support.role_logins import make_logins, run_script, settings_with_roles

TEXT = "Zephyrine Quillfeather\twas seen\\N\nat 9, \u00e9t\u00e9."
NOTE = NewGoldNote(
    "N1", None, "letter", datetime.datetime(2024, 1, 2, 3, 4, 5, 678901), "A1", TEXT, (Span(0, 22, Entity.PATIENT),)
)
DELIVERED = SimpleNamespace(path="patients.csv", table=SimpleNamespace(table="patient"))
TALKATIVE = """
set log_min_messages = warning; set log_min_error_statement = error; set log_statement = 'all';
set log_error_verbosity = 'default'
"""


@pytest.fixture
def settings(database, tmp_path):
    settings = settings_with_roles("juniper", tmp_path)
    upgrade_schemas(database, settings)
    return settings


@pytest.fixture
def log(postgres):
    """What the server has logged since."""
    path = postgres.home / "server.log"
    before = path.stat().st_size
    return lambda: path.read_bytes()[before:].decode()


@pytest.fixture
def talkative(database):
    with closing(psycopg2.connect(database)) as connection:
        with connection, connection.cursor() as cursor:
            cursor.execute(TALKATIVE)
        yield connection


def test_a_frozen_note_arrives_and_its_text_is_in_no_statement(talkative, settings, log):
    gold = freeze_gold_set(
        talkative, settings, [NOTE, replace(NOTE, note_id="N2", text="", spans=())], design="random", sample_version="s"
    )
    talkative.commit()
    first, second = read_gold(talkative, settings, gold)
    assert (first.text, first.note_datetime, second.text) == (TEXT, NOTE.note_datetime, "")
    assert [(s.start, s.end, s.entity) for s in first.spans] == [(0, 22, Entity.PATIENT)]
    # It logs what is done, so that what is sought would be there.
    assert 'copy "new_gold_note"' in log()
    assert "Quillfeather" not in log()


def test_an_error_names_the_row_and_does_not_quote_it(talkative, settings, log):
    bad = [(DELIVERED, BadRow(line, "birth_date", "type", f"Quillfeather,{line}")) for line in (1, 2)]
    record_quarantine(talkative, settings, "monday", bad)
    with talkative.cursor() as cursor:
        cursor.execute("select line, content from juniper_ehr.landing_quarantine order by 1")
        assert cursor.fetchall() == [(1, "Quillfeather,1"), (2, "Quillfeather,2")]
        cursor.execute("create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$")
        cursor.execute(
            "create trigger refuse before insert on juniper_ehr.landing_quarantine"
            " for each row when (new.line = 2) execute function refuse()"
        )
    with pytest.raises(psycopg2.errors.RaiseException):
        record_quarantine(talkative, settings, "tuesday", bad)
    assert "COPY landing_quarantine, line 2" in log()
    assert "Quillfeather" not in log()


def test_logins_whose_statements_are_logged_are_named(database, settings, tmp_path, monkeypatch, caplog):
    uris = make_logins(database, settings)
    upgrade_schemas(uris["owner"], settings)
    with connect(uris["owner"]) as connection:
        assert logged_statements(connection, settings) == []
    run_script(database, "alter role juniper_page_login set log_statement = 'all'")
    run_script(database, "alter role juniper_owner_login set log_min_error_statement = 'error'")
    with connect(uris["owner"]) as connection:
        found = {one.logins: one.because for one in logged_statements(connection, settings)}
    # The owner's login cannot see what its own value hides.
    assert found.pop(("juniper_owner_login",)) == {"log_min_error_statement": "error"}
    assert found.pop(("juniper_page_login",)) == {"log_min_error_statement": "not known", "log_statement": "all"}
    assert list(found.values()) == [{"log_min_error_statement": "not known"}]

    monkeypatch.setenv("PALIMPSEST_SECRET_JUNIPER_OWNER", uris["owner"])
    (tmp_path / "juniper.yaml").write_text(json.dumps(settings.model_dump(mode="json", exclude_defaults=True)))
    arguments = ["roles", "--institution", "juniper", "--institutions", str(tmp_path), "--check"]
    checked = CliRunner().invoke(app, arguments)
    assert checked.exit_code == 0, checked.output
    assert "warning: PostgreSQL may log statements of juniper_page_login" in checked.output
    assert "alter system set log_statement = 'none'; select pg_reload_conf();" in checked.output
    secrets = {settings.warehouse.connection_of(task): uri for task, uri in uris.items()}
    with caplog.at_level("WARNING"):
        runs.check_roles(settings, Secrets(secrets.get))
    assert "juniper: PostgreSQL may log statements of juniper_page_login" in caplog.text

    make_roles(database, settings, Secrets(secrets.get))
    with connect(uris["owner"]) as connection:
        assert logged_statements(connection, settings) == []
    with connect(uris["page"]) as connection, connection.cursor() as cursor:
        for name, value in SILENT_LOG.items():
            cursor.execute("select current_setting(%s)", (name,))
            assert cursor.fetchone() == (value,)


def found_logged(uris, settings):
    with connect(uris["owner"]) as connection:
        return logged_statements(connection, settings)


def test_plans_that_auto_explain_logs_hold_no_statement(database, settings, log):
    uris = make_logins(database, settings)
    name = database.rpartition("/")[2]
    run_script(
        database,
        f'alter database "{name}" set session_preload_libraries = auto_explain;'
        f' alter database "{name}" set auto_explain.log_min_duration = 0',
    )
    upgrade_schemas(uris["owner"], settings)
    [found] = [one for one in found_logged(uris, settings) if "auto_explain.log_min_duration" in one.because]
    assert "juniper_engine_login" in found.logins
    with connect(uris["engine"]) as connection, connection.cursor() as cursor:
        cursor.execute("select 'Quillfeather'")
    assert "Quillfeather" in log()
    secrets = {settings.warehouse.connection_of(task): uri for task, uri in uris.items()}
    make_roles(database, settings, Secrets(secrets.get))
    with connect(uris["engine"]) as connection, connection.cursor() as cursor:
        cursor.execute("select 'Marigold'")
    assert "Marigold" not in log()
    with connect(uris["owner"]) as connection:
        assert logged_statements(connection, settings) == []


def test_a_login_that_serves_every_task_is_looked_at(database, settings):
    single = settings.model_copy(update={"institution": "maple"})
    with closing(psycopg2.connect(database, options="-c log_min_duration_statement=100")) as connection:
        [found] = logged_statements(connection, single)
    assert found.logins == ("palimpsest",)
    assert dict(found.because) == {"log_min_duration_statement": "100"}
