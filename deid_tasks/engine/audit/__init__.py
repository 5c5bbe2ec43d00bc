"""The audit: the last check of a text before it is published.

``audit`` searches the rewritten text for parts of the patient's own structured record. A note with a finding is
quarantined. ``ReplacedValues`` finds values that were replaced once, in the note or in another note of the
patient, and still stand elsewhere.
"""

from deid_tasks.engine.audit.record_audit import Finding, FindingKind, audit
from deid_tasks.engine.audit.replaced_values import PatientValues, ReplacedValues, ValueMatch

__all__ = ["Finding", "FindingKind", "PatientValues", "ReplacedValues", "ValueMatch", "audit"]
