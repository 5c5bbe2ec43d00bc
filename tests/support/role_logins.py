"""Logins for the database roles of a test institution, made as `deid roles` says."""

import re

import psycopg2

from deid_tasks.platform.warehouse.role_grants import roles_script
from deid_tasks.platform.warehouse.roles import needed_tasks, role_name


def run_script(uri: str, script: str) -> None:
    """Run SQL as the server's superuser; the script has its own transaction."""
    connection = psycopg2.connect(uri)
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            cursor.execute(script)
    finally:
        connection.close()


def make_logins(uri: str, settings) -> dict[str, str]:
    """Make the institution's roles and a login for each; return the logins' URIs by task."""
    run_script(uri, roles_script(settings))
    uris = {}
    for task in needed_tasks(settings):
        group = role_name(settings, task)
        login = f"{group}_login"
        run_script(
            uri,
            f"drop role if exists {login};"
            f" create role {login} login password 'of_{login}' in role {group}; alter role {login} set role = {group}",
        )
        uris[task] = re.sub(r"//[^@]+@", f"//{login}:of_{login}@", uri)
    return uris
