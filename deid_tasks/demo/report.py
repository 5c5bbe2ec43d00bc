"""What came out of the demo, in one table a person understands, and the published rows read back by an outside reader."""

import datetime
import json
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from deid_tasks.demo.state import DemoError
from deid_tasks.platform.publish import load_rows, open_table
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings, Secrets

QUERY = """
    SELECT institution, note_type, note_datetime, replace(substr(text, 1, 160), chr(10), ' ') AS text
    FROM notes
    QUALIFY row_number() OVER (PARTITION BY institution, note_type ORDER BY note_key) = 1
    ORDER BY hash(note_type), institution
    LIMIT 3
"""
PATIENT = """
    SELECT substr(patient_key, 1, 8) AS patient, first_name, last_name, sex, birth_date, city, state,
        count(DISTINCT encounter_key) AS encounters, count(DISTINCT note_key) AS notes,
        max(CASE WHEN contains(text, last_name) THEN 'yes' ELSE 'no' END) AS named_in_notes
    FROM notes
    JOIN patients USING (institution, patient_key)
    JOIN patient_names USING (institution, patient_key)
    JOIN patient_addresses USING (institution, patient_key)
    JOIN encounters USING (institution, patient_key)
    GROUP BY ALL
    ORDER BY notes DESC, patient
    LIMIT 1
"""
ASK = '.venv/bin/python -m deid_tasks.demo.query "SELECT institution, count(*) FROM notes GROUP BY 1"'


def query(settings: InstitutionSettings, secrets: Secrets, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Columns and rows of a DuckDB query over the published ``notes`` and the structured tables that the query names."""
    connection = open_table(settings, secrets).scan().to_duckdb("notes")
    try:
        for name in settings.publish.tables:
            if name in sql:
                load_rows(settings, secrets, name).scan().to_duckdb(name, connection)
        answer = connection.execute(sql)
        return [column[0] for column in answer.description], answer.fetchall()
    finally:
        connection.close()


def show_report(
    console: Console,
    institutions: list[InstitutionSettings],
    secrets: Secrets,
    days: tuple[datetime.date, datetime.date],
    seconds: float,
) -> None:
    """Print notes, quality and speed of each institution, where the table is, and three of its rows.

    ``seconds`` is how long the days' notes took, all institutions together, from warehouse to table.
    """
    columns = [_figures(settings, secrets, days) for settings in institutions]
    table = Table(title=f"\nNotes of {days[0]} to {days[1]}", title_justify="left")
    table.add_column("")
    for settings in institutions:
        table.add_column(settings.title, justify="right")
    for place, cells in enumerate(zip(*(column.shown() for column in columns), strict=True)):
        table.add_row(cells[0][0], *(value for _, value in cells), end_section=place in _SECTION_ENDS)
    console.print(table)
    read = sum(column.read for column in columns)
    console.print(
        f"{read:,} notes went from warehouse to published table in {seconds:,.0f} s: {read / seconds:,.1f} notes per second.",
        highlight=False,
    )
    first = institutions[0]
    location = open_table(first, secrets).location()
    endpoint = secrets.mapping(first.publish.object_store)["endpoint"]
    console.print(f"\nPublished table (Iceberg): {first.publish.table} at {location}", highlight=False, soft_wrap=True)
    console.print(f"S3 endpoint: {endpoint}", highlight=False)
    names, rows = query(first, secrets, QUERY)
    sample = Table(
        *names,
        title="\nThree of its rows; surrogates stand where identifiers were",
        title_justify="left",
        show_lines=True,
    )
    for row in rows:
        sample.add_row(*map(str, row))
    console.print(sample)
    if {"patients", "patient_names", "patient_addresses", "encounters"} <= set(first.publish.tables):
        names, rows = query(first, secrets, PATIENT)
        joined = Table(
            *names, title="\nOne patient, in notes and structured tables, joined by key", title_justify="left"
        )
        for row in rows:
            joined.add_row(*map(str, row))
        console.print(joined)
    console.print(f"Ask it yourself:\n  {ASK}", highlight=False, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class _Figures:
    """One institution's days."""

    read: int
    published: int
    quarantined: int
    seconds: float
    scores: dict[tuple[str, str], tuple[float, float, float]]
    """Value and 95 % interval by variant and metric."""
    certificate: dict[str, Any]

    def shown(self) -> list[tuple[str, str]]:
        """Labels and values, in order."""
        certificate = self.certificate
        # The unbiased gold set speaks for all notes.
        gold = min(certificate["evaluated"], key=lambda one: one["design"] != "random")
        goal = f"one-sided lower bound; needed: {certificate['thresholds']['recall_min']:g}"
        return [
            ("notes read", f"{self.read:,}"),
            ("published", f"{self.published:,}"),
            ("quarantined", f"{self.quarantined:,}"),
            (f"gold notes, {gold['design']} sample", f"{gold['notes']:,}"),
            ("word recall (95% interval)", self._score("full", "recall")),
            (_WITHOUT, self._score("without_dictionaries", "recall")),
            (f"  {goal}", f"{gold['recall_lower_bound']:.4f}"),
            ("word precision (95% interval)", self._score("full", "precision")),
            (_WITHOUT, self._score("without_dictionaries", "precision")),
            ("notes per second and worker", f"{self.read / self.seconds:.1f}" if self.seconds else ""),
        ]

    def _score(self, variant: str, metric: str) -> str:
        value, lower, upper = self.scores[variant, metric]
        return f"{value:.4f} ({lower:.4f}–{upper:.4f})"


_WITHOUT = "  without the institution's dictionaries"
_SECTION_ENDS = {2, 6, 8}


def _figures(settings: InstitutionSettings, secrets: Secrets, days: tuple[datetime.date, datetime.date]) -> _Figures:
    with (
        connect(secrets.text(settings.warehouse.connection)) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(
            compose(
                """
                select coalesce(sum(notes_read), 0)::int, coalesce(sum(published + unchanged), 0)::int,
                    coalesce(sum(quarantined), 0)::int, coalesce(sum(seconds), 0)::float
                from (
                    select distinct on (slice_start) * from {results}.run
                    where slice_start >= %s and slice_start < %s order by slice_start, finished_at desc
                ) as newest
                """,
                settings,
            ),
            (days[0], days[1] + datetime.timedelta(days=1)),
        )
        read, published, quarantined, seconds = cursor.fetchone() or (0, 0, 0, 0.0)
        cursor.execute(compose("select document from {results}.certificate order by issued_at desc limit 1", settings))
        certificate = cursor.fetchone()
        cursor.execute(
            compose(
                """
                select distinct on (variant, metric) variant, metric, value, lower, upper from {results}.evaluation
                where view = 'word' and stratum = '' and entity = 'ALL' and metric in ('recall', 'precision')
                order by variant, metric, evaluated_at desc, sample
                """,
                settings,
            )
        )
        scores = {(variant, metric): (value, lower, upper) for variant, metric, value, lower, upper in cursor}
    if not certificate:
        raise DemoError(f"{settings.title} has no certificate: see evaluate__{settings.institution}")
    return _Figures(read, published, quarantined, seconds, scores, json.loads(certificate[0]))
