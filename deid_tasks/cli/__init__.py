"""The ``deid`` command."""

from deid_tasks.cli.app import main

__all__ = ["main"]
