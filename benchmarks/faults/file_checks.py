"""Damaged files before their readers: what a reader may do with one, and what it did."""

import random
import shutil
import traceback
from pathlib import Path
from typing import NamedTuple

from benchmarks.faults.bad_notes import CANARY
from benchmarks.faults.mutations import mutate
from benchmarks.faults.note_checks import captured_log
from benchmarks.faults.reader import Reader
from deid_tasks.core.errors import DeidError

READ, REFUSED = "read", "refused"


class CheckedFile(NamedTuple):
    """What became of one damaged file."""

    damage: str
    outcome: str
    """``read``, ``refused`` with one of the product's errors, or the class of another exception."""
    fault: str
    """Why that is a fault; empty where it is none."""


class DamagedFiles:
    """Damages the files of one reader, each time another.

    Args:
        reader: the reader.
        folder: an empty folder for its files.
    """

    def __init__(self, reader: Reader, folder: Path) -> None:
        self._reader, self._whole, self._tried = reader, folder / "whole", folder / "tried"
        self._whole.mkdir(parents=True)
        reader.write(self._whole)
        # A reader that refuses its own files would test nothing.
        self._copy()
        reader.read(self._tried)

    def check(self, seed: int) -> CheckedFile:
        """Damage one of the files as the seed says, and read them."""
        rng = random.Random(seed)
        path = rng.choice(self.files())
        damage, content = mutate(rng, self.content(path))
        return self.check_content(path, content, damage)

    def files(self) -> list[Path]:
        """Return the files that are damaged, relative to their folder."""
        found = sorted(one for one in self._whole.rglob(self._reader.damaged) if one.is_file())
        return [one.relative_to(self._whole) for one in found]

    def content(self, path: Path) -> bytes:
        """Return what one of the files holds undamaged."""
        return (self._whole / path).read_bytes()

    def check_content(self, path: Path, content: bytes, damage: str) -> CheckedFile:
        """Read the files with another content in one of them; ``damage`` says what was done to it."""
        self._copy()
        tried = self._tried / path
        tried.unlink()
        tried.write_bytes(content)
        with captured_log() as lines:
            outcome, fault = self._read()
        if any(CANARY in line for line in lines):
            fault = "the log quotes the file"
        return CheckedFile(f"{path}: {damage}", outcome, fault)

    def _read(self) -> tuple[str, str]:
        try:
            self._reader.read(self._tried)
        except DeidError as error:
            text = str(error)
            if CANARY in text:
                return REFUSED, f"{type(error).__name__} quotes the file"
            return REFUSED, "" if text.strip() else f"{type(error).__name__} says nothing"
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            own = [one for one in traceback.extract_tb(error.__traceback__) if "deid_tasks" in one.filename]
            last = own[-1] if own else frame
            return type(error).__name__, f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        return READ, ""

    def _copy(self) -> None:
        shutil.rmtree(self._tried, ignore_errors=True)
        # Files are linked: only the damaged one is replaced.
        shutil.copytree(self._whole, self._tried, copy_function=_link)


def _link(source: str, target: str) -> None:
    if Path(source).stat().st_size > 1 << 20:
        Path(target).hardlink_to(source)
    else:
        shutil.copyfile(source, target)
