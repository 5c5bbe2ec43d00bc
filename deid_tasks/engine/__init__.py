"""The engine: finds the identifiers of notes and replaces them. It needs no Airflow, no database and no institution.

A note passes through ``text``, ``detect``, ``cascade``, ``merge``, ``recover``, ``obfuscate`` and ``audit``;
``pipeline`` calls them in this order. ``registry`` lists how detectors are built, and ``fingerprint`` names
everything that decides the output.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deid_tasks.engine.build import build_engine
    from deid_tasks.engine.parts import BatchContext, EngineParts
    from deid_tasks.engine.pipeline import deidentify
    from deid_tasks.engine.registry import Artifacts

__all__ = ["Artifacts", "BatchContext", "EngineParts", "build_engine", "deidentify"]

_MODULES = {
    "Artifacts": "registry",
    "BatchContext": "parts",
    "EngineParts": "parts",
    "build_engine": "build",
    "deidentify": "pipeline",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: importing one module of the engine must not load all of it."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
