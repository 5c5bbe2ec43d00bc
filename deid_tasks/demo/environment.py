"""The environment of the demo's Airflow: what a deployment writes into its own configuration."""

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from deid_tasks.core.files import write_atomically
from deid_tasks.demo.secrets_file import SECRETS_FILE, added_secrets
from deid_tasks.demo.state import State
from deid_tasks.platform.warehouse.roles import needed_tasks, role_name
from deid_tasks.settings import InstitutionSettings, Secrets

UI_USER = "admin"
AIRFLOW_LOGIN, CATALOG_LOGIN = "airflow", "catalog"
"""The logins that own Airflow's database and the catalog of the published tables, and nothing else."""
CORES = len(os.sched_getaffinity(0))
"""Cores that the demo may use."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the demo's services are."""

    root: Path
    institutions: Path
    """The folder of the institutions' YAML files."""
    airflow_port: int
    object_store_port: int
    databases: Mapping[str, str] = field(repr=False)
    """URIs of the PostgreSQL databases ``airflow``, ``ehr`` and ``catalog``, of the superuser who sets them up."""

    @property
    def object_store(self) -> str:
        """The S3 endpoint."""
        return f"http://127.0.0.1:{self.object_store_port}"

    @property
    def airflow(self) -> str:
        """The address of Airflow's UI and API."""
        return f"http://127.0.0.1:{self.airflow_port}"


def airflow_environment(state: State, places: Places, institutions: list[InstitutionSettings]) -> dict[str, str]:
    """Return the environment of the demo's Airflow: its configuration, its secrets, and those of ``secrets.env``.

    Nothing of an Airflow in the caller's shell is passed on. Only the demo's own institutions get generated secrets.
    The login for re-identification is not among them: no task uses it.

    Raises:
        DemoError: ``secrets.env`` cannot be read, or sets a secret of the demo itself.
    """
    own = _airflow_secrets(state, places, institutions)
    for settings in institutions:
        own.pop(_variable(settings.warehouse.connections.get("reidentify", "")), None)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    home = state.folder / "airflow"
    return {
        **inherited,
        **no_telemetry(),
        **_settings(state, places, home),
        **own,
        **added_secrets(state.folder / SECRETS_FILE, reserved=own),
        "AIRFLOW_HOME": str(home),
        "PALIMPSEST_INSTITUTIONS": str(places.institutions),
        "PALIMPSEST_WORK_DIR": str(state.folder / "work"),
        "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
        "TZ": "UTC",
    }


def service_environment(
    service: str, environment: Mapping[str, str], institutions: list[InstitutionSettings]
) -> dict[str, str]:
    """Return what one of Airflow's processes is given: its configuration, and the secrets that it needs.

    The scheduler runs the tasks and has theirs, without the page's login. The API server shows the page
    *De-identification*, with sums and the state of certificates. The DAG processor reads no secret. Those of
    ``secrets.env`` are given to all.
    """
    kept: set[str] = set()
    dropped: set[str] = set()
    for settings in institutions:
        page = {settings.warehouse.connection_of("page"), settings.gate.verification_key}
        own_login = settings.warehouse.connections.get("page", "")
        needed = {"api-server": page, "scheduler": _names(settings) - {own_login}}.get(service, set())
        dropped |= {_variable(name) for name in _names(settings)}
        kept |= {_variable(name) for name in needed}
    return {name: value for name, value in environment.items() if name in kept or name not in dropped}


def login_uri(uri: str, user: str, state: State) -> str:
    """Return the URI of a database for one of the demo's logins, with a password of its own."""
    parts = urlsplit(uri)
    server = f"{quote(user, safe='')}:{state.secret(f'login {user}').hex()}@{parts.hostname}:{parts.port}"
    return urlunsplit(parts._replace(netloc=server))


def no_telemetry() -> dict[str, str]:
    """Return the variables that switch off the usage reports of all tools."""
    return {
        "DO_NOT_TRACK": "1",
        "SCARF_ANALYTICS": "false",
        "SCARF_NO_ANALYTICS": "true",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "False",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "False",
        "GX_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
    }


