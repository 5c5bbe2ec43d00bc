"""Which files of the published table are rewritten together: what a compaction reads and how much it may.

Two things are put right, one partition at a time. Small files are merged to files of the wanted size. And where many
files of that size span the same slices, they are sorted together, so that each slice is in few of them: a reader or
writer of one slice skips a file whose least and greatest slice do not enclose it.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from deid_tasks.settings import MaintenanceSettings

MAX_OVERLAPPING = 4
"""Files of the wanted size in one partition that may span one slice."""

_MEGABYTE = 1_000_000
_SMALL_PART = 0.75
"""A file below this part of the wanted size is small."""
_MAX_FILES = 4_000
"""Files that one commit replaces at most."""


class TableFile(NamedTuple):
    """A data file, and the least and greatest slice in it."""

    path: str
    partition: Hashable
    size: int
    """Bytes."""
    first_slice: str
    last_slice: str


class Rewrite(NamedTuple):
    """Files of one partition that are replaced by ``parts`` files with the same rows."""

    files: tuple[TableFile, ...]
    parts: int


@dataclass(frozen=True, slots=True)
class CompactionBounds:
    """What the files shall be like, and how much one commit may replace."""

    file_bytes: int
    commit_bytes: int
    min_files: int

    @classmethod
    def of(cls, settings: MaintenanceSettings) -> "CompactionBounds":
        """Return the bounds that the settings give."""
        return cls(settings.file_megabytes * _MEGABYTE, settings.commit_megabytes * _MEGABYTE, settings.min_files)

    def is_small(self, file: TableFile) -> bool:
        """Whether a file is to be merged with others."""
        return file.size < _SMALL_PART * self.file_bytes


def plan_rewrites(files: Iterable[TableFile], bounds: CompactionBounds) -> list[Rewrite]:
    """Return the rewrites of one commit, those of the partitions with the most files first; empty if none is needed.

    Planning again after the commit returns the next ones. It comes to an end: each rewrite leaves fewer files, or fewer
    that span the same slice.
    """
    partitions: defaultdict[Hashable, list[TableFile]] = defaultdict(list)
    for file in files:
        partitions[file.partition].append(file)
    rewrites: list[Rewrite] = []
    bytes_left, files_left = bounds.commit_bytes, _MAX_FILES
    for members in sorted(partitions.values(), key=lambda members: (-len(members), min(members))):
        rewrite = _of_partition(members, bounds, bytes_left, files_left)
        if rewrite is not None:
            rewrites.append(rewrite)
            bytes_left -= sum(file.size for file in rewrite.files)
            files_left -= len(rewrite.files)
    return rewrites


def _of_partition(
    members: Sequence[TableFile], bounds: CompactionBounds, bytes_left: int, files_left: int
) -> Rewrite | None:
    small = _that_fit(filter(bounds.is_small, members), bytes_left, files_left)
    parts = _parts(small, bounds)
    if len(small) >= bounds.min_files and parts < len(small):
        return Rewrite(small, parts)
    most = _most_overlapping([file for file in members if not bounds.is_small(file)])
    if len(most) > MAX_OVERLAPPING:
        together = _that_fit(most, bytes_left, files_left)
        # Fewer would be sorted again and again.
        if len(together) >= MAX_OVERLAPPING or len(together) == len(most):
            return Rewrite(together, _parts(together, bounds))
    return None


def _that_fit(files: Iterable[TableFile], bytes_left: int, files_left: int) -> tuple[TableFile, ...]:
    """Return the smallest files that are within the bounds together."""
    fitting: list[TableFile] = []
    for file in sorted(files, key=lambda file: (file.size, file.path)):
        bytes_left -= file.size
        if bytes_left < 0 or len(fitting) == files_left:
            break
        fitting.append(file)
    return tuple(fitting)


def _parts(files: Sequence[TableFile], bounds: CompactionBounds) -> int:
    return max(1, -(-sum(file.size for file in files) // bounds.file_bytes))


def _most_overlapping(files: Sequence[TableFile]) -> list[TableFile]:
    """Return the files that span one slice, of the slice that most files span."""
    most: list[TableFile] = []
    for at in files:
        # The number of files changes only where a file begins.
        spanning = [file for file in files if file.first_slice <= at.first_slice <= file.last_slice]
        if len(spanning) > len(most):
            most = spanning
    return most
