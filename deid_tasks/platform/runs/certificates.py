"""The certificate that a run needs before it may publish, and its rows in the audit log."""

import json
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.core.identity import Identity
from deid_tasks.evidence.gate import Certificate, verify_certificate
from deid_tasks.platform.audit_log import AuditEvent, audited, is_trusted_row
from deid_tasks.platform.runs.key_changes import record_key_changes
from deid_tasks.platform.warehouse.audit_log import audit_rows_of, newest_audit_row
from deid_tasks.platform.warehouse.audited_records import AUDITED_COLUMNS, record_hash
from deid_tasks.platform.warehouse.certificates import CertificateRow, newest_certificate, write_certificate
from deid_tasks.settings import InstitutionSettings, Secrets


def store_certificate(
    settings: InstitutionSettings, secrets: Secrets, row: CertificateRow, triggered_by: Identity
) -> None:
    """Store a certificate, passed or failed, and its row of the audit log in one transaction."""
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("evidence"))) as audit:
        record_key_changes(audit, settings, secrets)
        audit.lock()
        earlier = audit_rows_of(audit.connection, settings, "certificate_issued", {"fingerprint": row.fingerprint})
        record = write_certificate(audit.connection, settings, row)
        details = {
            "record": record,
            "fingerprint": row.fingerprint,
            "verdict": row.verdict,
            "number": len(earlier) + 1,
        }
        audit.append(AuditEvent("certificate_issued", "performed", triggered_by, row.certificate_id, details))


def valid_certificate(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, fingerprint: str
) -> dict[str, Any]:
    """Return the content of the newest certificate of this fingerprint.

    Raises:
        GateError: there is no certificate, it does not allow this fingerprint to publish, or the audit log names a
            newer one.
    """
    row = newest_certificate(connection, settings, fingerprint)
    content = verify_certificate(
        Certificate(row.document, row.signature) if row else None,
        settings.institution,
        fingerprint,
        settings.gate,
        secrets.text(settings.gate.verification_key),
    )
    assert row is not None
    _check_newest(connection, settings, secrets, row)
    return content


def _check_newest(connection: Connection, settings: InstitutionSettings, secrets: Secrets, row: CertificateRow) -> None:
    """Check that the audit log names this certificate as the newest of its engine: a newer one that was deleted must
    not let an older one count again."""
    name = f"{settings.institution}: no valid certificate for fingerprint {row.fingerprint}"
    remedy = f"run `deid audit verify --institution {settings.institution}`, and find out who deleted or added rows"
    logged = newest_audit_row(connection, settings, "certificate_issued", fingerprint=row.fingerprint)
    if logged is None:
        raise GateError(
            f"{name}: the audit log does not name certificate {row.certificate_id}; run"
            f" evaluate__{settings.institution}"
        )
    if not is_trusted_row(connection, settings, secrets, logged):
        raise GateError(
            f"{name}: row {logged.seq} of the audit log, which names it, was changed or is not signed with the audit"
            f" key; {remedy}"
        )
    record = record_hash("certificate", [getattr(row, column) for column in AUDITED_COLUMNS["certificate"]])
    if json.loads(logged.details)["record"] != record:
        raise GateError(
            f"{name}: certificate {row.certificate_id} of {row.issued_at:%Y-%m-%d} is not the newest: the audit log"
            f" (row {logged.seq}) names {logged.subject} of {logged.occurred_at:%Y-%m-%d}, whose row is missing or was"
            f" changed; {remedy}; then run evaluate__{settings.institution}"
        )
