"""The certificate that a run needs before it may publish."""

from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.evidence.gate import Certificate, verify_certificate
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.certificates import newest_certificate
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def verify_current_certificate(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Verify that the engine as it is now may publish; return the certificate's id, the fingerprint and the time of
    issue.

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
