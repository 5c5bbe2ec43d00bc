"""A log that lacks rows whose heads are stored outside the database: it was restored from a backup, or cut short."""

from collections.abc import Iterable, Mapping

from deid_tasks.platform.audit_log.chain import details_of
from deid_tasks.platform.audit_log.heads import AuditHead
from deid_tasks.platform.warehouse.audit_log import AuditLogRow

LOG_RESTORED = "log_restored"
"""The event by which a person accepts that rows are lost; its details name their heads."""
LOST_HEADS = "lost_heads"


def head_text(head: AuditHead) -> str:
    """Return a head as the details of ``log_restored`` name it."""
    return f"{head.seq}-{head.row_hash}"


def accepted_heads(rows: Iterable[AuditLogRow]) -> frozenset[str]:
    """Return the heads, as ``head_text``, whose rows a person has accepted as lost."""
    found: set[str] = set()
    for row in rows:
        if row.event == LOG_RESTORED:
            names = details_of(row).get(LOST_HEADS)
            found.update(map(str, names) if isinstance(names, list) else ())
    return frozenset(found)


def lost_heads(heads: Iterable[AuditHead], hashes: Mapping[int, str], accepted: frozenset[str]) -> list[AuditHead]:
    """Return the heads whose rows the log does not have, and that nobody has accepted as lost.

    Args:
        heads: All heads.
        hashes: The hash of each row of the log by its number.
        accepted: What ``accepted_heads`` returned.
    """
    return [head for head in heads if hashes.get(head.seq) != head.row_hash and head_text(head) not in accepted]
