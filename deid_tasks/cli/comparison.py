"""``deid compare``: other systems beside the engine, on the same gold notes and with the same scorer."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from deid_tasks.cli.counted import counted_group, counted_sentence
from deid_tasks.cli.options import PolicyOption, policy_of
from deid_tasks.cli.output import CsvFile, JsonFile, Output, Wide, warn
from deid_tasks.core.entities import Category
from deid_tasks.core.errors import DeidError
from deid_tasks.core.figure_table import COUNT, SCORE, Column, FigureTable
from deid_tasks.evidence.annotation.formats import FORMATS

DEFAULT_SYSTEMS = "palimpsest,presidio,philter,openmed,scrubadub"
_LISTED = 10
"""Failed notes that are named on the terminal; the files name all."""
_SPEEDS = ("words_per_core_second", "median_seconds_per_note", "core_seconds", "seconds")
_COLUMNS = (
    Column("title", "system"),
    Column("recall", "recall", SCORE),
    Column("recall_lower", "from", SCORE, is_wide=True),
    Column("recall_upper", "to", SCORE, is_wide=True),
    Column("precision", "precision", SCORE),
    Column("precision_lower", "from", SCORE, is_wide=True),
    Column("precision_upper", "to", SCORE, is_wide=True),
    Column("f1", "F1", SCORE),
    Column("full", "none missed", ".1%"),
    Column("over_redaction", "needless/1,000", ".1f", is_wide=True),
    Column("failed", "failed", COUNT),
    Column("words_per_core_second", "words/core-s", ",.0f"),
)
_DIFFERENCES = (
    Column("title", "system"),
    Column("recall", "recall", "+.4f"),
    Column("recall_lower", "from", "+.4f"),
    Column("recall_upper", "to", "+.4f"),
    Column("precision", "precision", "+.4f"),
    Column("precision_lower", "from", "+.4f"),
    Column("precision_upper", "to", "+.4f"),
)


def compare(
    gold: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Gold notes: JSONL of {id, text, spans[, patient_id]}, the format of --format, or a YAML file that"
            " describes a gold set.",
            show_default=False,
        ),
    ] = None,
    systems: Annotated[
        str,
        typer.Option(help="Systems, separated by commas; --list shows them. hf:FOLDER and spacy:NAME name a model."),
    ] = DEFAULT_SYSTEMS,
    option: Annotated[
        list[str] | None,
        typer.Option(help="SYSTEM.KEY=VALUE: an option of a system, for example presidio.min_score=0."),
    ] = None,
    variable: Annotated[
        list[str] | None,
        typer.Option(help="SYSTEM.NAME: an environment variable that a system may read, such as an API key."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help=f"Format of the gold notes, a file or a folder: {', '.join(FORMATS)}.")
    ] = "jsonl",
    group: Annotated[
        str,
        typer.Option(
            help="Entities: A (Safe Harbor), B (A + providers) or C (B + facilities, state, country; the default)."
        ),
    ] = "",
    policy: PolicyOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Notes of each gold set that are read at most.")] = None,
    confidence: Annotated[float, typer.Option(min=0.5, max=0.999, help="Confidence of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(min=100, max=100_000, help="Bootstrap resamples of patients.")] = 1_000,
    note_seconds: Annotated[float, typer.Option(min=0.1, help="Seconds that a system may read one note.")] = 120.0,
    report: Annotated[Path | None, typer.Option(help="Also write an HTML page; it holds no text of notes.")] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of environments and of earlier answers; by default in the user's cache folder."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Leave answers of earlier runs aside.")] = False,  # noqa: FBT002
    show: Annotated[bool, typer.Option("--list", help="Print the systems and end.")] = False,  # noqa: FBT002
    wide: Wide = False,  # noqa: FBT002
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Compare de-identification systems on gold notes: each in its own process and environment, one scorer for all.

    Environments are made on first use from pinned requirements. A system that cannot be installed or started is a row
    that says so. A note on which a system fails counts as missed in whole. Exit status 1: a system did not run, or
    failed on a note.
    """
    from deid_tasks.comparison.comparison import ComparisonSettings, compare_systems
    from deid_tasks.comparison.gold import read_compared_set
    from deid_tasks.comparison.registry import KNOWN_SYSTEMS, parse_systems
    from deid_tasks.comparison.run import system_launcher

    output = Output(json_file, csv_file, wide)
    if show:
        rows = [{"name": one.name, "about": one.about} for one in KNOWN_SYSTEMS.values()]
        output.table(FigureTable("systems", (Column("name", "name"), Column("about", "what runs")), rows))
        return
    if not gold:
        raise DeidError("name at least one file of gold notes")
    section = policy_of(policy)
    counted = counted_group(group, section)
    choices = parse_systems((name.strip() for name in systems.split(",") if name.strip()), option or (), variable or ())
    if not choices:
        raise DeidError("--systems has no name of a system; --list shows them")
    sets = [read_compared_set(path, form, limit) for path in gold]
    folder = cache or _default_cache()
    settings = ComparisonSettings(folder, counted, confidence, resamples, fresh, section)
    with _progress(len(choices) * sum(len(one.notes) for one in sets)) as progress:
        launch = system_launcher(folder, progress.announce, note_seconds)
        document = compare_systems(sets, choices, settings, launch, progress)
    output.paragraph(counted_sentence(section, counted))
    _print(document, output)
    output.files(document, [row for one in document["sets"] for row in _rows(one)])
    if report:
        from deid_tasks.comparison.report import write_comparison

        write_comparison(document, report)
    _end(document)


