"""Rows of the audit log that lack a signature, accepted by a person who has the audit key."""

from deid_tasks.core.errors import InputError, SettingsError
from deid_tasks.core.identity import Identity
from deid_tasks.platform.audit_log import AuditEvent, AuditLogRow, audited
from deid_tasks.platform.audit_log.chain import hash_of_row
from deid_tasks.platform.audit_log.signing import ACCEPTED, AuditKeys, check_signatures
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse.audit_log import read_audit_rows
from deid_tasks.settings import InstitutionSettings, Secrets

_NAMED = 500
"""Rows that one row of the log accepts."""


@logged_step
def accept_unsigned_rows(
    settings: InstitutionSettings, secrets: Secrets, first: int, last: int, accepted_by: Identity
) -> list[AuditLogRow]:
    """Add signed rows that name the rows from ``first`` to ``last`` by their hashes; return the rows that they accept.

    A verification then says who accepted them, and no longer reports that they are not signed. Nothing else about
    them is accepted: a later change is found as in any row.

    Raises:
        SettingsError: the audit key is not here.
        InputError: one of the rows does not exist, was changed, or is not one that a verification reports as not
            signed; or ``last`` is before ``first``.
    """
    if last < first:
        raise InputError(f"rows {first}-{last}: the first number is above the last; nothing was accepted")
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("audit"))) as audit:
        if not audit.is_signing:
            raise SettingsError(
                f"{settings.institution}: the secret {settings.audit_log.signing_key!r} is not set: only who has the"
                " audit key can accept rows"
            )
        audit.lock()
        rows = list(read_audit_rows(audit.connection, settings))
        findings = check_signatures(rows, AuditKeys.of(settings, secrets))
        unsigned = {one.seq for one in findings if one.kind == "not signed"}
        chosen = [row for row in rows if first <= row.seq <= last]
        for seq in range(first, last + 1):
            if seq not in unsigned:
                raise InputError(
                    f"{settings.institution}: row {seq} of the audit log is not one that `deid audit verify` reports as"
                    " not signed; nothing was accepted"
                )
        for row in chosen:
            if hash_of_row(settings.institution, row) != row.row_hash:
                raise InputError(f"{settings.institution}: row {row.seq} was changed; nothing was accepted")
        for some in batched(chosen, _NAMED):
            details = {"first": some[0].seq, "last": some[-1].seq, "rows": {str(r.seq): r.row_hash for r in some}}
            audit.append(AuditEvent(ACCEPTED, "approved", accepted_by, some[-1].row_hash, details))
    return chosen
