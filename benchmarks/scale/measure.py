"""Measures a stage in a process of its own: what it took, and how much memory."""

import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.support.server_work import ServerWork

_BYTES_PER_KIB, _MEGABYTE = 1_024, 1_000_000

T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    """What a stage cost; stages that are added up have the memory of the largest."""

    wall: float = 0
    process: float = 0
    """Processor seconds of the stage's process and its children."""
    server: float = 0
    """Processor seconds of PostgreSQL."""
    peak_mb: float = 0

    @property
    def core_seconds(self) -> float:
        """Processor seconds of all processes; those of the object store are not counted."""
        return self.process + self.server

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.wall + other.wall,
            self.process + other.process,
            self.server + other.server,
            max(self.peak_mb, other.peak_mb),
        )


class StageMeter:
    """Runs stages against one PostgreSQL."""

    def __init__(self, uri: str) -> None:
        """Find the server's main process."""
        self._server = ServerWork(uri)

    def run(self, stage: Callable[..., Any], *values: Any) -> tuple[Any, Cost]:
        """Return what a stage returns, and what it cost.

        The process has ended when the server's seconds are read: connections that libraries keep open have too.
        """
        found: list[tuple[Any, Cost]] = []

        work = self._server.measure(lambda: found.append(in_process(_measured, stage, values)))
        [(returned, cost)] = found
        return returned, Cost(cost.wall, cost.process, work.server, cost.peak_mb)


def in_process(step: Callable[..., T], *values: Any) -> T:
    """Return what a step returns that runs in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(step, *values).result()


def _measured(stage: Callable[..., Any], values: tuple[Any, ...]) -> tuple[Any, Cost]:
    """Call the stage; return what it returns, and what it cost outside of the server."""
    wall, process = time.monotonic(), _processor_seconds()
    returned = stage(*values)
    passed, used = time.monotonic() - wall, _processor_seconds() - process
    peak = max(_own_peak_kib(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    return returned, Cost(passed, used, peak_mb=peak * _BYTES_PER_KIB / _MEGABYTE)


def _own_peak_kib() -> int:
    """Return the peak memory of this process; ``ru_maxrss`` would begin with that of the process that started it."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _processor_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
