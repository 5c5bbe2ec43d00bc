"""The last look at a text before it is published."""

from deid_tasks.engine.audit.audit import Finding, FindingKind, audit

__all__ = ["Finding", "FindingKind", "audit"]
