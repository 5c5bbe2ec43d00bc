"""What a campaign has done so far: one JSON line a try, so that it goes on where it was stopped."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / ".run" / "faults"
"""Where campaigns keep their journals by default."""
Entry = dict[str, Any]


class Journal:
    """The entries of one campaign, in a file that only grows.

    Args:
        path: the file; its folder is made where it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.entries: list[Entry] = list(self._read())

    def _read(self) -> Iterator[Entry]:
        if not self._path.is_file():
            return
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                # The campaign was killed while it wrote its last line; that try is done again.
                continue

    def seeds(self, kind: str) -> set[int]:
        """Return the seeds that were tried of one kind."""
        return {one["seed"] for one in self.entries if one["kind"] == kind}

    def of(self, kind: str) -> list[Entry]:
        """Return the entries of one kind."""
        return [one for one in self.entries if one["kind"] == kind]

    def add(self, kind: str, seed: int, **values: Any) -> None:
        """Write one entry; it is on disk when this returns."""
        entry: Entry = {"kind": kind, "seed": seed, **values}
        self.entries.append(entry)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
