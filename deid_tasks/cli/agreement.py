"""``deid agreement``: how far two annotators agree, word by word."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid_tasks.cli.output import CsvFile, JsonFile, Output
from deid_tasks.core.errors import InputError
from deid_tasks.core.figure_table import COUNT, SCORE, Column, FigureTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deid_tasks.core.span import Span
    from deid_tasks.evidence.annotation import AgreementTally

_MATRIX_COLUMNS = (
    Column("first", "first \\ second"),
    Column("identifier", "identifier", COUNT),
    Column("none", "none", COUNT),
)
_KAPPA_COLUMNS = (
    Column("what", "words of"),
    Column("kappa", "kappa", SCORE),
    Column("lower", "from", SCORE),
    Column("upper", "to", SCORE),
    Column("both", "by both", COUNT),
    Column("first_only", "first only", COUNT),
    Column("second_only", "second only", COUNT),
)
_HEADLINES = frozenset({"ALL", "ERRORS"})


def print_agreement(
    first: Annotated[Path, typer.Argument(help="One annotator's finished file or folder.")],
    second: Annotated[Path, typer.Argument(help="The other annotator's finished file or folder.")],
    format_name: Annotated[str, typer.Option("--format", help="Format of both files.")] = "jsonl",
    predicted: Annotated[
        Path | None, typer.Option(help="JSONL of an engine's spans, for the kappa of the engine's errors alone.")
    ] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print how far two annotators agree by word: the matrix and Cohen's kappa with 95 % intervals by patient.

    Exit status 1 where a note is in one file only; such notes do not count.
    """
    from deid_tasks.evidence.annotation import AgreementTally
    from deid_tasks.evidence.annotation.formats import FORMATS, verify_text

    if format_name not in FORMATS:
        raise InputError(f"--format is one of {', '.join(FORMATS)}, not {format_name!r}")
    others = {note.note_id: note for note in FORMATS[format_name].read(second)}
    engine = _predictions(predicted) if predicted else None
    tally, alone = AgreementTally(), 0
    for note in FORMATS[format_name].read(first):
        other = others.pop(note.note_id, None)
        if other is None:
            alone += 1
            continue
        verify_text(other, note.text, str(second))
        found = engine.get(note.note_id, ()) if engine is not None else None
        tally.add(note.text, note.spans, other.spans, note.patient_id or note.note_id, found)
    output = Output(json_file, csv_file)
    _print_tally(tally, output)
    if alone or others:
        output.line(f"{alone:,} notes are in {first} only, {len(others):,} in {second} only; they do not count")
        raise typer.Exit(1)


def _predictions(path: Path) -> "dict[str, Sequence[Span]]":
    from deid_tasks.evidence.annotation.formats.jsonl import json_lines, read_spans

    found: dict[str, Sequence[Span]] = {}
    for number, record in json_lines(path):
        if "outcome" in record and "spans" not in record:
            continue  # A quarantined note, in which nothing was found.
        found[str(record.get("id"))] = read_spans(record, f"{path}:{number}").spans
    return found


def _print_tally(tally: "AgreementTally", output: Output) -> None:
    matrix = tally.table()
    rows: list[dict[str, Any]] = [
        {
            "what": kappa.name.removeprefix("category:"),
            "kappa": kappa.value,
            "lower": kappa.lower,
            "upper": kappa.upper,
            "both": kappa.table.both,
            "first_only": kappa.table.first,
            "second_only": kappa.table.second,
        }
        for kappa in tally.kappas()
    ]
    counts = [
        {"first": "identifier", "identifier": matrix.both, "none": matrix.first},
        {"first": "none", "identifier": matrix.second, "none": matrix.neither},
    ]
    output.table(FigureTable(f"{tally.notes:,} notes, {matrix.words:,} words", _MATRIX_COLUMNS, counts))
    title = "Cohen's kappa by word, with 95 % intervals by patient"
    output.table(FigureTable(title, _KAPPA_COLUMNS, rows, lambda row: row["what"] in _HEADLINES))
    output.line(
        f"kappa {matrix.kappa:.4f}; agreement on identifiers alone {matrix.positive:.4f};"
        f" {tally.notes_alike:,} of {tally.notes:,} notes alike"
    )
    document = {
        "notes": tally.notes,
        "notes_alike": tally.notes_alike,
        "words": matrix.words,
        "positive_agreement": matrix.positive,
        "matrix": {"both": matrix.both, "first": matrix.first, "second": matrix.second, "neither": matrix.neither},
        "kappas": rows,
    }
    output.files(document, rows)
