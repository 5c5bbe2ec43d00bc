"""What came out of the demo, in one table a person understands, and the published rows read back by an outside reader."""

import datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from deid_tasks.publish import open_table
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.warehouse import connect

QUERY = """
    SELECT institution, note_type, note_datetime, replace(substr(text, 1, 160), chr(10), ' ') AS text
    FROM notes
    QUALIFY row_number() OVER (PARTITION BY institution, note_type ORDER BY note_key) = 1
    ORDER BY hash(note_type), institution
    LIMIT 3
"""


def query(settings: InstitutionSettings, secrets: Secrets, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Columns and rows of a DuckDB query over the published table, which it sees as ``notes``."""
    connection = open_table(settings, secrets).scan().to_duckdb("notes")
    try:
        answer = connection.execute(sql)
        return [column[0] for column in answer.description], answer.fetchall()
    finally:
        connection.close()


def show_report(
    console: Console,
    institutions: list[InstitutionSettings],
    secrets: Secrets,
    days: tuple[datetime.date, datetime.date],
) -> None:
    """Print notes, quality and speed of each institution, where the table is, and three of its rows."""
    table = Table(title=f"Notes of {days[0]} to {days[1]}", title_justify="left", show_lines=True)
    table.add_column("")
    for settings in institutions:
        table.add_column(settings.title, justify="right")
    columns = [_figures(settings, secrets, days) for settings in institutions]
    for label in columns[0]:
        table.add_row(label, *(column.get(label, "") for column in columns))
    console.print()
    console.print(table)
    first = institutions[0]
    location = open_table(first, secrets).location()
    endpoint = secrets.mapping(first.publish.object_store)["endpoint"]
    console.print(f"Published table: {first.publish.table} at {location} (S3 endpoint {endpoint})", highlight=False)
    console.print(
        'Ask it anything: .venv/bin/python -m deid_tasks.demo.query "SELECT institution, count(*) FROM notes GROUP BY 1"'
    )
    names, rows = query(first, secrets, QUERY)
    sample = Table(*names, title="Three published rows, with surrogates in place of what was found", show_lines=True)
    for row in rows:
        sample.add_row(*map(str, row))
    console.print(sample)


def _figures(
    settings: InstitutionSettings, secrets: Secrets, days: tuple[datetime.date, datetime.date]
) -> dict[str, str]:
    schema = settings.schema_name("results")
    with (
        connect(secrets.text(settings.warehouse.connection)) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "select coalesce(sum(notes_read), 0)::int, coalesce(sum(published + unchanged), 0)::int,"
            " coalesce(sum(quarantined), 0)::int, coalesce(sum(seconds), 0)::float"
            f" from (select distinct on (slice_start) * from {schema}.run"
            "  where slice_start >= %s and slice_start < %s order by slice_start, finished_at desc) as newest",
            (days[0], days[1] + datetime.timedelta(days=1)),
        )
        read, published, quarantined, seconds = cursor.fetchone() or (0, 0, 0, 0.0)
        cursor.execute(
            f"select distinct on (variant, metric) variant, metric, value, lower from {schema}.evaluation"
            " where entity = 'ALL' and metric in ('recall', 'precision') order by variant, metric, evaluated_at desc"
        )
        scores = {(variant, metric): (value, lower) for variant, metric, value, lower in cursor}
    words = {
        f"word {metric}, {label}": f"{scores[variant, metric][0]:.4f}"
        for metric in ("recall", "precision")
        for variant, label in (
            ("full", "with the institution's dictionaries"),
            ("without_dictionaries", "without them"),
        )
        if (variant, metric) in scores
    }
    return {
        "notes read": f"{read:,}",
        "published": f"{published:,}",
        "quarantined": f"{quarantined:,}",
        **words,
        "notes per second and core": f"{read / seconds:.1f}" if seconds else "",
    }
