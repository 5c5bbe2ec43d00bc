"""What a row of the audit log says, how it is hashed, and what a changed chain looks like.

A row's hash covers all its columns but the hash and the signature, and the hash of the row before it. The names of the
columns and the form of the JSON are a stable format: another form would invalidate every row that was written before.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from deid_tasks.core.identity import Identity
from deid_tasks.evidence.gate.certificate import canonical
from deid_tasks.platform.warehouse.audit_log import AuditLogRow, AuditRole
from deid_tasks.platform.warehouse.audited_records import utc_text

NO_ROW = "0" * 64
"""What stands for the hash of the row before the first one."""
_UNHASHED = ("row_hash", "signature")

LogFindingKind = Literal[
    "row missing", "row changed", "chain broken", "wrong signature", "not signed", "log truncated", "log rewritten",
    "head forged", "record missing", "record changed or added", "not approved",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """What happened, without names of patients, note ids in clear or text."""

    event: str
    role: AuditRole
    actor: Identity
    subject: str
    """A run, a request, a certificate or a hash."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Counts, versions and hashes."""


@dataclass(frozen=True, slots=True)
class LogFinding:
    """One thing that is wrong with the log."""

    seq: int | None
    """The row; ``None`` where it is not about one row."""
    kind: LogFindingKind
    text: str

    def __str__(self) -> str:
        return f"{'row ' + str(self.seq) if self.seq is not None else 'log'}: {self.kind}: {self.text}"


def hash_of_row(institution: str, row: AuditLogRow) -> str:
    """Return the hash of a row, which the institution is a part of: no row fits into another institution's log."""
    content = {name: value for name, value in asdict(row).items() if name not in _UNHASHED}
    content |= {"institution": institution, "occurred_at": utc_text(row.occurred_at)}
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def details_of(row: AuditLogRow) -> dict[str, Any]:
    """Return the details of a row; none where somebody changed them to something else than a JSON object."""
    try:
        details = json.loads(row.details)
    except ValueError:
        return {}
    return details if isinstance(details, dict) else {}


def check_chain(institution: str, rows: Iterable[AuditLogRow]) -> Iterator[LogFinding]:
    """Yield what is wrong with rows that should be a whole log: rows that are missing, changed or not linked."""
    seq, previous = 0, NO_ROW
    for row in rows:
        is_next = row.seq == seq + 1
        if not is_next:
            which = f"row {seq + 1} is" if row.seq == seq + 2 else f"rows {seq + 1} to {row.seq - 1} are"
            yield LogFinding(row.seq, "row missing", f"{which} missing before it: the rows were deleted")
        if hash_of_row(institution, row) != row.row_hash:
            yield LogFinding(row.seq, "row changed", "its content does not have its hash")
        if is_next and row.previous_hash != previous:
            yield LogFinding(row.seq, "chain broken", f"it does not follow the row {seq} that is there")
        seq, previous = row.seq, row.row_hash
