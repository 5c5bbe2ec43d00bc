"""The engine of one Python worker of Spark, which lives as long as its executor and runs one task after another."""

from deid_tasks.engine.parts import EngineParts
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.settings import InstitutionSettings, Secrets

_ENGINES: dict[tuple[str, str], EngineParts] = {}
"""The engine that was used last, by institution and fingerprint. One: a worker serves one application."""


def worker_engine(settings: InstitutionSettings, secrets: Secrets, pin: EnginePin) -> EngineParts:
    """Return the engine that ``pin`` names; this process loads it once.

    Dictionaries are memory-mapped: the workers of one host share them.

    Raises:
        GateError: code, models or settings are not those that the pinned engine was promoted with.
        LexiconError: one of its files is missing on this host, damaged, or was made with another key.
    """
    key = (settings.institution, pin["fingerprint"])
    if key not in _ENGINES:
        engine = load_engine(settings, secrets, pin)
        _ENGINES.clear()
        _ENGINES[key] = engine
    return _ENGINES[key]
