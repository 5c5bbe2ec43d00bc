"""Runs the demo of this room's tests: interrupted once by SIGKILL, and then to its end."""

import datetime
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psycopg2
import pytest
import yaml

from deid_tasks.demo import Size
from deid_tasks.demo.airflow_api import AirflowApi
from deid_tasks.demo.environment import UI_USER, demo_secrets, ui_password
from deid_tasks.demo.seed import spec_of
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import INSTITUTIONS, State, checkout
from deid_tasks.hospital import build_hospital
from deid_tasks.hospital.records import Hospital
from deid_tasks.settings import InstitutionSettings, Secrets

SIZE = Size(notes=240, patients=60, providers=30)
# A gold set of this size cannot show the recall that the committed thresholds ask for.
_SMALL = {
    "gate": {
        "recall_min": 0.9,
        "stratum_recall_min": 0.7,
        "precision_min": 0.8,
        "category_min": 0.8,
        "max_quarantined_share": 0.1,
    },
    "sampling": {"size": 60, "min_notes_per_stratum": 2, "random_size": 40},
    # Whoever has no queues takes no notice of it.
    "notes": {"queue": "gpu"},
}
_DEMO = """
import sys
from pathlib import Path
from deid_tasks.demo import Size, run
run(Size(*map(int, sys.argv[3:])), Path(sys.argv[1]), institutions=Path(sys.argv[2]))
"""

T = TypeVar("T")


@dataclass(frozen=True)
class Demo:
    """A finished demo that still stands."""

    folder: Path
    said: str
    institutions: list[InstitutionSettings]
    platform: Platform = field(repr=False)
    state: State = field(repr=False)
    api: AirflowApi = field(repr=False)
    hospitals: dict[str, Hospital] = field(repr=False)
    secrets: Secrets = field(repr=False)

    def rows(self, question: str) -> list[tuple]:
        """The answer of the warehouse."""
        connection = psycopg2.connect(self.platform.places.databases["ehr"])
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(question)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def backfill(self, dag_id: str, day: datetime.date) -> str:
        """Backfill one day, which may be published already; return the run."""
        for backfill in self.api.unfinished_backfills(dag_id):
            self.api.cancel_backfill(backfill)
        self.platform.create_backfill(self.institutions, dag_id, day, day)
        [run] = [run for run in self.api.runs(dag_id) if (run["logical_date"] or "")[:10] == day.isoformat()]
        return run["dag_run_id"]


def until(asked: Callable[[], T], asks: int = 2_000) -> T:
    """Ask again and again, each time after a pause: on a busy machine the answer takes longer, and so do the asks."""
    for _ in range(asks):
        if answer := asked():
            return answer
        time.sleep(0.5)
    raise AssertionError(f"no answer after {asks} asks")


def institutions_in(copy: Path) -> Path:
    shutil.copytree(checkout() / INSTITUTIONS, copy)
    for path in copy.glob("*.yaml"):
        document = yaml.safe_load(path.read_text())
        for section, values in _SMALL.items():
            document[section] = document.get(section, {}) | values
        path.write_text(yaml.safe_dump(document, sort_keys=False))
    return copy


def know_the_keys(state: State, institutions: list[InstitutionSettings]) -> None:
    """Keys that are no secret: the same surrogates every time, none of which meets a real name by chance."""
    names = [settings.obfuscate.key for settings in institutions]
    state.put("secrets", {name: hashlib.sha256(name.encode()).hexdigest() for name in names})


def environment_of(top: Path) -> dict[str, str]:
    """The caller's, except that what any tool leaves behind is left where the canary looks."""
    for name in ("tmp", "home"):
        (top / "run" / name).mkdir(parents=True)
    return {**os.environ, "TMPDIR": str(top / "run" / "tmp"), "HOME": str(top / "run" / "home"), "COLUMNS": "120"}


def _start(folder: Path, institutions: Path, environment: dict[str, str], **pipes: int) -> subprocess.Popen[str]:
    size = [str(number) for number in (SIZE.notes, SIZE.patients, SIZE.providers)]
    command = [sys.executable, "-c", _DEMO, str(folder), str(institutions), *size]
    return subprocess.Popen(command, env=environment, text=True, **pipes)


def interrupt(folder: Path, institutions: Path, environment: dict[str, str]) -> None:
    """Kill a first `make demo` while it fills the second warehouse: Airflow half up, one hospital without its patients."""
    first = _start(folder, institutions, environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while State.load(folder).get("seeded_lakeshore") is None:
        assert first.poll() is None
        time.sleep(0.02)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert State.load(folder).get("seeded_riverside") is None


def finish(folder: Path, institutions: Path, settings: list[InstitutionSettings], environment: dict[str, str]) -> Demo:
    second = _start(folder, institutions, environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said, _ = second.communicate(timeout=2_400)
    except subprocess.TimeoutExpired:
        second.kill()
        said, _ = second.communicate()
        pytest.fail(f"the demo did not end in 40 minutes; it had said:\n{said}")
    assert second.returncode == 0, said
    state = State.load(folder)
    platform = Platform(checkout(), state, print, institutions)
    api = AirflowApi(platform.places.airflow_port, UI_USER, ui_password(state))
    hospitals = {one.institution: build_hospital(spec_of(one, SIZE)) for one in settings}
    return Demo(folder, said, settings, platform, state, api, hospitals, demo_secrets(state, platform.places, settings))
