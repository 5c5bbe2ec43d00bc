"""What was recorded before there was an audit log, as its first rows."""

import hashlib
import json
from collections.abc import Iterator

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.platform.audit_log.chain import AuditEvent
from deid_tasks.platform.warehouse.audit_log import audit_rows_of
from deid_tasks.platform.warehouse.audited_records import read_audited_records, utc_text
from deid_tasks.settings import InstitutionSettings

_BEFORE = "recorded before the log"


def earlier_events(connection: Connection, settings: InstitutionSettings) -> Iterator[AuditEvent]:
    """Yield the row that opens the log, and one for each approval, certificate, retraction and re-identification that
    was recorded before.

    Their persons are ``unverified``: some were names that somebody typed. Their own times stand in the details. What a
    row of the log names already is left out.
    """
    named = {json.loads(row.details).get("record") for row in audit_rows_of(connection, settings)}
    yield AuditEvent("log_opened", "performed", PLATFORM, settings.institution)
    for event in _recorded(connection, settings):
        if event.details["record"] not in named:
            yield event


def reason_hash(reason: str) -> str:
    """Return the hash by which the log names the reason of a review: the reason's own text stands in ``approval``."""
    return hashlib.sha256(reason.encode()).hexdigest()


def _recorded(connection: Connection, settings: InstitutionSettings) -> Iterator[AuditEvent]:
    for row, record in read_audited_records(connection, settings, "certificate"):
        yield AuditEvent(
            "certificate_issued",
            "performed",
            PLATFORM,
            row["certificate_id"],
            {
                "record": record,
                "fingerprint": row["fingerprint"],
                "verdict": row["verdict"],
                "recorded_at": utc_text(row["issued_at"]),
            },
        )
    for row, record in read_audited_records(connection, settings, "approval"):
        yield AuditEvent(
            "review",
            row["decision"],
            _unverified(row["decided_by"]),
            row["run_id"],
            {
                "record": record,
                "kind": row["kind"],
                "fingerprint": row["fingerprint"],
                "certificate": row["certificate_id"],
                "reason_sha256": reason_hash(row["reason"]),
                "recorded_at": utc_text(row["decided_at"]),
            },
        )
    for row, record in read_audited_records(connection, settings, "retraction"):
        details = {"record": record, "notes": row["notes"], "recorded_at": utc_text(row["removed_at"])}
        yield AuditEvent("retraction", "performed", PLATFORM, row["retraction_id"], details)
    for row, record in read_audited_records(connection, settings, "reidentification"):
        details = {"record": record, "notes": len(row["note_keys"]), "recorded_at": utc_text(row["asked_at"])}
        yield AuditEvent("reidentification", "performed", _unverified(row["asked_by"]), record, details)


def _unverified(name: str) -> Identity:
    return Identity(name or "unknown", "unverified", _BEFORE)
