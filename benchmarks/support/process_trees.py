"""What processes and all that they started have used: processor seconds and memory."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _USED = 1, slice(11, 15)
"""Fields of /proc/PID/stat behind the name: the parent; user and system time, and those of children that ended."""
_BYTES_PER_KIB = 1_024
_SAMPLE_SECONDS = 1.0


def core_seconds(roots: Iterable[int], without: Iterable[int] = ()) -> float:
    """Return the processor seconds of processes and of all that they started and that run or were waited for.

    Args:
        roots: The processes.
        without: Processes that do not count, with all that they started.
    """
    stats = _stats()
    counted = _members(stats, roots) - _members(stats, without)
    return sum(sum(map(int, stats[pid][_USED])) for pid in counted) / _TICKS


def memory_bytes(roots: Iterable[int], without: Iterable[int] = ()) -> int:
    """Return the memory of processes and of all that they started; what they share counts once."""
    stats = _stats()
    return sum(_share(pid) for pid in _members(stats, roots) - _members(stats, without))


@dataclass
class Peak:
    """The most memory that was seen."""

    bytes: int = 0


@contextmanager
def peak_memory(roots: Callable[[], Iterable[int]], without: Iterable[int] = ()) -> Iterator[Peak]:
    """Yield the most memory that processes had at once while the block ran; it is looked at each second."""
    others = list(without)
    peak, ended = Peak(), threading.Event()

    def watch() -> None:
        while not ended.wait(_SAMPLE_SECONDS):
            peak.bytes = max(peak.bytes, memory_bytes(roots(), others))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        ended.set()
        watcher.join()


def _stats() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for path in _PROC.glob("[0-9]*"):
        with suppress(OSError):
            found[int(path.name)] = (path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return found


def _members(stats: dict[int, list[str]], roots: Iterable[int]) -> set[int]:
    """Return the roots and their descendants."""
    wanted = set(roots)
    found: set[int] = set()
    for pid in stats:
        line, one = [], pid
        while one in stats and one not in wanted and one not in found:
            line.append(one)
            one = int(stats[one][_PARENT])
        if one in wanted or one in found:
            found.update(line, {one} & stats.keys())
    return found


def _share(pid: int) -> int:
    with suppress(OSError):
        for line in (_PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * _BYTES_PER_KIB
    return 0
