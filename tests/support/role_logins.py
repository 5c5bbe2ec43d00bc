"""Logins for the database roles of a test institution, made as `deid roles` says."""

import re

import psycopg2

from deid_tasks.platform.warehouse.role_grants import roles_script
from deid_tasks.platform.warehouse.roles import needed_tasks, role_name
from deid_tasks.settings import DATABASE_TASKS, InstitutionSettings

CANARY = "The zephyranthes infusion was tolerated with quiet curiosity."
"""In every note of the institution: wherever it is found, the text of a note was stored."""


def settings_with_roles(name, folder, **sections):
    """Return the settings of an institution that has a connection for each kind of task, and no other."""
    return InstitutionSettings.model_validate(
        {
            "institution": name,
            "title": name,
            # No secret has the name of `connection`: a step that forgot its task fails.
            "warehouse": {
                "connection": "nobodys",
                "connections": {task: f"{name}_{task}" for task in DATABASE_TASKS},
                "layout": "omop",
            },
            "notes": {"start_date": "2024-01-01", "shard_notes": 40},
            "detect": {"detectors": ["patterns", "lexicon", "patient"]},
            "obfuscate": {"key": "surrogate_key"},
            "sampling": {"size": 5, "random_size": 5},
            "gate": {"recall_min": 0.5, "precision_min": 0.5, "stratum_recall_min": 0.4},
            "publish": {
                "bucket": "published", "object_store": "object_store", "catalog": "catalog", "table": f"{name}.notes",
                "tables": ["patients"],
            },
            "vault": {"bucket": "rolesite-originals", "object_store": "object_store"},
            "work_dir": str(folder / name),
            **sections,
        }
    )  # fmt: skip


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
