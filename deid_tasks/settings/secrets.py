"""Named secrets: connection strings and keys that settings refer to by name.

The command line reads them from the environment (``PALIMPSEST_SECRET_<NAME>``). A DAG passes a source that asks
Airflow's secrets backend.
"""

import base64
import binascii
import json
import os
from collections.abc import Callable
from typing import Any

from deid_tasks.core.errors import SettingsError

MIN_KEY_BYTES = 32
"""Shortest surrogate key."""


def variable_of(name: str) -> str:
    """Return the environment variable that holds the secret called ``name`` on the command line."""
    return f"PALIMPSEST_SECRET_{name.upper()}"


def decode_key(value: str, label: str, minimum_bytes: int = MIN_KEY_BYTES) -> bytes:
    """Return a base64 key, decoded.

    Raises:
        SettingsError: it is not base64, or has fewer than ``minimum_bytes`` bytes; the text names it by ``label``.
    """
    try:
        key = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise SettingsError(f"{label} is not base64") from None
    if len(key) < minimum_bytes:
        raise SettingsError(f"{label} has {len(key)} bytes; at least {minimum_bytes} are needed")
    return key


def _from_environment(name: str) -> str | None:
    return os.environ.get(variable_of(name))


def _set_in_environment(name: str) -> str:
    return f"set the environment variable {variable_of(name)}"


class Secrets:
    """Named secrets, looked up in one source; its ``repr`` shows none of them.

    Args:
        source: Returns the secret of a name, or ``None`` if it is not set.
        how_to_set: Returns what a person must do to set the secret of a name, for the message where it is missing.
    """

    def __init__(
        self,
        source: Callable[[str], str | None] = _from_environment,
        how_to_set: Callable[[str], str] = _set_in_environment,
    ) -> None:
        self._source, self._how_to_set = source, how_to_set

    def find(self, name: str) -> str | None:
        """Return the secret called ``name``, or ``None`` if it is not set."""
        return self._source(name) or None

    def text(self, name: str) -> str:
        """Return the secret called ``name``.

        Raises:
            SettingsError: it is not set.
        """
        value = self.find(name)
        if value is None:
            raise SettingsError(f"secret {name!r} is not set: {self._how_to_set(name)}")
        return value

    def key(self, name: str, minimum_bytes: int = MIN_KEY_BYTES) -> bytes:
        """Return the base64 secret called ``name``, decoded.

        Raises:
            SettingsError: it is not set, is not base64, or has fewer than ``minimum_bytes`` bytes.
        """
        return decode_key(self.text(name), f"secret {name!r}", minimum_bytes)

    def mapping(self, name: str) -> dict[str, Any]:
        """Return the JSON object in the secret called ``name``.

        Raises:
            SettingsError: it is not set, or is not a JSON object.
        """
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise SettingsError(f"secret {name!r} is not a JSON object")
        return value

    def __repr__(self) -> str:
        return "Secrets()"
