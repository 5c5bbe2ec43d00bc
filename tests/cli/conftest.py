"""The audit log of one institution."""

from tests.support.audit_desk import desk

__all__ = ["desk"]
