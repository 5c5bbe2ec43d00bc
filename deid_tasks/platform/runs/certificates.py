"""The certificate that a run needs before it may publish."""

from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.evidence.gate import Certificate, verify_certificate
from deid_tasks.platform.warehouse.certificates import newest_certificate
from deid_tasks.settings import InstitutionSettings, Secrets


def valid_certificate(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, fingerprint: str
) -> dict[str, Any]:
    """Return the content of the newest certificate of this fingerprint.

    Raises:
        GateError: there is no certificate, or it does not allow this fingerprint to publish.
    """
    row = newest_certificate(connection, settings, fingerprint)
    return verify_certificate(
        Certificate(row.document, row.signature) if row else None,
        settings.institution,
        fingerprint,
        settings.gate,
        secrets.text(settings.gate.verification_key),
    )
