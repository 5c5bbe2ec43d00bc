"""The figures on the page, from an institution's results schema: sums and scores, never a note."""

import json
from dataclasses import dataclass, field
from typing import Any

from airflow.sdk import Connection, Variable

from deid_tasks.core.errors import DeidError
from deid_tasks.evidence.gate.signature import check_signature
from deid_tasks.platform.warehouse import connect
from deid_tasks.settings import InstitutionSettings

_QUERIES = {
    "quality": """
        select distinct on (sample, variant, metric)
            sample as design, variant, metric, value, lower, upper, gold_version, evaluated_at
        from {schema}.evaluation
        where view = 'word' and stratum = '' and entity = 'ALL' and metric in ('recall', 'recall_lower_bound', 'precision', 'f1')
        order by sample, variant, metric, evaluated_at desc
    """,
    "certificates": """
        select certificate_id, verdict, fingerprint, gold_version, issued_at, document, signature
        from {schema}.certificate
        order by issued_at desc
        limit 10
    """,
    "runs": """
        select run_id, slice_start, slice_end, notes_read, published, unchanged, quarantined, seconds, certificate_id, finished_at, review
        from {schema}.run
        order by finished_at desc
        limit 20
    """,
}


@dataclass
class Figures:
    """What the page shows of one institution; ``problem`` where nothing can be shown, in words that are safe to show."""

    title: str
    quality: list[dict[str, Any]] = field(default_factory=list)
    certificates: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    problem: str = ""


def read_figures(settings: InstitutionSettings) -> Figures:
    """The newest figures of one institution."""
    figures = Figures(settings.title)
    try:
        uri = Connection.get(settings.warehouse.connection).get_uri()
        with connect(uri) as connection, connection.cursor() as cursor:
            for name, query in _QUERIES.items():
                cursor.execute(query.format(schema=settings.schema_name("results")))
                columns = [column.name for column in cursor.description or ()]
                setattr(figures, name, [dict(zip(columns, row, strict=True)) for row in cursor])
        figures.certificates = [_with_signature_state(row, settings) for row in figures.certificates]
        for run in figures.runs:
            run["held"] = [one["kind"].replace("_", " ") for one in json.loads(run.pop("review"))]
    except DeidError as error:
        figures.problem = str(error)
    except Exception as error:
        figures.problem = f"{type(error).__name__}: is the connection {settings.warehouse.connection!r} defined?"
    return figures


def _with_signature_state(row: dict[str, Any], settings: InstitutionSettings) -> dict[str, Any]:
    """The certificate without its document, and with what is to be said of its signature."""
    document, signature = row.pop("document"), row.pop("signature")
    key = Variable.get(settings.gate.verification_key, default=None)
    if not key:
        return {**row, "signature": "no key"}
    try:
        check_signature(document, signature, key)
    except DeidError:
        return {**row, "signature": "broken"}
    return {**row, "signature": "valid"}
