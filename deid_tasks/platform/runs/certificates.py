"""The certificate that a run needs."""

from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.evidence.gate import Certificate, verify_certificate
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.certificates import newest_certificate
from deid_tasks.settings import InstitutionSettings, Secrets


def verify_current_certificate(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Check that the engine as it is now may publish; returns the certificate's name and the fingerprint.

    Raises:
        GateError: it may not; the text says why and what to run.
    """
    fingerprint = load_engine(settings, secrets).fingerprint
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        content = valid_certificate(connection, settings, secrets, fingerprint)
    return {"certificate": content["certificate_id"], "fingerprint": fingerprint, "issued_at": content["issued_at"]}


def valid_certificate(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, fingerprint: str
) -> dict[str, Any]:
    """What the newest certificate of this fingerprint says; raises ``GateError`` unless it lets the fingerprint publish."""
    row = newest_certificate(connection, settings, fingerprint)
    return verify_certificate(
        Certificate(row.document, row.signature) if row else None,
        settings.institution,
        fingerprint,
        settings.gate,
        secrets.text(settings.gate.verification_key),
    )
