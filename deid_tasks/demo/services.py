"""Starts and stops the demo's services: PostgreSQL, an S3 emulator, and Airflow."""

import datetime
import hashlib
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from deid_tasks.core.errors import WarehouseError
from deid_tasks.core.files import write_atomically
from deid_tasks.demo import processes
from deid_tasks.demo.airflow_api import AirflowApi
from deid_tasks.demo.databases import close_database, end_idle_transactions, make_database_login
from deid_tasks.demo.environment import (
    AIRFLOW_LOGIN,
    CATALOG_LOGIN,
    CORES,
    UI_USER,
    Places,
    airflow_environment,
    demo_secrets,
    login_uri,
    no_telemetry,
    service_environment,
    ui_password,
)
from deid_tasks.demo.seed import DEMO_INSTITUTIONS
from deid_tasks.demo.state import INSTITUTIONS, DemoError, State
from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.platform.warehouse.role_logins import make_roles
from deid_tasks.settings import InstitutionSettings, airflow_pools, read_institutions

DATABASES = ("airflow", "ehr", "catalog")
_AIRFLOW = ("api-server", "scheduler", "dag-processor")
_OBJECT_STORE = "object-store"
_UI_PORT = 8080
_START_SECONDS = 180
_IDLE_SECONDS = 300
"""After which the server ends a transaction of Airflow that does nothing."""

Say = Callable[[str], None]


