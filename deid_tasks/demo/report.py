"""The result of the demo: figures of each institution, and published rows as an outside reader sees them."""

import datetime
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from deid_tasks.core.figure_table import Column, FigureTable, print_table
from deid_tasks.demo.environment import Places
from deid_tasks.demo.seed import DEMO_INSTITUTIONS
from deid_tasks.demo.state import DemoError
from deid_tasks.platform.publish import load_rows, open_table
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings, Secrets

QUERY = """
    SELECT institution, note_type, note_datetime, replace(substr(text, 1, 240), chr(10), ' ') AS text
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
ASK = ".venv/bin/python -m deid_tasks.demo.query"
COMMAND = ".venv/bin/python -m deid_tasks.demo.deid"
COUNT_QUERY = "SELECT count(*) FROM notes"
_COLUMNS = 100
_JOINED = frozenset({"patients", "patient_names", "patient_addresses", "encounters"})


def query(settings: InstitutionSettings, secrets: Secrets, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return columns and rows of a DuckDB query over the published ``notes`` and the structured tables it names."""
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
    """Print notes, quality and speed of each institution, and rows of the published tables; all fits 100 columns.

    Args:
        console: Where to print.
        institutions: The demo's institutions.
        secrets: Their secrets.
        days: First and last day of the backfill.
        seconds: Duration of the backfill of all institutions, from warehouse to table.
    """
    figures = [_figures(settings, secrets, days) for settings in institutions]
    columns = [Column("figure", ""), *(Column(one.institution, one.title, ">") for one in institutions)]
    rows = [
        {"figure": cells[0][0], **{one.institution: cell for one, (_, cell) in zip(institutions, cells, strict=True)}}
        for cells in zip(*(one.labelled() for one in figures), strict=True)
    ]
    first = institutions[0]
    _show_rows(console, first, secrets)
    _show_patient(console, first, secrets)
    console.print()
    print_table(console, FigureTable(f"Notes of {days[0]} to {days[1]}", columns, rows))
    read = sum(one.read for one in figures)
    rate = (
        f"{read:,} notes went from warehouse to published table in {seconds:,.0f} s: {read / seconds:,.1f} per second."
    )
    _print_line(console, rate)


def show_next_steps(console: Console, places: Places, login: str, secrets_file: Path) -> None:
    """Print the addresses of the pages, and one line for each thing to try next."""
    lines = (
        ("", ""),
        ("Airflow", login),
        ("Quality", f"{places.airflow}/palimpsest/  (in Airflow's menu: De-identification)"),
        ("Object store", f"{places.object_store}  (an S3 emulator)"),
        ("", ""),
        ("Try next", ""),
        ("  query the published table", f'{ASK} "{COUNT_QUERY}"'),
        ("  de-identify a text", ".venv/bin/deid obfuscate NOTE.txt -o -"),
        ("  report on the release", f"{COMMAND} report release --institution {DEMO_INSTITUTIONS[0]}"),
        ("  add a hospital", ".venv/bin/deid layout new NAME, then .venv/bin/deid institution new NAME"),
        ("  give its secrets to Airflow", f"write {secrets_file}, then .venv/bin/deid demo --up"),
        ("", ""),
    )
    width = max(len(label) for label, _ in lines)
    for label, text in lines:
        _print_line(console, f"{label:<{width}}  {text}".rstrip())


def _show_rows(console: Console, settings: InstitutionSettings, secrets: Secrets) -> None:
    _, rows = query(settings, secrets, QUERY)
    location = open_table(settings, secrets).location()
    _print_line(console, f"\nPublished table (Iceberg): {settings.publish.table} at {location}")
    _print_line(console, "Three of its rows; surrogates stand where identifiers were:")
    for institution, note_type, written_at, text in rows:
        _print_line(console, f"\n  {institution}  {note_type}  {written_at}")
        _print_line(console, textwrap.fill(text, _COLUMNS, initial_indent="    ", subsequent_indent="    "))


def _show_patient(console: Console, settings: InstitutionSettings, secrets: Secrets) -> None:
    if not set(settings.publish.tables) >= _JOINED:
        return
    names, rows = query(settings, secrets, PATIENT)
    _print_line(console, "\nOne patient, in notes and structured tables joined by key:")
    for row in rows:
        facts = ", ".join(f"{name} {value}" for name, value in zip(names, row, strict=True))
        _print_line(console, textwrap.fill(facts, _COLUMNS, initial_indent="    ", subsequent_indent="    "))


def _print_line(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class _Figures:
    """One institution's days."""

    read: int
    published: int
    quarantined: int
    seconds: float
    changed: Mapping[str, int]
    """Notes that runs of changes wrote or removed, by cause."""
    scores: dict[tuple[str, str], tuple[float, float, float]]
    """Value and 95 % interval by variant and metric."""
    certificate: dict[str, Any]

    def labelled(self) -> list[tuple[str, str]]:
        """Return labels and values, in order."""
        certificate = self.certificate
        # The unbiased gold set speaks for all notes.
        gold = min(certificate["evaluated"], key=lambda one: one["design"] != "random")
        goal = f"one-sided lower bound; needed: {certificate['thresholds']['recall_min']:g}"
        return [
            ("notes read", f"{self.read:,}"),
            ("published", f"{self.published:,}"),
            ("quarantined", f"{self.quarantined:,}"),
            *((label, f"{sum(self.changed.get(cause, 0) for cause in causes):,}") for label, causes in _CHANGED),
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
_CHANGED = (
    ("amended since, and published again", ("amended",)),
    ("filed late, and published", ("late",)),
    ("of a merged patient, published again", ("merged", "record")),
    ("retracted: deleted or consent withdrawn", ("deleted", "excluded")),
)
"""Labels of the changes, and the causes on the work list that each counts."""


def _figures(settings: InstitutionSettings, secrets: Secrets, days: tuple[datetime.date, datetime.date]) -> _Figures:
    with (
        connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(
            compose(
                """
                select coalesce(sum(notes_read), 0)::int, coalesce(sum(published + unchanged), 0)::int,
                    coalesce(sum(quarantined), 0)::int, coalesce(sum(seconds), 0)::float
                from (
                    select distinct on (slice_start) * from {results}.run
                    where kind = 'notes' and slice_start >= %s and slice_start < %s
                    order by slice_start, finished_at desc
                ) as newest
                """,
                settings,
            ),
            (days[0], days[1] + datetime.timedelta(days=1)),
        )
        read, published, quarantined, seconds = cursor.fetchone() or (0, 0, 0, 0.0)
        cursor.execute(
            compose(
                """
                select cause, count(*) from {results}.run_note
                where run_id like 'changes/%' and result in ('written', 'removed') group by cause
                """,
                settings,
            )
        )
        changed = dict(cursor.fetchall())
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
    return _Figures(read, published, quarantined, seconds, changed, scores, json.loads(certificate[0]))
