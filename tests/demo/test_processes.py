"""Processes of the demo outlive their starter, are found by their marker alone, and leave no stray behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from deid_tasks.demo import processes

_SLEEPER = "import time; time.sleep(600)"
_PARENT_OF_A_SESSION = (
    f"import subprocess, sys; subprocess.run([sys.executable, '-c', {_SLEEPER!r}], start_new_session=True)"
)
_DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); {_SLEEPER}"


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    for pid in processes.running(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _start(folder, name, program):
    return processes.start(name, [sys.executable, "-c", program], os.environ, folder)


def _until(folder, is_true):
    """Wait as long as a process of the folder lives."""
    while not is_true():
        assert processes.running(folder)
        time.sleep(0.05)


def test_services_are_told_apart(folder):
    one, two = _start(folder, "one", _SLEEPER), _start(folder, "two", _SLEEPER)
    assert sorted(processes.running(folder)) == sorted([one, two])
    assert processes.running(folder, "one") == [one]
    assert processes.running(folder, "three") == []
    assert processes.stop(folder, "one") == 1
    assert processes.running(folder) == [two]


def test_another_folder_is_another_demo(folder, tmp_path):
    pid = _start(folder, "one", _SLEEPER)
    assert processes.running(folder) == [pid]
    assert processes.running(tmp_path / "other") == []
    assert processes.stop(tmp_path / "other") == 0
    assert processes.running(folder) == [pid]


def test_a_child_in_a_session_of_its_own_is_ended_too(folder):
    _start(folder, "parent", _PARENT_OF_A_SESSION)
    _until(folder, lambda: len(processes.running(folder)) == 2)
    assert processes.stop(folder) == 2
    assert processes.running(folder) == []


def test_a_process_deaf_to_sigterm_is_killed(folder):
    _start(folder, "deaf", _DEAF)
    _until(folder, lambda: "deaf" in processes.last_lines(folder, "deaf"))
    assert processes.stop(folder, grace_seconds=0.5) == 1
    assert processes.running(folder) == []


def test_a_process_outlives_the_command_that_started_it(folder):
    starter = (
        "import os, sys, pathlib; from deid_tasks.demo import processes;"
        f"processes.start('one', [sys.executable, '-c', {_SLEEPER!r}], os.environ, pathlib.Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", starter, str(folder)], check=True)
    _until(folder, lambda: len(processes.running(folder, "one")) == 1)


def test_a_port_in_use_is_passed_over():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert processes.answers(port)
        assert processes.free_port(port) != port
    assert processes.free_port(port) == port
