"""The figures on the page, from an institution's results schema: sums and scores, never a note."""

from dataclasses import dataclass, field
from typing import Any

from airflow.sdk import Connection

from deid_tasks.errors import DeidError
from deid_tasks.settings import InstitutionSettings
from deid_tasks.warehouse import connect

_QUERIES = {
    "quality": """
        select distinct on (variant, metric) variant, metric, value, lower, upper, gold_version, evaluated_at
        from {schema}.evaluation
        where entity = 'ALL'
        order by variant, metric, evaluated_at desc
    """,
    "certificates": """
        select certificate_id, verdict, fingerprint, gold_version, issued_at
        from {schema}.certificate
        order by issued_at desc
        limit 10
    """,
    "runs": """
        select run_id, slice_start, slice_end, notes_read, published, unchanged, quarantined, seconds, certificate_id, finished_at
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
    except DeidError as error:
        figures.problem = str(error)
    except Exception as error:
        figures.problem = f"{type(error).__name__}: is the connection {settings.warehouse.connection!r} defined?"
    return figures
