"""A warehouse that was restored from a backup: it forgets requests, so nothing is published until a person looked."""

import logging
from collections.abc import Sequence

from deid_tasks.core.errors import GateError, InputError, SettingsError, StorageError
from deid_tasks.core.identity import Identity
from deid_tasks.platform.audit_log import AuditEvent, audited, is_trusted_row
from deid_tasks.platform.audit_log.heads import AuditHead, HeadStore
from deid_tasks.platform.audit_log.restores import LOG_RESTORED, LOST_HEADS, accepted_heads, head_text, lost_heads
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audit_log import audit_row_hashes, audit_rows_of
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)


@logged_step
def check_not_restored(settings: InstitutionSettings, secrets: Secrets) -> None:
    """Check that the audit log has every row whose head is stored outside the database.

    Where it lacks one, ``_results`` is older than what was done: exclusions by request are forgotten, and their notes
    would be published again. Where the heads cannot be listed, a warning says so, as where one cannot be stored.

    Raises:
        GateError: rows are lost, and no person has accepted that.
    """
    try:
        # The heads come first: one that is stored meanwhile has its row.
        heads = HeadStore(settings, secrets).heads()
    except (SettingsError, StorageError) as error:
        logger.warning("%s: nobody knows whether the warehouse is a restored one: %s", settings.institution, error)
        return
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        hashes = audit_row_hashes(connection, settings)
        told = audit_rows_of(connection, settings, LOG_RESTORED)
        accepted = accepted_heads(row for row in told if is_trusted_row(connection, settings, secrets, row))
    lost = lost_heads(heads, hashes, accepted)
    if lost:
        name = settings.institution
        raise GateError(
            f"{name}: the audit log lacks {_rows(lost)}, whose heads are stored outside the database: {name}_results"
            " was restored from a backup, or rows were deleted. Exclusions by request may be forgotten, so nothing is"
            f" published: enter them again, then run `deid audit restored --institution {name}`"
        )


@logged_step
def accept_restore(settings: InstitutionSettings, secrets: Secrets, accepted_by: Identity) -> dict[str, int]:
    """Record that a person accepts the rows that the log has lost, so that runs publish again.

    The row names the lost heads: verifications report it for good, and fail no more over these.

    Returns:
        The number of lost rows, and the first and last of their numbers.

    Raises:
        InputError: the log has every row whose head is stored.
        SettingsError: the log is signed, and the audit key is not here: a row without a signature accepts nothing.
        StorageError: the heads cannot be listed.
    """
    heads = HeadStore(settings, secrets).heads()
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("audit"))) as audit:
        audit.lock()
        audit.check_signing()
        hashes = audit_row_hashes(audit.connection, settings)
        told = audit_rows_of(audit.connection, settings, LOG_RESTORED)
        accepted = accepted_heads(row for row in told if is_trusted_row(audit.connection, settings, secrets, row))
        lost = lost_heads(heads, hashes, accepted)
        if not lost:
            raise InputError(
                f"{settings.institution}: the audit log has every row whose head is stored: nothing was restored"
            )
        numbers = [head.seq for head in lost]
        details = {LOST_HEADS: [head_text(head) for head in lost]}
        audit.append(AuditEvent(LOG_RESTORED, "performed", accepted_by, settings.institution, details))
    return {"rows": len(set(numbers)), "first": min(numbers), "last": max(numbers)}


def _rows(lost: Sequence[AuditHead]) -> str:
    numbers = sorted({head.seq for head in lost})
    return f"row {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} rows ({numbers[0]} to {numbers[-1]})"
