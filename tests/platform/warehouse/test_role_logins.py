"""Logins of the database roles: made of the URIs that the settings name, and refused where two would be one."""

import json
import re

import psycopg2
import pytest
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.errors import SettingsError
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.role_check import role_differences
from deid_tasks.platform.warehouse.role_logins import make_roles, role_logins
from deid_tasks.platform.warehouse.roles import needed_tasks
from deid_tasks.settings import Secrets
from tests.support.role_logins import settings_with_roles


def uris_of(database, settings, **others):
    """A URI for each connection; ``others`` replace user and password of single tasks."""
    return {
        settings.warehouse.connection_of(task): re.sub(
            r"//[^@]+@", f"//{others.get(task, f'{settings.institution}_{task}_login:p%40ss{task}')}@", database
        )
        for task in needed_tasks(settings)
    }


@pytest.fixture
def settings(tmp_path):
    return settings_with_roles("loginsite", tmp_path)


def test_the_command_makes_roles_and_logins(database, settings, tmp_path, monkeypatch):
    (tmp_path / "loginsite.yaml").write_text(json.dumps(settings.model_dump(mode="json", exclude_defaults=True)))
    uris = uris_of(database, settings)
    for name, uri in {**uris, "superuser": database}.items():
        monkeypatch.setenv(f"PALIMPSEST_SECRET_{name.upper()}", uri)
    arguments = ["roles", "--institution", "loginsite", "--institutions", str(tmp_path), "--apply-as", "superuser"]
    made = CliRunner().invoke(app, [*arguments, "--check"])
    assert made.exit_code == 0, made.output
    assert "loginsite_engine_login" in made.output
    assert "they have no other rights" in made.output
    assert "p@ss" not in made.output
    with connect(uris["loginsite_owner"]) as connection:
        assert role_differences(connection, settings) == []
    for task in needed_tasks(settings):
        with connect(uris[f"loginsite_{task}"]) as connection, connection.cursor() as cursor:
            cursor.execute("select current_user")
            assert cursor.fetchone() == (f"loginsite_{task}",)


def test_a_new_password_takes_the_place_of_the_old_one(database, settings):
    uris = uris_of(database, settings)
    make_roles(database, settings, Secrets(uris.get))
    newer = uris_of(database, settings, page="loginsite_page_login:newer")
    make_roles(database, settings, Secrets(newer.get))
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(uris["loginsite_page"])
    psycopg2.connect(newer["loginsite_page"]).close()


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"page": "loginsite_engine_login:x"}, "engine and page have the same user"),
        ({"page": "loginsite_page_login"}, "must name the user and the password"),
    ],
)
def test_logins_that_cannot_be_told_apart_are_refused(database, settings, others, said):
    with pytest.raises(SettingsError, match=said) as caught:
        role_logins(settings, Secrets(uris_of(database, settings, **others).get))
    assert "p%40ss" not in str(caught.value)


def test_the_superuser_never_becomes_a_login(database, settings):
    user = re.search(r"//([^@]+)@", database)[1]
    with pytest.raises(SettingsError, match=r"connections.page: its user is the superuser"):
        make_roles(database, settings, Secrets(uris_of(database, settings, page=user).get))


def test_connections_that_are_shared_are_refused(database, settings):
    one = settings.warehouse.model_copy(update={"connections": {}})
    with pytest.raises(SettingsError, match="share the connection nobodys"):
        role_logins(settings.model_copy(update={"warehouse": one}), Secrets({"nobodys": database}.get))
