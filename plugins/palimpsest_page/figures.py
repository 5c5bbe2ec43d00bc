"""The figures on the page, from an institution's results schema: sums and scores, never a note."""

import json
import logging
from dataclasses import dataclass, field
from typing import Any

from airflow.sdk import Connection, Variable
from airflow.sdk.exceptions import AirflowNotFoundException
from psycopg2 import sql

from deid_tasks.core.errors import DeidError
from deid_tasks.evidence.gate.signature import check_signature
from deid_tasks.platform.warehouse import connect
from deid_tasks.settings import InstitutionSettings

logger = logging.getLogger(__name__)

_QUERIES = {
    "quality": """
        select distinct on (sample, variant, metric)
            sample as design, variant, metric, value, lower, upper, gold_version, evaluated_at
        from {schema}.evaluation
        where view = 'word' and stratum = '' and entity = 'ALL'
            and metric in ('recall', 'recall_lower_bound', 'precision', 'f1')
        order by sample, variant, metric, evaluated_at desc
    """,
    "certificates": """
        select certificate_id, verdict, fingerprint, gold_version, issued_at, document, signature
        from {schema}.certificate
        order by issued_at desc
        limit 10
    """,
    "engines": """
        select
            l.fingerprint,
            count(*) as notes,
            e.promoted_at,
            case
                when l.fingerprint = newest.fingerprint then 'newest'
                when e.base_fingerprint = newest.base_fingerprint then 'dictionaries'
                when e.policy_free_fingerprint = newest.policy_free_fingerprint and e.policy_free_fingerprint <> ''
                    then 'policy'
                when e.fingerprint is null then 'not recorded'
                else 'code, models or settings'
            end as differs_in
        from {schema}.note_ledger as l
        left join {schema}.promoted_engine as e on l.fingerprint = e.fingerprint
        left join (
            select * from {schema}.promoted_engine order by promoted_at desc, fingerprint limit 1
        ) as newest on true
        where l.outcome in ('published', 'unchanged', 'quarantined')
        group by 1, 3, 4
        order by 3 desc nulls last, 1
    """,
    "runs": """
        select run_id, kind, slice_start, slice_end, notes_read, published, unchanged, quarantined, removed, seconds,
            certificate_id, finished_at, review
        from {schema}.run
        order by finished_at desc
        limit 20
    """,
}


@dataclass
class Figures:
    """What the page shows of one institution."""

    title: str
    quality: list[dict[str, Any]] = field(default_factory=list)
    certificates: list[dict[str, Any]] = field(default_factory=list)
    engines: list[dict[str, Any]] = field(default_factory=list)
    """Engines that the notes of the ledger are valid for, and what the newest one differs in."""
    runs: list[dict[str, Any]] = field(default_factory=list)
    problem: str = ""
    """Why figures are missing, without anything that may not be shown."""


def read_figures(settings: InstitutionSettings) -> Figures:
    """Return the newest figures of one institution; where they cannot be read, ``problem`` says why and what to do."""
    figures = Figures(settings.title)
    schema = sql.Identifier(settings.schema_name("results"))
    name = settings.warehouse.connection_of("page")
    try:
        uri = Connection.get(name).get_uri()
        with connect(uri) as connection, connection.cursor() as cursor:
            for name, query in _QUERIES.items():
                cursor.execute(sql.SQL(query).format(schema=schema))
                columns = [column.name for column in cursor.description or ()]
                setattr(figures, name, [dict(zip(columns, row, strict=True)) for row in cursor])
        figures.certificates = [_with_signature_state(row, settings) for row in figures.certificates]
        for run in figures.runs:
            run["held"] = [one["kind"].replace("_", " ") for one in json.loads(run.pop("review"))]
    except AirflowNotFoundException:
        figures.problem = f"The connection {name!r} is not set: add it in Airflow."
    except DeidError as error:
        figures.problem = str(error)
    except Exception as error:
        # The text of another error may quote a row or the connection's address.
        logger.warning("institution=%s: figures cannot be read: %s", settings.institution, type(error).__name__)
        figures.problem = (
            f"The figures cannot be read ({type(error).__name__}): check the connection"
            f" {name!r}, and run dictionaries__{settings.institution} if it never ran."
        )
    return figures


def _with_signature_state(row: dict[str, Any], settings: InstitutionSettings) -> dict[str, Any]:
    """Return the certificate without its document, and with ``signature`` as ``valid``, ``broken`` or ``no key``."""
    document, signature = row.pop("document"), row.pop("signature")
    key = _verification_key(settings.gate.verification_key)
    if not key:
        return {**row, "signature": "no key"}
    try:
        check_signature(document, signature, key)
    except DeidError:
        return {**row, "signature": "broken"}
    return {**row, "signature": "valid"}


def _verification_key(name: str) -> str | None:
    """Return the public key from the password of a connection, or else from a variable."""
    try:
        return str(Connection.get(name).password or "") or None
    except AirflowNotFoundException:
        value = Variable.get(name, default=None)
        return None if value is None else str(value)
