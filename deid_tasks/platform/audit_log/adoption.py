"""What was recorded before the audit log knew a table, as the first rows about it."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.platform.audit_log.chain import AuditEvent, details_of
from deid_tasks.platform.audit_log.records import opened_tables, records_of
from deid_tasks.platform.warehouse.audit_log import audit_rows_of
from deid_tasks.platform.warehouse.audited_records import (
    AUDITED_COLUMNS,
    AuditedTable,
    read_audited_records,
    utc_text,
)
from deid_tasks.settings import InstitutionSettings

_BEFORE = "recorded before the log"


def unopened_tables(connection: Connection, settings: InstitutionSettings) -> list[AuditedTable]:
    """Return the audited tables whose earlier rows the log has not taken over."""
    opened = opened_tables(audit_rows_of(connection, settings, "log_opened"))
    return [table for table in AUDITED_COLUMNS if table not in opened]


def is_opened(connection: Connection, settings: InstitutionSettings, table: AuditedTable) -> bool:
    """Whether the log has taken over the earlier rows of a table, so that it names every row of it."""
    return table not in unopened_tables(connection, settings)


def earlier_events(connection: Connection, settings: InstitutionSettings) -> Iterator[AuditEvent]:
    """Yield the row that opens the log for tables that it does not know yet, and one for each approval, certificate,
    retraction, re-identification, exclusion and gold set that they held before; nothing where it knows all.

    Their persons are ``unverified``: some were names that somebody typed. Their own times stand in the details. What a
    row of the log names already is left out.
    """
    tables = unopened_tables(connection, settings)
    if not tables:
        return
    named = {record for row in audit_rows_of(connection, settings) for record in records_of(details_of(row))}
    yield AuditEvent("log_opened", "performed", PLATFORM, settings.institution, {"tables": tables})
    for table in tables:
        for row, record in read_audited_records(connection, settings, table):
            if record not in named and (event := _earlier_event(table, row, record)):
                yield event


def reason_hash(reason: str) -> str:
    """Return the hash by which the log names the reason of a review: the reason's own text stands in ``approval``."""
    return hashlib.sha256(reason.encode()).hexdigest()


def gold_details(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the log says of a row of ``gold_set``, beside its hash."""
    details = {name: row[name] for name in ("design", "sample_version", "preannotated_by", "notes", "kappa")}
    return details | {"frozen_at": utc_text(row["frozen_at"])}


def _earlier_event(table: AuditedTable, row: Mapping[str, Any], record: str) -> AuditEvent | None:
    """Return the event that says what a row of an audited table records; ``None`` for requests and ends of exclusions,
    which are not older than the log."""
    details: dict[str, Any] = {"record": record}
    match table:
        case "certificate":
            details |= {"fingerprint": row["fingerprint"], "verdict": row["verdict"]}
            details |= {"recorded_at": utc_text(row["issued_at"])}
            return AuditEvent("certificate_issued", "performed", PLATFORM, row["certificate_id"], details)
        case "approval":
            details |= {"kind": row["kind"], "fingerprint": row["fingerprint"], "certificate": row["certificate_id"]}
            details |= {"reason_sha256": reason_hash(row["reason"]), "recorded_at": utc_text(row["decided_at"])}
            return AuditEvent("review", row["decision"], _unverified(row["decided_by"]), row["run_id"], details)
        case "retraction":
            details |= {"notes": row["notes"], "recorded_at": utc_text(row["removed_at"])}
            return AuditEvent("retraction", "performed", PLATFORM, row["retraction_id"], details)
        case "reidentification":
            details |= {"notes": len(row["note_keys"]), "recorded_at": utc_text(row["asked_at"])}
            return AuditEvent("reidentification", "performed", _unverified(row["asked_by"]), record, details)
        case "exclusion":
            details |= {"patients": int(row["note_id"] is None), "notes": int(row["patient_id"] is None)}
            details |= {"recorded_at": utc_text(row["requested_at"])}
            return AuditEvent("exclusion", "performed", _unverified(row["requested_by"]), record, details)
        case "gold_set":
            details |= gold_details(row)
            return AuditEvent("gold_frozen", "performed", PLATFORM, row["gold_version"], details)
        case "approval_request" | "exclusion_end":
            return None


def _unverified(name: str) -> Identity:
    return Identity(name or "unknown", "unverified", _BEFORE)
