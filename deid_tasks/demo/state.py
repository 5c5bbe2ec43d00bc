"""Stores between commands, in ``.run/``, the demo's ports, generated secrets and what was loaded."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import DeidError

INSTITUTIONS = Path("dags", "institutions")
"""Where the institutions' YAML files are in a checkout."""


class DemoError(DeidError):
    """The demo cannot continue; the text says what to do."""


def checkout() -> Path:
    """Return the repository that the demo runs from; raise ``DemoError`` if the package was installed without it."""
    root = Path(__file__).resolve().parents[2]
    if not (root / INSTITUTIONS).is_dir():
        raise DemoError("the demo needs the repository (dags/, dbt/): clone it and run `make demo` there")
    return root


@dataclass
class State:
    """The demo's stored values. Every change is written at once to a file that only its owner can read."""

    folder: Path
    values: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, folder: Path) -> "State":
        """Return the state in ``folder``; an empty one if there is none or it is damaged."""
        try:
            values = json.loads((folder / "state.json").read_text())
        except (OSError, json.JSONDecodeError):
            values = {}
        return cls(folder, values)

    def get(self, key: str) -> Any:
        """Return the value of ``key``, or ``None``."""
        return self.values.get(key)

    def put(self, key: str, value: Any) -> None:
        """Store a value."""
        self.values[key] = value
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = self.folder / "state.json.new"
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(self.values, file, indent=2)
        fresh.replace(self.folder / "state.json")

    def secret(self, name: str) -> bytes:
        """Return the 32 random bytes called ``name``; they are generated once."""
        found = self.get("secrets") or {}
        if name not in found:
            found = {**found, name: secrets.token_hex(32)}
            self.put("secrets", found)
        return bytes.fromhex(found[name])

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder; raise ``DemoError`` if another `make demo` or `make down` holds the lock."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DemoError(
                    f"another `make demo` or `make down` runs in {self.folder}; wait until it ends"
                ) from None
            yield
