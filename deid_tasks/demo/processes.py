"""Starts processes that outlive their command, and finds them again by a marker in their environment.

A process id alone is not enough: the system may have given it to another process. A process with the demo's marker was
started by the demo, or is a child of one that was.
"""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_MARKER = "PALIMPSEST_DEMO"
_SERVICE = "PALIMPSEST_DEMO_SERVICE"
_PROC = Path("/proc")


def start(name: str, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> int:
    """Start a command in a session of its own, with its output in ``folder/logs/name.log``; return its process id."""
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    marked = {
        **environment,
        _MARKER: str(folder),
        _SERVICE: name,
        # Airflow retitles its processes over the memory that holds the environment, marker included.
        "SPT_NOENV": "1",
    }
    with (logs / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=marked,
            cwd=folder,
            start_new_session=True,
        )
    # For a moment after the start, the system shows a process without its environment, and so without the marker.
    while process.poll() is None and f"{_MARKER}={folder}" not in _environment(process.pid):
        time.sleep(0.01)
    return process.pid


def running(folder: Path, *names: str) -> list[int]:
    """Return the processes with the marker of ``folder``: of the named services, or of all."""
    wanted = {f"{_SERVICE}={name}" for name in names}
    found = []
    for pid in _process_ids():
        environment = _environment(pid) if pid != os.getpid() else set()
        if f"{_MARKER}={folder}" in environment and (not wanted or wanted & environment):
            found.append(pid)
    return found


def stop(folder: Path, *names: str, grace_seconds: float = 20) -> int:
    """End the processes of ``folder``, of the named services or of all, and return how many there were.

    They get SIGTERM, and SIGKILL if they still run after the grace time.
    """
    found = running(folder, *names)
    for number, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 5.0)):
        for pid in running(folder, *names):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not running(folder, *names):
                return len(found)
            time.sleep(0.1)
    return len(found)


def free_port(preferred: int | None = None) -> int:
    """Return ``preferred`` if nothing listens there, otherwise a port that is free now."""
    for port in (preferred, 0):
        if port is None:
            continue
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise OSError("no free port on 127.0.0.1")


def answers(port: int) -> bool:
    """Whether something accepts connections on the loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def last_lines(folder: Path, name: str, count: int = 5) -> str:
    """Return the end of a service's log, for an error message."""
    with suppress(OSError):
        return "\n".join((folder / "logs" / f"{name}.log").read_text(errors="replace").splitlines()[-count:])
    return ""


def _process_ids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]


def _environment(pid: int) -> set[str]:
    """Return the environment of a process; an empty set if it has ended or belongs to another user."""
    try:
        return set(os.fsdecode((_PROC / str(pid) / "environ").read_bytes()).split("\0"))
    except OSError:
        return set()
