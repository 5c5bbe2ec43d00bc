"""The version of a sample: a hash of how it was drawn and of every note in it."""

import hashlib
import json
from collections.abc import Mapping


class SampleVersion:
    """Add the notes in order of their ids; the same notes drawn in the same way give the same version."""

    def __init__(self, design: str, settings: Mapping[str, object]) -> None:
        self._digest = hashlib.sha256(json.dumps([design, dict(settings)], sort_keys=True, default=str).encode())

    def add(self, note_id: str, text_digest: str) -> None:
        """One note."""
        self._digest.update(json.dumps([note_id, text_digest]).encode())

    def finish(self) -> str:
        """Sixteen hexadecimal digits."""
        return self._digest.hexdigest()[:16]
