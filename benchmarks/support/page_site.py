"""The page De-identification over simulated history: two institutions, their database roles, and Airflow's API server.

The server is a process of its own, because Airflow reads its configuration once for each process.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg2
import yaml

from benchmarks.support.page_history import write_history
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.platform.warehouse.role_grants import roles_script
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import InstitutionSettings

ROOT = Path(__file__).parents[2]
TITLES = {"riverside": "Riverside Health", "lakeshore": "Lakeshore Medical Center"}
USERS: Mapping[str, tuple[str, Sequence[str]]] = {
    "admin": ("admin", ()),
    "officer": ("viewer", ("riverside", "lakeshore")),
    "riverside_only": ("viewer", ("riverside",)),
    "stranger": ("viewer", ()),
}
"""Users of Airflow, each with a role and the teams whose DAGs the user may read."""
_START_SECONDS = 300


@dataclass(frozen=True, slots=True)
class PageSite:
    """A running page."""

    address: str
    """Of Airflow; the page is at ``/palimpsest/`` below it."""
    tokens: Mapping[str, str]
    """What each user's browser sends as the cookie ``_token``."""
    settings: Mapping[str, InstitutionSettings]
    uris: Mapping[str, str]
    """The login of the page's role by institution."""
    owner: str
    """The database, as its owner."""


def page_settings(name: str, **sections: Any) -> InstitutionSettings:
    """Return settings of an institution whose page has a database connection of its own."""
    return InstitutionSettings.model_validate(_document(name, **sections))


@contextmanager
def page_site(
    owner: str, folder: Path, days: int, *, institutions: Sequence[str] = ("riverside", "lakeshore")
) -> Iterator[PageSite]:
    """Yield the page over ``days`` days of history, and end its server afterwards.

    Args:
        owner: An empty database, as a superuser.
        folder: Where settings and Airflow's metadata are written.
        days: Length of the first institution's history; that of the others is a tenth of it.
        institutions: The first one has a run and a request that wait for a person.
    """
    signing, verification = new_key_pair()
    settings, uris = {}, {}
    (folder / "institutions").mkdir(parents=True)
    for number, name in enumerate(institutions):
        document = _document(name)
        (folder / "institutions" / f"{name}.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
        settings[name] = InstitutionSettings.model_validate(document)
        uris[name] = _make_roles(owner, settings[name])
        upgrade_schemas(owner, settings[name])
        write_history(owner, settings[name], days if not number else max(30, days // 10), signing, is_held=not number)
    site = {"institutions": list(institutions), "waiting": [institutions[0]], "users": USERS}
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.support.page_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=(folder / "server.log").open("wb"),
        cwd=ROOT,
        env=_environment(folder, uris, verification),
    )
    try:
        ready = _ready(server, site, folder)
        yield PageSite(f"http://127.0.0.1:{ready['port']}", ready["tokens"], settings, uris, owner)
    finally:
        server.terminate()
        server.communicate(timeout=_START_SECONDS)


def _ready(server: "subprocess.Popen[bytes]", site: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(site).encode() + b"\n")
    server.stdin.flush()
    for line in server.stdout:
        if line.startswith(b"READY"):
            return dict(json.loads(line.removeprefix(b"READY")))
    raise RuntimeError(f"the server did not start:\n{(folder / 'server.log').read_text()[-4_000:]}")


def _document(name: str, **sections: Any) -> dict[str, Any]:
    return {
        "institution": name,
        "title": TITLES.get(name, name),
        "warehouse": {"connection": f"{name}_other", "connections": {"page": f"{name}_page"}, "layout": "omop"},
        "notes": {"start_date": "2023-01-01", "shard_notes": 2_000},
        "dictionaries": {"max_age_hours": 30},
        "gate": {"certificate_max_age_days": 60, "stratum_recall_min": 0.975},
        "obfuscate": {"key": f"{name}_key"},
        "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
        "work_dir": "/nowhere",
        **sections,
    }


def _make_roles(owner: str, settings: InstitutionSettings) -> str:
    """Make the institution's roles and a login of the page's; return its URI."""
    group, login = f"{settings.institution}_page", f"{settings.institution}_page_login"
    connection = psycopg2.connect(owner)
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            cursor.execute(roles_script(settings))
            # Roles belong to the server: another site of it may have made the login.
            cursor.execute("select 1 from pg_roles where rolname = %s", (login,))
            act = "alter" if cursor.fetchone() else "create"
            cursor.execute(f"{act} role {login} login password 'of_{login}'")
            cursor.execute(f"grant {group} to {login}")
            cursor.execute(f"alter role {login} set role = {group}")
    finally:
        connection.close()
    return f"postgresql://{login}:of_{login}@{owner.rpartition('@')[2]}"


def _environment(folder: Path, uris: Mapping[str, str], verification: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "PALIMPSEST"))}
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder}/airflow.db",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(folder),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__MULTI_TEAM": "True",
        "AIRFLOW__API_AUTH__JWT_SECRET": "a secret of this run alone, long enough for the signatures",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(
            ":".join(filter(None, [name, role, "|".join(teams)])) for name, (role, teams) in USERS.items()
        ),
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "False",
        "DO_NOT_TRACK": "1",
        "PALIMPSEST_INSTITUTIONS": str(folder / "institutions"),
        "AIRFLOW_VAR_CERTIFICATE_VERIFICATION_KEY": verification,
        **{f"AIRFLOW_CONN_{name.upper()}_PAGE": uri for name, uri in uris.items()},
    }
