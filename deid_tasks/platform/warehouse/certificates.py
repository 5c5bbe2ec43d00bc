"""Certificates as they were signed, and people's decisions about publishing under them."""

import datetime
from dataclasses import asdict, dataclass
from typing import Any, Literal

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.audited_records import insert_record
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

ApprovalKind = Literal["first_publication", "drift", "volume", "removal", "readmission"]


@dataclass(frozen=True, slots=True)
class CertificateRow:
    """One certificate. The columns beside ``document`` repeat what the signed document says, for queries."""

    certificate_id: str
    fingerprint: str
    gold_version: str
    verdict: str
    document: str
    issued_at: datetime.datetime
    signature: str


@dataclass(frozen=True, slots=True)
class Approval:
    """One person's decision."""

    kind: ApprovalKind
    run_id: str
    fingerprint: str
    certificate_id: str
    reason: str
    decision: Literal["approved", "rejected"]
    decided_by: str
    decided_at: datetime.datetime


def write_certificate(connection: Connection, settings: InstitutionSettings, row: CertificateRow) -> str:
    """Store a certificate, and return the hash of its row; a certificate of the same id is replaced."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose("delete from {results}.certificate where certificate_id = %s", settings), (row.certificate_id,)
        )
    return insert_record(connection, settings, "certificate", asdict(row))


def newest_certificate(
    connection: Connection, settings: InstitutionSettings, fingerprint: str = ""
) -> CertificateRow | None:
    """Return the newest certificate of a fingerprint, or of any fingerprint when it is empty; ``None`` without one."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select certificate_id, fingerprint, gold_version, verdict, document, issued_at, signature
                from {results}.certificate
                where %(fingerprint)s = '' or fingerprint = %(fingerprint)s
                order by issued_at desc, certificate_id desc limit 1
                """,
                settings,
            ),
            {"fingerprint": fingerprint},
        )
        row = cursor.fetchone()
    return CertificateRow(*row) if row else None


def certificate_documents(connection: Connection, settings: InstitutionSettings, newest: int) -> list[str]:
    """Return the documents of the ``newest`` certificates of any fingerprint and verdict, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select document from {results}.certificate order by issued_at desc, certificate_id desc limit %s",
                settings,
            ),
            (newest,),
        )
        return [document for (document,) in cursor.fetchall()][::-1]


def record_approval(connection: Connection, settings: InstitutionSettings, approval: Approval) -> str:
    """Add a decision, and return the hash of its row. The audit log says which decision counts."""
    return insert_record(connection, settings, "approval", asdict(approval))


def engines_like(connection: Connection, settings: InstitutionSettings, fingerprint: str) -> list[str]:
    """Return the fingerprints of the promoted engines that differ from this one in their dictionaries alone, and its
    own."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select other.fingerprint from {results}.promoted_engine as other
                inner join {results}.promoted_engine as this using (base_fingerprint)
                where this.fingerprint = %s
                """,
                settings,
            ),
            (fingerprint,),
        )
        return sorted({fingerprint, *(found for (found,) in cursor.fetchall())})


def sample_drawn(connection: Connection, settings: InstitutionSettings, sample_version: str) -> dict[str, Any] | None:
    """Return how a sample was drawn; ``None`` for a gold set that was not made from a sample."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select seed, size, settings, notes, drawn_at from {gold}.sample where sample_version = %s", settings
            ),
            (sample_version,),
        )
        row = cursor.fetchone()
    if row is None:
        return None
    seed, size, drawn_by, notes, drawn_at = row
    return {"seed": seed, "size": size, "settings": drawn_by, "notes": notes, "drawn_at": drawn_at.isoformat()}
