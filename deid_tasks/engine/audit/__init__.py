"""The audit: the last check of a text before it is published.

``audit`` searches the rewritten text for parts of the patient's own structured record. A note with a finding outside a
surrogate is quarantined.
"""

from deid_tasks.engine.audit.record_audit import Finding, FindingKind, audit

__all__ = ["Finding", "FindingKind", "audit"]
