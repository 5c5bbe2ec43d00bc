"""The version of a sample: a hash of how it was drawn and of every note in it."""

import hashlib
import json
from collections.abc import Mapping


class SampleVersion:
    """Hashes a sample: the same notes, added by id and drawn in the same way, have the same version."""

    def __init__(self, design: str, settings: Mapping[str, object]) -> None:
        self._digest = hashlib.sha256(json.dumps([design, dict(settings)], sort_keys=True, default=str).encode())

    def add(self, note_id: str, text_digest: str) -> None:
        """Add one note."""
        self._digest.update(json.dumps([note_id, text_digest]).encode())

    def finish(self) -> str:
        """Return the version: sixteen hexadecimal digits."""
        return self._digest.hexdigest()[:16]
