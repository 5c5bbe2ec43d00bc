"""The version of a sample: a hash of how it was drawn and of every note in it."""

import hashlib
import json
from collections.abc import Mapping

_HASHED_NAMES = {
    "disagreement": "disputed",
    "disagreement_pool": "disputed_pool",
    "disagreement_size": "disputed_size",
    "min_notes_per_stratum": "least",
}


def hashed_name(name: str) -> str:
    """Return the spelling in which a design or a setting enters a version: its first one.

    A sample or a gold set keeps its version when a name is changed.
    """
    return _HASHED_NAMES.get(name, name)


class SampleVersion:
    """Hashes a sample: the same notes, added by id and drawn in the same way, have the same version."""

    def __init__(self, design: str, settings: Mapping[str, object]) -> None:
        content = [hashed_name(design), {hashed_name(key): value for key, value in settings.items()}]
        self._digest = hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode())

    def add(self, note_id: str, text_digest: str) -> None:
        """Add one note."""
        self._digest.update(json.dumps([note_id, text_digest]).encode())

    def finish(self) -> str:
        """Return the version: sixteen hexadecimal digits."""
        return self._digest.hexdigest()[:16]
