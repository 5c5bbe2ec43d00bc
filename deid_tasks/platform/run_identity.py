"""Names of a run that may leave the platform: its kind, and a keyed hash of its id, which holds a date of notes."""

import hashlib
import hmac

from deid_tasks.settings import InstitutionSettings, Secrets


def kind_of(run_id: str) -> str:
    """Return the kind of a run by its id, which begins with the kind where it is not ``notes``."""
    kind, found, _ = run_id.partition("/")
    return kind if found else "notes"


def run_digest(settings: InstitutionSettings, secrets: Secrets, run_id: str) -> bytes:
    """Return 32 bytes that name a run. Their key keeps others from trying dates until one fits.

    Raises:
        SettingsError: the surrogate key is not set.
    """
    key = secrets.key(settings.obfuscate.key)
    return hmac.digest(key, f"run\0{settings.institution}\0{run_id}".encode(), hashlib.sha256)
