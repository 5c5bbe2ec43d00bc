"""A small site whose runs a real Airflow schedules: API server, scheduler with its tasks, DAG processor."""

import json
import logging
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from benchmarks.changes.living_site import LivingCopy, LivingSite
from benchmarks.changes.site_services import SiteServices, site_services
from deid_tasks.demo import processes
from deid_tasks.demo.airflow_api import AirflowApi
from deid_tasks.demo.databases import end_idle_transactions
from deid_tasks.demo.environment import UI_USER, Places, airflow_connections, airflow_environment, ui_password
from deid_tasks.demo.state import State, checkout
from deid_tasks.settings import InstitutionSettings, airflow_pools

SERVICES = ("api-server", "scheduler", "dag-processor")
_OPTIONS = {
    # The server of logs has processes of its own, which would be taken for tasks, and a port that a killed one holds.
    "scheduler": ["--skip-serve-logs"],
}
_COPY = "living_airflow"
_DATABASE = "airflow"
_RARELY = "0 0 29 2 *"
_START_SECONDS = 900
_ZOMBIE_SECONDS = 60
_IDLE_SECONDS = 10
"""After which the server ends a transaction of Airflow that does nothing; minutes in a deployment."""
_PATIENCE = {
    # A real deployment waits up to five minutes before it takes a task for dead; a trial does not.
    "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "30",
    "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "5",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
    # The DAGs do not change, and parsing them all takes a core for half a minute.
    "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",
}


