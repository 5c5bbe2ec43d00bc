"""The audit log: who approved, retracted, re-identified, changed keys and issued certificates, in one signed chain.

``chain`` says what a row is and finds what was changed, ``signing`` signs and verifies rows, ``heads`` stores the end
of the chain outside the database, ``writer`` adds rows, and ``adoption`` takes over what was recorded before.
"""

from deid_tasks.platform.audit_log.adoption import reason_hash
from deid_tasks.platform.audit_log.chain import AuditEvent
from deid_tasks.platform.audit_log.signing import is_trusted_row
from deid_tasks.platform.audit_log.writer import AuditWriter, audited, open_log
from deid_tasks.platform.warehouse.audit_log import AuditLogRow

__all__ = ["AuditEvent", "AuditLogRow", "AuditWriter", "audited", "is_trusted_row", "open_log", "reason_hash"]
