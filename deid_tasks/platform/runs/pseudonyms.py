"""Pseudonyms of slices, runs and surrogate keys, for use where real dates and identifiers must not appear."""

import datetime

from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.parts import EngineParts
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.slices import KeyUse, keys_in_use
from deid_tasks.settings import InstitutionSettings, Secrets


def pseudonym(engine: EngineParts, kind: str, value: str) -> str:
    """Return the keyed pseudonym of ``value``; the engine must have a surrogate key."""
    assert engine.obfuscator is not None
    return engine.obfuscator.pseudonym(kind, value)


def slice_pseudonym(engine: EngineParts, start: datetime.datetime, end: datetime.datetime) -> str:
    """Return the pseudonym of the slice of one data interval, because the interval is the real date of its notes."""
    return pseudonym(engine, "slice", f"{start.isoformat()}/{end.isoformat()}")


def key_pseudonym(engine: EngineParts) -> str:
    """Return the surrogate key's pseudonym, which distinguishes keys and reveals nothing of them."""
    return pseudonym(engine, "key", "")


def surrogate_keys(settings: InstitutionSettings, secrets: Secrets) -> list[KeyUse]:
    """Return the surrogate keys of the published slices, each with whether the secret holds it now."""
    key = secrets.key(settings.obfuscate.key)
    current = Obfuscator(key, settings.institution, settings.policy, settings.obfuscate).pseudonym("key", "")
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        return keys_in_use(connection, settings, current)
