"""Palimpsest: find every identifier in clinical notes, and put consistent, plausible surrogates in their place.

``Engine`` is the Python API. ``deid_tasks.engine`` holds the steps that it calls, ``deid_tasks.platform`` the tasks
that Airflow runs.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deid_tasks.engine.api import Engine

__all__ = ["Engine", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import the engine when it is first used, so that importing the package stays light."""
    if name != "Engine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("deid_tasks.engine.api").Engine
