"""Certificates, as they were signed, and what people decided about publishing under them."""

import datetime
from dataclasses import astuple, dataclass
from typing import Any, Literal

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.settings import InstitutionSettings

ApprovalKind = Literal["first_publication", "drift"]


@dataclass(frozen=True, slots=True)
class CertificateRow:
    """One certificate; ``verdict``, ``fingerprint`` and the rest repeat what the signed document says, for queries."""

    certificate_id: str
    fingerprint: str
    gold_version: str
    verdict: str
    document: str
    issued_at: datetime.datetime
    signature: str


@dataclass(frozen=True, slots=True)
class Approval:
    """What one person decided."""

    kind: ApprovalKind
    run_id: str
    fingerprint: str
    certificate_id: str
    reason: str
    decision: Literal["approved", "rejected"]
    decided_by: str
    decided_at: datetime.datetime


def write_certificate(connection: Connection, settings: InstitutionSettings, row: CertificateRow) -> None:
    """Keep a certificate; the same one issued again replaces itself."""
    schema = settings.schema_name("results")
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {schema}.certificate where certificate_id = %s", (row.certificate_id,))
        cursor.execute(
            f"insert into {schema}.certificate"
            " (certificate_id, fingerprint, gold_version, verdict, document, issued_at, signature)"
            " values (%s, %s, %s, %s, %s, %s, %s)",
            astuple(row),
        )


def newest_certificate(
    connection: Connection, settings: InstitutionSettings, fingerprint: str = ""
) -> CertificateRow | None:
    """The certificate issued last, for this fingerprint or, where it is empty, for any."""
    condition, parameters = ("where fingerprint = %s", (fingerprint,)) if fingerprint else ("", ())
    with connection.cursor() as cursor:
        cursor.execute(
            "select certificate_id, fingerprint, gold_version, verdict, document, issued_at, signature"
            f" from {settings.schema_name('results')}.certificate {condition}"
            " order by issued_at desc, certificate_id desc limit 1",
            parameters,
        )
        row = cursor.fetchone()
    return CertificateRow(*row) if row else None


def certificate_documents(connection: Connection, settings: InstitutionSettings, newest: int) -> list[str]:
    """The documents of the ``newest`` certificates, of whatever fingerprint and verdict, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select document from {settings.schema_name('results')}.certificate"
            " order by issued_at desc, certificate_id desc limit %s",
            (newest,),
        )
        return [document for (document,) in cursor.fetchall()][::-1]


def record_approval(connection: Connection, settings: InstitutionSettings, approval: Approval) -> None:
    """Add a decision; a later one of the same matter counts in place of earlier ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"insert into {settings.schema_name('results')}.approval"
            " (kind, run_id, fingerprint, certificate_id, reason, decision, decided_by, decided_at)"
            " values (%s, %s, %s, %s, %s, %s, %s, %s)",
            astuple(approval),
        )


def is_approved(
    connection: Connection,
    settings: InstitutionSettings,
    kind: ApprovalKind,
    fingerprint: str,
    run_id: str = "",
    reason: str = "",
) -> bool:
    """Whether the newest decision is good: on a fingerprint, or on exactly this reason to hold this run of it."""
    condition, parameters = (" and run_id = %s and reason = %s", (run_id, reason)) if run_id else ("", ())
    with connection.cursor() as cursor:
        cursor.execute(
            f"select decision from {settings.schema_name('results')}.approval"
            f" where kind = %s and fingerprint = %s{condition} order by decided_at desc limit 1",
            (kind, fingerprint, *parameters),
        )
        row = cursor.fetchone()
    return row is not None and row[0] == "approved"


def sample_drawn(connection: Connection, settings: InstitutionSettings, sample_version: str) -> dict[str, Any] | None:
    """How a sample was drawn; ``None`` for a gold set that came of none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select seed, size, settings, notes, drawn_at"
            f" from {settings.schema_name('gold')}.sample where sample_version = %s",
            (sample_version,),
        )
        row = cursor.fetchone()
    if row is None:
        return None
    seed, size, drawn_by, notes, drawn_at = row
    return {"seed": seed, "size": size, "settings": drawn_by, "notes": notes, "drawn_at": drawn_at.isoformat()}