class AirflowSite:
    """A site, its copy that Airflow's tasks publish from, and Airflow's processes.

    Args:
        services: database and object store, for Airflow and the site alike.
        site: the certified institution, which every copy begins from.
    """

    def __init__(self, services: SiteServices, site: LivingSite) -> None:
        self.site = site
        self._postgres = services.postgres
        self.folder = services.folder / "airflow"
        self._state = State(self.folder)
        self._port = processes.free_port()
        self.copy: LivingCopy = site.copy(_COPY)
        """What the tasks read and publish now."""
        self._environment = self._prepare(services)
        self.api = AirflowApi(self._port, UI_USER, ui_password(self._state))
        self._main: dict[str, int] = {}

    @property
    def logs(self) -> Path:
        """The folder of the logs of Airflow's processes and tasks."""
        return self.folder / "logs"

    def begin_again(self) -> None:
        """Take away all that was published: the tasks read a new copy of the site."""
        with suppress(Exception):
            self.copy.drop()
        self.copy = self.site.copy(_COPY)

    def prepare_database(self) -> None:
        """Create Airflow's tables and pools."""
        for command in (["db", "migrate"], ["pools", "import", str(self._pools())]):
            done = subprocess.run(
                [_airflow(), *command], env=self._environment, cwd=self.folder, capture_output=True, check=False
            )
            if done.returncode:
                raise RuntimeError(f"airflow {command[0]} failed: {done.stderr.decode()[-2_000:]}")

    def start(self, *services: str) -> None:
        """Start the services, and wait until Airflow says that all of it is healthy."""
        for name in services:
            self._main[name] = processes.start(
                name, [_airflow(), name, *_OPTIONS.get(name, [])], self._environment, self.folder
            )
        deadline = time.monotonic() + _START_SECONDS
        while not self.api.is_healthy():
            ended = [name for name in services if not is_alive(self._main[name])]
            if ended or time.monotonic() > deadline:
                name = (ended or services)[0]
                what = f"{name} has ended" if ended else "Airflow is not healthy"
                raise RuntimeError(f"{what}: {processes.last_lines(self.folder, name)}")
            time.sleep(0.5)

    def stop(self) -> None:
        """End every process of this Airflow."""
        processes.stop(self.folder)

    def kill_main(self, service: str) -> None:
        """Kill the process of a service that was started, and leave its children."""
        os.kill(self._main[service], signal.SIGKILL)
        self._wait_until_gone({self._main[service]})

    def kill_all(self, service: str) -> None:
        """Kill a service with all its children, as the end of a container does."""
        found = processes.running(self.folder, service)
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._wait_until_gone(set(found))

    def kill_task(self) -> bool:
        """Kill the processes in which tasks run, and leave those that supervise them; return whether there was one."""
        pids = set(processes.running(self.folder, "scheduler"))
        parents = {pid: parent_of(pid) for pid in pids}
        # Scheduler, its workers, and below each worker the task.
        tasks = [pid for pid in pids if parents.get(parents[pid], 0) == self._main["scheduler"]]
        for pid in tasks:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(tasks)

    def end_orphans(self) -> int:
        """Let the tasks that a killed scheduler left come to their end, then kill what supervised them.

        Return how many processes there were.
        """
        deadline = time.monotonic() + _ZOMBIE_SECONDS
        first = self._orphans()
        while (orphans := self._orphans()) and time.monotonic() < deadline:
            if not any(parent_of(pid) in orphans for pid in orphans):
                break
            time.sleep(0.5)
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(first)

    def _orphans(self) -> set[int]:
        pids = processes.running(self.folder, "scheduler")
        return {pid for pid in pids if not descends(pid, self._main["scheduler"])}

    def _prepare(self, services: SiteServices) -> Mapping[str, str]:
        """Write the institution's file, and return the environment of Airflow's processes."""
        institutions = self.folder / "institutions"
        institutions.mkdir(parents=True)
        settings = self.copy.settings
        document = settings.model_dump(mode="json", exclude_unset=True)
        # Airflow starts no run by itself until then: a run of a day without notes would publish its empty slice too.
        document["notes"]["schedule"] = _RARELY
        (institutions / f"{settings.institution}.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
        services.postgres.create_database(_DATABASE)
        end_idle_transactions(services.postgres.uri(_DATABASE), _IDLE_SECONDS)
        uris = {"airflow": services.postgres.uri(_DATABASE), "ehr": self.copy.uri, "catalog": self.copy.uri}
        port = urlsplit(services.object_store["endpoint"]).port or 80
        places = Places(checkout(), institutions, self._port, port, uris)
        environment = airflow_environment(self._state, places, [settings])
        secrets = {name: self.copy.secrets.text(name) for name in _secret_names(settings)}
        return {
            **environment,
            **airflow_connections(secrets),
            **_PATIENCE,
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": uris["airflow"].replace("postgresql:", "postgresql+psycopg2:", 1),
        }

    def _pools(self) -> Path:
        pools = airflow_pools([self.site.settings])
        for one in pools.values():
            one["slots"] = min(one["slots"], math.ceil(len(os.sched_getaffinity(0))))
        path = self.folder / "pools.json"
        path.write_text(json.dumps(pools), encoding="utf-8")
        return path

    @staticmethod
    def _wait_until_gone(pids: set[int]) -> None:
        while any(is_alive(pid) for pid in pids):
            time.sleep(0.05)


@contextmanager
def airflow_site(layout: str) -> Iterator[AirflowSite]:
    """Yield a site whose Airflow runs; all services end with the block."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with site_services() as services:
        services.postgres.create_database("site")
        site = LivingSite.build(services.postgres.uri("site"), layout, services.object_store, services.folder)
        made = AirflowSite(services, site)
        try:
            made.prepare_database()
            made.start(*SERVICES)
            yield made
        finally:
            made.stop()


def _secret_names(settings: InstitutionSettings) -> list[str]:
    """Return the names of the secrets that the tasks of a run need."""
    return [
        settings.warehouse.connection,
        settings.obfuscate.key,
        settings.gate.verification_key,
        settings.publish.catalog,
        settings.publish.object_store,
    ]


def _airflow() -> str:
    return str(Path(sys.executable).parent / "airflow")


def parent_of(pid: int) -> int:
    """Return the process that started this one; 0 if it has ended."""
    try:
        # The name in brackets may hold spaces and brackets itself.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descends(pid: int, ancestor: int) -> bool:
    """Whether a process is another one, or was started by it or by one of its descendants, which all run still."""
    while pid > 1:
        if pid == ancestor:
            return True
        pid = parent_of(pid)
    return False