def _settings(state: State, places: Places, home: Path) -> dict[str, str]:
    passwords = home / "passwords.json"
    values: dict[str, dict[str, object]] = {
        "CORE": {
            "DAGS_FOLDER": places.root / "dags",
            "PLUGINS_FOLDER": places.root / "plugins",
            "LOAD_EXAMPLES": False,
            "EXECUTOR": "LocalExecutor",
            "PARALLELISM": max(4, 2 * CORES),
            "DEFAULT_TIMEZONE": "utc",
            "EXECUTION_API_SERVER_URL": f"{places.airflow}/execution/",
            "FERNET_KEY": base64.urlsafe_b64encode(state.secret("fernet")).decode(),
            "SIMPLE_AUTH_MANAGER_USERS": f"{UI_USER}:admin",
            "SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": passwords,
        },
        "DATABASE": {
            "SQL_ALCHEMY_CONN": login_uri(places.databases["airflow"], AIRFLOW_LOGIN, state).replace(
                "postgresql://", "postgresql+psycopg2://", 1
            )
        },
        "API": {
            "HOST": "127.0.0.1",
            "PORT": places.airflow_port,
            "BASE_URL": places.airflow,
            "SECRET_KEY": state.secret("api").hex(),
            "WORKERS": 1,
        },
        "API_AUTH": {"JWT_SECRET": state.secret("jwt").hex()},
        "LOGGING": {"BASE_LOG_FOLDER": state.folder / "logs" / "tasks"},
        "DAG_PROCESSOR": {"MIN_FILE_PROCESS_INTERVAL": 60, "PARSING_PROCESSES": 1},
        "SCHEDULER": {"SCHEDULER_IDLE_SLEEP_TIME": 0.5, "SCHEDULER_HEARTBEAT_SEC": 2},
        "COSMOS": {"CACHE_DIR": home / "cosmos"},
    }
    return {f"AIRFLOW__{part}__{key}": str(value) for part, keys in values.items() for key, value in keys.items()}


def demo_secrets(state: State, places: Places, institutions: list[InstitutionSettings]) -> Secrets:
    """Return the secrets that the institutions' settings name, as the engine reads them."""
    return Secrets(secret_values(state, places, institutions).get)


def secret_values(state: State, places: Places, institutions: list[InstitutionSettings]) -> dict[str, str]:
    """Return the secrets that the institutions' settings name, by name."""
    store = {
        "endpoint": places.object_store,
        "region": "us-east-1",
        "access_key": "palimpsest",
        "secret_key": state.secret("object_store").hex(),
    }
    found: dict[str, str] = {}
    for settings in institutions:
        found[settings.obfuscate.key] = base64.b64encode(state.secret(settings.obfuscate.key)).decode()
        found |= _warehouse_secrets(state, places, settings)
        found[settings.publish.catalog] = login_uri(places.databases["catalog"], CATALOG_LOGIN, state)
        found[settings.publish.object_store] = json.dumps(store)
        found[settings.gate.signing_key], found[settings.gate.verification_key] = _key_pair(
            state.secret(settings.gate.signing_key)
        )
        audit_log = settings.audit_log
        found[audit_log.signing_key], found[audit_log.verification_key] = _key_pair(state.secret(audit_log.signing_key))
    return found


def _warehouse_secrets(state: State, places: Places, settings: InstitutionSettings) -> dict[str, str]:
    """Return a URI for each kind of task; one for all where the settings name no ``connections``."""
    uri, warehouse = places.databases["ehr"], settings.warehouse
    if not warehouse.connections:
        return {warehouse.connection: uri}
    return {
        warehouse.connection_of(task): login_uri(uri, f"{role_name(settings, task)}_login", state)
        for task in needed_tasks(settings)
    }


def _names(settings: InstitutionSettings) -> set[str]:
    """Return the names of all secrets that the demo sets for an institution."""
    return {
        *(settings.warehouse.connection_of(task) for task in needed_tasks(settings)),
        settings.obfuscate.key,
        settings.publish.catalog,
        settings.publish.object_store,
        settings.gate.signing_key,
        settings.gate.verification_key,
        settings.audit_log.signing_key,
        settings.audit_log.verification_key,
    }


def _variable(name: str) -> str:
    """Return the environment variable in which Airflow looks for a connection."""
    return f"AIRFLOW_CONN_{name.upper()}"


def _key_pair(seed: bytes) -> tuple[str, str]:
    """Return the private and the public PEM of the Ed25519 key that is made of 32 bytes."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return (
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
    )


def _airflow_secrets(state: State, places: Places, institutions: list[InstitutionSettings]) -> dict[str, str]:
    return airflow_connections(secret_values(state, places, institutions))


def airflow_connections(values: Mapping[str, str]) -> dict[str, str]:
    """Return secrets as the environment of Airflow's connections, which ``dags/wiring/secrets.py`` reads.

    Args:
        values: secrets by name, as the engine reads them.
    """
    found: dict[str, str] = {}
    for name, value in values.items():
        if value.startswith("{"):
            store = json.loads(value)
            extra = {"endpoint_url": store["endpoint"], "region_name": store.get("region", "us-east-1")}
            aws = {"conn_type": "aws", "login": store["access_key"], "password": store["secret_key"], "extra": extra}
            found[_variable(name)] = json.dumps(aws)
        elif "://" in value:
            found[_variable(name)] = value
        else:
            found[_variable(name)] = json.dumps({"conn_type": "generic", "password": value})
    return found


def ui_password(state: State) -> str:
    """Return the password of the UI's user, and write it where Airflow's simple auth manager reads it."""
    password = state.secret("ui").hex()[:16]
    file = state.folder / "airflow" / "passwords.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps({UI_USER: password}))
    return password
