"""Pseudonyms of slices, runs and surrogate keys, for use where real dates and identifiers must not appear."""

import datetime
import hmac

from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.parts import EngineParts
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.slices import KeyUse, keys_in_use
from deid_tasks.settings import InstitutionSettings, Secrets


def pseudonym(engine: EngineParts, kind: str, value: str) -> str:
    """Return the keyed pseudonym of ``value``; the engine must have a surrogate key."""
    assert engine.obfuscator is not None
    return engine.obfuscator.pseudonym(kind, value)


def slice_pseudonym(obfuscator: Obfuscator, day: datetime.date) -> str:
    """Return the pseudonym of the slice of one day, because the day is the real date of its notes."""
    return obfuscator.pseudonym("slice", day.isoformat())


def ledger_key(settings: InstitutionSettings, secrets: Secrets) -> bytes:
    """Return the key of the ledger's hashes, which is derived from the surrogate key and reveals nothing of it."""
    key = secrets.key(settings.obfuscate.key)
    return hmac.digest(key, f"palimpsest/ledger/{settings.institution}".encode(), "sha256")


def digest_seed(settings: InstitutionSettings, secrets: Secrets) -> int:
    """Return the secret seed of the digests of patients' records, a signed number of 64 bits."""
    return int.from_bytes(hmac.digest(ledger_key(settings, secrets), b"records", "sha256")[:8], signed=True)


def key_pseudonym(engine: EngineParts) -> str:
    """Return the surrogate key's pseudonym, which distinguishes keys and reveals nothing of them."""
    return pseudonym(engine, "key", "")


def surrogate_keys(settings: InstitutionSettings, secrets: Secrets) -> list[KeyUse]:
    """Return the surrogate keys of the published slices, each with whether the secret holds it now."""
    key = secrets.key(settings.obfuscate.key)
    current = Obfuscator(key, settings.institution, settings.policy, settings.obfuscate).pseudonym("key", "")
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        return keys_in_use(connection, settings, current)
