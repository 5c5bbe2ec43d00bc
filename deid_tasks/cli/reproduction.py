"""``deid reproduce``: tables of the literature with our figures, for holders of the data."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.gold_files import ENGINE_BATCH_NOTES, GoldNotes, pair_with_engine, pair_with_file
from deid_tasks.cli.jsonl import Problems
from deid_tasks.cli.output import CsvFile, JsonFile, Output, warn
from deid_tasks.cli.progress import counting
from deid_tasks.comparison.published.layouts import PredictedNote, PredictedSet
from deid_tasks.comparison.published.tables import PublishedPaper, published_papers, reproduce_table
from deid_tasks.core.errors import DeidError, InputError
from deid_tasks.evidence.annotation.formats import AnnotatedNote


def reproduce(
    paper: Annotated[str, typer.Argument(help="lin-2020, murugadoss-2021, kocaman-2023 or murugadoss-2024.")],
    data: Annotated[
        Path,
        typer.Argument(
            help="Folder with the test sets, each a folder or file of its name: i2b2-2014, i2b2-2006, physionet,"
            " conll-2003.",
        ),
    ],
    predicted: Annotated[
        Path | None,
        typer.Option(
            help="Folder of NAME.jsonl with the spans that another system found, as `deid detect` writes them;"
            " by default the public engine reads the notes."
        ),
    ] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print each table of a paper that the data allows, with our figures beside the published ones.

    The published figures are those of the paper's own notes and tokenization. Exit status 1: lines were skipped.
    """
    known = published_papers()
    if paper not in known:
        raise DeidError(f"{paper!r} is not one of {', '.join(known)}")
    chosen = known[paper]
    problems = Problems()
    with counting("notes") as count:
        sets = {
            name: _predicted_set(name, path, form, predicted, problems, count)
            for name, form in chosen.datasets.items()
            if (path := _dataset(data, name)) is not None
        }
    if not sets:
        raise InputError(f"{data}: holds none of {', '.join(chosen.datasets)}; each is a folder or a file of its name")
    _print(chosen, sets, Output(json_file, csv_file))
    if problems.count:
        warn(f"{problems.count} problems")
        raise typer.Exit(1)


def _print(paper: PublishedPaper, sets: dict[str, PredictedSet], output: Output) -> None:
    tables = [reproduce_table(paper, table, sets) for table in paper.tables]
    for table in tables:
        output.table(table)
    absent = [name for name in paper.datasets if name not in sets]
    if absent:
        output.line(f"without {', '.join(absent)}: their figures are missing")
    output.line(f"left out: {paper.omitted}")
    document = {
        "paper": paper.paper,
        "tables": [
            {"number": published.number, "title": table.title, "rows": list(table.rows)}
            for published, table in zip(paper.tables, tables, strict=True)
        ],
    }
    rows = [
        {"table": published.number, **row}
        for published, table in zip(paper.tables, tables, strict=True)
        for row in table.rows
    ]
    output.files(document, rows)


def _dataset(data: Path, name: str) -> Path | None:
    """Return the folder or the file of a dataset; ``None`` if there is none."""
    if (data / name).exists():
        return data / name
    return next(iter(sorted(data.glob(f"{name}.*"))), None)


def _predicted_set(
    name: str, path: Path, form: str, predicted: Path | None, problems: Problems, count: Callable[[int], None]
) -> PredictedSet:
    """Read a dataset, and predict its spans or read them."""
    gold = list(GoldNotes(path, form, problems))
    if predicted is None:
        pairs = pair_with_engine([*_warm_up(gold), *gold], problems)
        for _ in range(len(_warm_up(gold))):
            next(pairs)
    else:
        pairs = pair_with_file(gold, predicted / f"{name}.jsonl", "jsonl", problems)
    began = time.perf_counter()
    notes = []
    for note, spans in pairs:
        notes.append(PredictedNote(note.text, note.spans, spans))
        count(1)
    return PredictedSet(notes, time.perf_counter() - began if predicted is None else None)


def _warm_up(gold: list[AnnotatedNote]) -> list[AnnotatedNote]:
    """Return one batch of notes, during which the engine is built: it does not count in the seconds of a document."""
    return (gold * ENGINE_BATCH_NOTES)[:ENGINE_BATCH_NOTES]
