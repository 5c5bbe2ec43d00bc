"""The processor seconds of a PostgreSQL server and of this process, beside the seconds that pass.

The server's are those of its processes that have ended: each measured step connects for itself. Other processes of the
server end too, so autovacuum is switched off in a server that is measured.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from deid_tasks.platform.warehouse import connect

_TICKS = os.sysconf("SC_CLK_TCK")
_STATE_ENDS = ")"
_PARENT, _CHILDREN = 1, slice(13, 15)
"""Fields of /proc/PID/stat behind the name: the parent, and user and system time of children that were waited for."""
_PATIENCE_SECONDS = 0.2


class Work(NamedTuple):
    """The seconds of one step."""

    wall: float
    server: float
    """Processor seconds of the server."""
    process: float
    """Processor seconds of this process."""


class ServerWork:
    """Measures steps that connect to one local PostgreSQL."""

    def __init__(self, uri: str) -> None:
        """Find the server's main process."""
        with connect(uri) as connection:
            self._server = int(_stat(connection.info.backend_pid)[_PARENT])
        time.sleep(_PATIENCE_SECONDS)

    def measure(self, step: Callable[[], object]) -> Work:
        """Return the seconds of one step."""
        server, process, wall = self._seconds(), time.process_time(), time.monotonic()
        step()
        passed, used = time.monotonic() - wall, time.process_time() - process
        # The server waits for its processes a moment after they have ended.
        time.sleep(_PATIENCE_SECONDS)
        return Work(passed, self._seconds() - server, used)

    def _seconds(self) -> float:
        return sum(map(int, _stat(self._server)[_CHILDREN])) / _TICKS


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(_STATE_ENDS)[2].split()
