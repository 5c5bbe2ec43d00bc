"""Named secrets: connection strings and keys that settings refer to by name.

The default source is the environment (``PALIMPSEST_SECRET_<NAME>``), for the command line; a DAG hands in a source that
asks Airflow's secrets backend.
"""

import base64
import binascii
import json
import os
from collections.abc import Callable
from typing import Any

from deid_tasks.core.errors import SettingsError


def _from_environment(name: str) -> str | None:
    return os.environ.get(f"PALIMPSEST_SECRET_{name.upper()}")


class Secrets:
    """Looks secrets up by name; never prints them."""

    def __init__(self, source: Callable[[str], str | None] = _from_environment) -> None:
        self._source = source

    def text(self, name: str) -> str:
        """The secret called ``name``; raises ``SettingsError`` where there is none."""
        value = self._source(name)
        if not value:
            raise SettingsError(f"secret {name!r} is not set (environment: PALIMPSEST_SECRET_{name.upper()})")
        return value

    def key(self, name: str, minimum_bytes: int = 32) -> bytes:
        """The base64 secret called ``name``, decoded; raises ``SettingsError`` where it is short or no base64."""
        try:
            value = base64.b64decode(self.text(name), validate=True)
        except binascii.Error:
            raise SettingsError(f"secret {name!r} is no base64") from None
        if len(value) < minimum_bytes:
            raise SettingsError(f"secret {name!r} holds {len(value)} bytes; at least {minimum_bytes} are needed")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """The JSON object held in the secret called ``name``."""
        try:
            value = json.loads(self.text(name))
        except json.JSONDecodeError:
            value = None
        if not isinstance(value, dict):
            raise SettingsError(f"secret {name!r} is no JSON object")
        return value

    def __repr__(self) -> str:
        return "Secrets()"