class _Shown:
    """Progress on standard error: a bar on a terminal, a line for each system that is installed elsewhere."""

    def __init__(self, progress: Progress, notes: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=notes)

    def announce(self, text: str) -> None:
        self._progress.update(self._task, description=text)
        if self._progress.disable and text.startswith("installing"):
            warn(text)

    def count(self, notes: int) -> None:
        self._progress.advance(self._task, notes)


@contextmanager
def _progress(notes: int) -> Iterator[_Shown]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield _Shown(progress, notes)


def _default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "palimpsest-deid" / "compare"


def _print(document: Mapping[str, Any], output: Output) -> None:
    """Print a table and the differences for each gold set, then what failed."""
    for one in document["sets"]:
        output.table(FigureTable(_title(one), _COLUMNS, list(_rows(one))))
        differences = [_difference(row) for row in one["rows"] if row["figures"] and row["differences"]]
        if differences:
            title = f"minus Palimpsest, {document['confidence']:.0%} intervals of paired resamples"
            output.table(FigureTable(title, _DIFFERENCES, differences))
        for row in one["rows"]:
            _print_problems(row, output)
    for system in document["systems"]:
        if system["message"]:
            output.line(f"{system['title']} did not run ({system['reason']}): {system['message']}; {system['advice']}")


def _title(one: Mapping[str, Any]) -> str:
    covered = f"; counts {', '.join(one['categories'])}" if len(one["categories"]) < len(Category) else ""
    covered += f"; without {', '.join(one['without'])}" if one["without"] else ""
    return f"{one['name']}: {one['notes']:,} notes, {one['words']:,} words, {one['groups']:,} patients{covered}"


def _rows(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for row in one["rows"]:
        cells: dict[str, Any] = {"set": one["name"], "system": row["system"], "title": row["title"]}
        for name, figure in (row["figures"] or {}).items():
            if figure is None:
                continue
            cells |= {name: figure["value"], f"{name}_lower": figure["lower"], f"{name}_upper": figure["upper"]}
        if row["figures"]:
            speed = row["speed"] or {}
            cells |= {"failed": len(row["failures"]), **{key: speed.get(key) for key in _SPEEDS}}
        yield cells


def _difference(row: Mapping[str, Any]) -> dict[str, Any]:
    cells: dict[str, Any] = {"title": row["title"]}
    for name, figure in row["differences"].items():
        cells |= {name: figure["value"], f"{name}_lower": figure["lower"], f"{name}_upper": figure["upper"]}
    return cells


def _print_problems(row: Mapping[str, Any], output: Output) -> None:
    if not row["figures"]:
        return
    if row["failures"]:
        listed = [f"{one['note_id']} ({one['error']})" for one in row["failures"]]
        rest = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
        output.line(f"{row['title']} failed on {', '.join(listed[:_LISTED])}{rest}: counted as missed in whole")
    if row["unknown_labels"]:
        labels = ", ".join(sorted(row["unknown_labels"]))
        output.line(f"{row['title']} has labels that its map lacks, counted as identifiers: {labels}")


def _end(document: Mapping[str, Any]) -> None:
    failed = any(row["figures"] is None or row["failures"] for one in document["sets"] for row in one["rows"])
    if failed:
        raise typer.Exit(1)