class Platform:
    """The services of one demo. Starting a running service, or stopping a stopped one, changes nothing."""

    def __init__(self, root: Path, state: State, say: Say, institutions: Path | None = None) -> None:
        self._root, self._state, self._say = root, state, say
        self._institutions = institutions or root / INSTITUTIONS
        self._postgres = EmbeddedPostgres(state.folder / "postgres")

    def start_stores(self) -> None:
        """Start PostgreSQL with its databases, and the S3 emulator; raise ``WarehouseError`` or ``DemoError``."""
        self._start_postgres()
        self._start_object_store()

    def start_airflow(self, institutions: list[InstitutionSettings]) -> AirflowApi:
        """Start Airflow's processes; a running Airflow whose configuration or secrets have changed is restarted.

        Raises:
            DemoError: a command failed; the text names its log.
        """
        port = self._port("airflow_port", "api-server", _UI_PORT)
        environment = airflow_environment(self._state, self.places, institutions)
        password = ui_password(self._state)
        # The rest comes from the caller's shell: another terminal is not a reason for a restart.
        ours = sorted(item for item in environment.items() if item[0].startswith(("AIRFLOW", "PALIMPSEST")))
        version = hashlib.sha256(json.dumps(ours).encode()).hexdigest()
        if self._state.get("airflow_configuration") != version:
            self.stop_airflow()
        missing = [name for name in _AIRFLOW if not processes.running(self._state.folder, name)]
        if missing:
            self._say("starting Airflow: API server, scheduler, DAG processor")
            self._command("db-migrate", ["airflow", "db", "migrate"], environment)
            self._command("pools", ["airflow", "pools", "import", str(self._write_pools())], environment)
        for name in missing:
            given = service_environment(name, environment, institutions)
            processes.start(name, [_program("airflow"), name], given, self._state.folder)
        self._state.put("airflow_configuration", version)
        return AirflowApi(port, UI_USER, password)

    def make_roles(self, institutions: list[InstitutionSettings]) -> None:
        """Make each institution's database roles and their logins, and mend what differs.

        Raises:
            WarehouseError: the server refused a statement.
        """
        places = self.places
        secrets = demo_secrets(self._state, places, institutions)
        for settings in institutions:
            if settings.warehouse.connections:
                make_roles(places.databases["ehr"], settings, secrets)

    def wait_for_airflow(self, api: AirflowApi) -> None:
        """Wait until Airflow is healthy; raise ``DemoError`` with its log after three minutes."""
        self._wait("Airflow", "api-server", api.is_healthy)

    def create_backfill(
        self, institutions: list[InstitutionSettings], dag_id: str, first: datetime.date, last: datetime.date
    ) -> None:
        """Run `airflow backfill create` for the days from ``first`` to ``last``; completed days are run again."""
        days = ["--from-date", first.isoformat(), "--to-date", last.isoformat()]
        again = ["--reprocess-behavior", "completed", "--max-active-runs", "2"]
        environment = airflow_environment(self._state, self.places, institutions)
        self._command("backfill", ["airflow", "backfill", "create", "--dag-id", dag_id, *days, *again], environment)

    def _write_pools(self) -> Path:
        """Write every institution's pools; together, the demo's tasks that run the engine have one slot a core."""
        usable, _ = read_institutions(self._institutions)
        pools = airflow_pools(usable)
        slots = math.ceil(CORES / len(DEMO_INSTITUTIONS))
        for name in {one.engine_pool for one in usable}:
            pools[name]["slots"] = min(pools[name]["slots"], slots)
        file = self._state.folder / "pools.json"
        write_atomically(file, json.dumps(pools, indent=2))
        return file

    def make_buckets(self, names: set[str]) -> None:
        """Create the S3 buckets that do not exist."""
        import boto3

        store = boto3.client(
            "s3",
            endpoint_url=self.places.object_store,
            region_name="us-east-1",
            aws_access_key_id="palimpsest",
            aws_secret_access_key=self._state.secret("object_store").hex(),
        )
        for name in sorted(names):
            store.create_bucket(Bucket=name)

    @property
    def postgres_home(self) -> Path:
        """The folder of PostgreSQL's cluster and logs."""
        return self._postgres.home

    @property
    def places(self) -> Places:
        """Return where the services are; raise ``WarehouseError`` or ``DemoError`` before they were started."""
        airflow, store = self._state.get("airflow_port"), self._state.get("object_store_port")
        if airflow is None or store is None:
            raise DemoError("the demo is not up: run `make demo`")
        return Places(
            self._root, self._institutions, airflow, store, {name: self._postgres.uri(name) for name in DATABASES}
        )

    def stop_airflow(self) -> None:
        """End Airflow and the tasks it runs."""
        processes.stop(self._state.folder, *_AIRFLOW)

    def stop(self) -> int:
        """End all processes with the demo's marker, and PostgreSQL last; return how many there were."""
        stopped = processes.stop(self._state.folder)
        with suppress(WarehouseError):
            stopped += bool(self._postgres.port)
        self._postgres.stop()
        return stopped

    def _start_postgres(self) -> None:
        remembered = self._state.get("postgres_port")
        try:
            port = self._postgres.port
        except WarehouseError:
            self._say("starting PostgreSQL")
            port = processes.free_port(remembered)
        self._postgres = EmbeddedPostgres(self._state.folder / "postgres", port=port)
        self._postgres.start()
        self._state.put("postgres_port", self._postgres.port)
        for name in DATABASES:
            self._postgres.create_database(name)
        for name, login in (("airflow", AIRFLOW_LOGIN), ("catalog", CATALOG_LOGIN)):
            uri = self._postgres.uri(name)
            make_database_login(uri, login_uri(uri, login, self._state))
        end_idle_transactions(self._postgres.uri("airflow"), _IDLE_SECONDS)
        close_database(self._postgres.uri("ehr"))

    def _start_object_store(self) -> None:
        port = self._port("object_store_port", _OBJECT_STORE, None)
        if processes.running(self._state.folder, _OBJECT_STORE):
            return
        # The emulator keeps objects in memory: a catalog of an earlier one would point at nothing.
        self._forget_catalog()
        self._say("starting the S3 emulator (moto)")
        command = [_program("moto_server"), "-H", "127.0.0.1", "-p", str(port)]
        processes.start(_OBJECT_STORE, command, _plain_environment(), self._state.folder)
        self._wait("the S3 emulator", _OBJECT_STORE, lambda: processes.answers(port))

    def _forget_catalog(self) -> None:
        import psycopg2

        self.stop_airflow()
        connection = psycopg2.connect(self._postgres.uri("catalog"))
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(
                    f"DROP SCHEMA public CASCADE; CREATE SCHEMA public; ALTER SCHEMA public OWNER TO {CATALOG_LOGIN}"
                )
        finally:
            connection.close()

    def _port(self, key: str, service: str, preferred: int | None) -> int:
        """Return a service's port: the remembered one while it runs, otherwise that or the preferred one if free."""
        remembered = self._state.get(key)
        if remembered and processes.running(self._state.folder, service):
            return int(remembered)
        wanted = remembered or preferred
        port = processes.free_port(wanted)
        if wanted and port != wanted:
            self._say(f"port {wanted} is in use by another program; {service} takes {port}")
        self._state.put(key, port)
        return port

    def _command(self, name: str, command: list[str], environment: Mapping[str, str]) -> None:
        logs = self._state.folder / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        with (logs / f"{name}.log").open("ab") as log:
            result = subprocess.run(  # noqa: S603
                [_program(command[0]), *command[1:]],
                env=dict(environment),
                cwd=self._state.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if result.returncode:
            raise DemoError(f"`{' '.join(command[:3])}` failed; see {logs / f'{name}.log'}")

    def _wait(self, what: str, service: str, is_ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not is_ready():
            if not processes.running(self._state.folder, service) or time.monotonic() > deadline:
                log = self._state.folder / "logs" / f"{service}.log"
                raise DemoError(
                    f"{what} does not start; see {log}\n{processes.last_lines(self._state.folder, service)}"
                )
            time.sleep(0.5)


def _program(name: str) -> str:
    """Return the path of a command of this virtual environment, whether or not it is activated."""
    return str(Path(sys.executable).parent / name)


def _plain_environment() -> dict[str, str]:
    return {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", **no_telemetry()}
