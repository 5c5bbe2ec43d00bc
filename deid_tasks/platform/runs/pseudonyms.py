"""What slices, runs and keys are called where real dates and identifiers must not stand."""

import datetime

from deid_tasks.engine.engine import Engine
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.slices import KeyUse, keys_in_use
from deid_tasks.settings import InstitutionSettings, Secrets


def pseudonym(engine: Engine, kind: str, value: str) -> str:
    """The keyed name of ``value``; the engine must have a surrogate key."""
    assert engine.obfuscator is not None
    return engine.obfuscator.pseudonym(kind, value)


def slice_pseudonym(engine: Engine, start: datetime.datetime, end: datetime.datetime) -> str:
    """The name of the slice of one data interval: the interval itself is the real date of every note in it."""
    return pseudonym(engine, "slice", f"{start.isoformat()}/{end.isoformat()}")


def key_pseudonym(engine: Engine) -> str:
    """What the surrogate key is called; it tells keys apart and nothing of them."""
    return pseudonym(engine, "key", "")


def surrogate_keys(settings: InstitutionSettings, secrets: Secrets) -> list[KeyUse]:
    """Which surrogate keys published slices were made under, and whether each is the one that the secret holds now."""
    key = secrets.key(settings.obfuscate.key)
    current = Obfuscator(key, settings.institution, settings.policy, settings.obfuscate).pseudonym("key", "")
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        return keys_in_use(connection, settings, current)
