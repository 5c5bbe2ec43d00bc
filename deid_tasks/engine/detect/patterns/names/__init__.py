"""Names."""

from deid_tasks.engine.detect.patterns.names.old_names import RULES

__all__ = ["RULES"]
