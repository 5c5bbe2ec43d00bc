"""``deid bench``: where the engine's time goes on some notes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid_tasks.cli.jsonl import Line, Problems, read_lines
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institutions
from deid_tasks.cli.output import CsvFile, JsonFile, Output
from deid_tasks.cli.progress import counting
from deid_tasks.core.detectors import DetectorName, base_name
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

if TYPE_CHECKING:
    from deid_tasks.bench import BenchResult


_COLUMNS = (
    Column("stage", "stage"),
    Column("seconds", "seconds", ".2f"),
    Column("share", "share", ".1%"),
    Column("words_per_second", "words/s", ",.0f"),
    Column("spans", "spans", COUNT),
)


def bench(
    notes: Annotated[
        Path | None,
        typer.Argument(
            help="JSONL of {id, text[, patient_id]}, a folder of .txt files, or - for standard input;"
            " by default notes are simulated."
        ),
    ] = None,
    institution: Annotated[
        str | None, typer.Option(help="Use this institution's settings, dictionaries, patients and sentence cache.")
    ] = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    simulated: Annotated[int, typer.Option(min=1, help="Notes to simulate where no file is given.")] = 300,
    obfuscate: Annotated[bool, typer.Option("--obfuscate", help="Put surrogates in too, and audit them.")] = False,  # noqa: FBT002
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print each stage's share of the time, words, tokens and sentences per second, hit rates and the matrix peak.

    Times are processor time of this process. Notes are read and released in batches; nothing is written but figures.
    """
    from deid_tasks.bench import Bench
    from deid_tasks.cli.engines import CommandEngine

    engine = CommandEngine(institution, institutions, needs_key=obfuscate)
    problems, run = Problems(), Bench()
    lines = read_lines(notes, problems) if notes else _simulated(simulated)
    with counting("notes") as count:
        for batch in engine.batches(lines):
            run.run(batch.notes, batch.context, detect_only=not obfuscate)
            count(len(batch.lines))
    measured = run.result()
    document = report(measured, _neural(measured))
    output = Output(json_file, csv_file)
    _print(document, output)
    output.files(document, document["stages"])
    if problems.count:
        raise typer.Exit(1)


def _simulated(count: int) -> Iterator[Line]:
    from deid_tasks.bench import simulated_notes

    for number, note in enumerate(simulated_notes(count), start=1):
        yield Line(number, note.note_id, note.text, note.patient_id, note.note_type)


def report(measured: "BenchResult", neural: dict[str, float]) -> dict[str, Any]:
    """The figures by name; rates are per second of processor time."""
    seconds = max(measured.seconds, 1e-9)
    amounts = measured.amounts
    rates = {f"{name}_per_second": amounts.get(name, 0) / seconds for name in ("notes", "words", "tokens", "sentences")}
    stages = [
        {
            "stage": stage.name,
            "seconds": stage.seconds,
            "share": stage.seconds / seconds,
            "words_per_second": amounts.get("words", 0) / stage.seconds if stage.seconds else None,
            "spans": stage.spans,
        }
        for stage in measured.stages
    ]
    counts = {name: dict(counter) for name, counter in measured.counts.items()}
    hits = {name: _hits(counter) for name, counter in counts.items() if counter.get("sentences")}
    return {"amounts": amounts, "seconds": seconds, **rates, "stages": stages, "hits": hits, "neural": neural}


def _hits(counts: dict[str, int]) -> dict[str, float]:
    """Return which shares of sentences the model did not read: repeated, on the inclusion list, or in the cache."""
    sentences, distinct = counts["sentences"], max(1, counts.get("distinct", 0))
    asked = max(1, distinct - counts.get("included", 0))
    return {
        "repeats": 1 - counts.get("distinct", 0) / sentences,
        "inclusion": counts.get("included", 0) / distinct,
        "inclusion_of_all_sentences": counts.get("included_sentences", 0) / sentences,
        "cache": counts.get("cached", 0) / asked,
        "read": counts.get("read", 0) / sentences,
    }


def _neural(measured: "BenchResult") -> dict[str, float]:
    """Multiply-adds a second of the neural stages, and their share of the matrix peak; empty without a neural stage.

    ONNX runs on processors: processor time and int8 count. torch runs on a GPU if there is one: elapsed time and
    bfloat16 count.
    """
    from deid_tasks.bench import bfloat16_peak, int8_peak, multiply_adds_a_piece

    stages = [stage for stage in measured.stages if base_name(stage.name) == DetectorName.TRANSFORMER]
    read = [counter for name, counter in measured.counts.items() if name.endswith(" tokens")]
    pieces = sum(counter.total() for counter in read)
    if not stages or not pieces:
        return {}
    is_torch = any(path.suffix != ".onnx" for counter in read for path in counter)
    seconds = sum(stage.elapsed_seconds if is_torch else stage.seconds for stage in stages)
    done = sum(number * multiply_adds_a_piece(path) for counter in read for path, number in counter.items())
    peak = _torch_peak(bfloat16_peak) if is_torch else int8_peak()
    kind = "bfloat16" if is_torch else "int8"
    return {
        "pieces_per_second": pieces / seconds,
        "multiply_adds_per_second": done / seconds,
        f"{kind}_peak_multiply_adds_per_second": peak,
        f"share_of_{kind}_peak": done / seconds / peak,
    }


def _torch_peak(measure: Callable[[str], float]) -> float:
    import torch

    return measure("cuda" if torch.cuda.is_available() else "cpu")


def _print(document: dict[str, Any], output: Output) -> None:
    amounts = document["amounts"]
    title = (
        f"{amounts.get('notes', 0):,} notes, {amounts.get('words', 0):,} words,"
        f" {amounts.get('sentences', 0):,} sentences, {amounts.get('distinct', 0):,} of them distinct"
    )
    output.table(FigureTable(title, _COLUMNS, document["stages"]))
    output.line(
        f"all stages: {document['words_per_second']:,.0f} words, {document['tokens_per_second']:,.0f} tokens and"
        f" {document['sentences_per_second']:,.0f} sentences per second of one core"
    )
    for name, hits in document["hits"].items():
        output.line(
            f"{name}: repeated in its batch {hits['repeats']:.1%}; on the inclusion list {hits['inclusion']:.1%} of the"
            f" distinct sentences ({hits['inclusion_of_all_sentences']:.1%} of all); found in the cache"
            f" {hits['cache']:.1%} of the others; read by the model {hits['read']:.1%} of all"
        )
    neural = document["neural"]
    for kind in ("int8", "bfloat16"):
        if f"share_of_{kind}_peak" in neural:
            output.line(
                f"neural: {neural['pieces_per_second']:,.0f} word pieces or word groups and"
                f" {neural['multiply_adds_per_second'] / 1e9:,.1f} G multiply-adds per second,"
                f" {neural[f'share_of_{kind}_peak']:.0%} of the measured {kind} peak"
                f" ({neural[f'{kind}_peak_multiply_adds_per_second'] / 1e9:,.0f} G)"
            )
