"""Gold and predicted spans from files, or the engine's own, to scores, and scores to a screen."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from deid_tasks.cli.jsonl import Problems, read_records
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.evidence.annotation.formats.jsonl import parse_spans
from deid_tasks.evidence.evaluate import ALL, Evaluation, Figure, Scorer

Pair = tuple[AnnotatedNote, Sequence[Span]]
_BATCH_NOTES = 64
_WORST = 5


def score(pairs: Iterable[Pair], scorer: Scorer, progress: Callable[[int], None]) -> Evaluation:
    """The scores of notes and what was found in them, one note in memory at a time."""
    for note, found in pairs:
        scorer.add(note.text, note.spans, found, note.patient_id or note.note_id, note.note_type)
        progress(1)
    return scorer.finish()


def read_gold(source: Path, name: str, problems: Problems) -> Iterator[AnnotatedNote]:
    """The gold notes of a file or folder; a bad line of JSONL is reported and left out, other formats are refused whole."""
    if name != "jsonl":
        yield from FORMATS[name].read(source)
        return
    for number, record in read_records(source, problems):
        place = f"{source}:{number}"
        if "id" not in record or not isinstance(record.get("text"), str):
            problems.report(place, "has no id or no text")
            continue
        try:
            spans = parse_spans(record, len(record["text"]))
        except ValueError as error:
            problems.report(place, str(error))
            continue
        patient, note_type = (str(record.get(key) or "") for key in ("patient_id", "note_type"))
        yield AnnotatedNote(str(record["id"]), record["text"], tuple(spans), patient, note_type)


def with_predicted(gold: Iterable[AnnotatedNote], predicted: Path, name: str, problems: Problems) -> Iterator[Pair]:
    """Gold notes with the spans of a file, joined by id.

    Files in the same order are read side by side in flat memory; lines out of order wait in memory until their partner comes. A
    gold note without a prediction is scored as if nothing had been found in it, and reported; so is one whose spans are bad.
    """
    waiting: dict[str, Sequence[Span] | str] = {}
    predictions = _predictions(predicted, name, problems)
    for note in gold:
        while note.note_id not in waiting:
            following = next(predictions, None)
            if following is None:
                break
            waiting[following[0]] = following[1]
        found = waiting.pop(note.note_id, f"has no line in {predicted}")
        if not isinstance(found, str) and any(span.end > len(note.text) for span in found):
            found = "has a predicted span outside its text"
        if isinstance(found, str):
            problems.report(f"note {note.note_id!r}", f"{found}; counted as nothing found")
            found = ()
        yield note, found


def with_engine(gold: Iterable[AnnotatedNote]) -> Iterator[Pair]:
    """Gold notes with what the public engine, which knows no institution, finds in their texts."""
    from deid_tasks.cli.engines import public_settings
    from deid_tasks.engine.engine import Context, build_engine
    from deid_tasks.engine.pipeline import detect
    from deid_tasks.engine.text import Document

    context = Context(build_engine(public_settings(), None, None))
    stream = iter(gold)
    while batch := list(islice(stream, _BATCH_NOTES)):
        documents = [
            Document(note.note_id, note.text, note.patient_id or None, note.note_type or None) for note in batch
        ]
        for note, found in zip(batch, detect(documents, context), strict=True):
            yield note, found.spans


def print_evaluation(evaluation: Evaluation, console: Console) -> None:
    """One screen: the headline with both intervals, each category and type, other ways of counting, and where most was missed."""
    table = Table(title=f"{evaluation.notes:,} notes, {evaluation.words:,} words, {evaluation.patients:,} patients")
    table.add_column("entity")
    for heading in ("recall", "precision", "F1", "gold words", "found", "missed", "false"):
        table.add_column(heading, justify="right")
    for recall in evaluation.select():
        name, counts = recall.entity, recall.counts
        gold = counts.true_positives + counts.false_negatives
        table.add_row(
            name.removeprefix("category:"),
            _said(recall) if gold else "–",
            _said(evaluation.find(entity=name, metric="precision")),
            f"{evaluation.find(entity=name, metric='f1').value:.4f}",
            f"{gold:,}",
            f"{counts.true_positives:,}",
            f"{counts.false_negatives:,}",
            f"{counts.false_positives:,}",
            style="bold" if name == ALL else "cyan" if name.startswith("category:") else None,
        )
    console.print(table)
    console.print(_views(evaluation))
    exact = evaluation.find().exact_lower or 0.0
    full, over = evaluation.find(metric="full"), evaluation.find(metric="over_redaction")
    console.print(
        f"one-sided {evaluation.confidence:.0%} bound of recall: {evaluation.recall_lower_bound:.4f}, the lower of bootstrap by"
        f" patient ({evaluation.resamples:,} resamples) and exact binomial ({exact:.4f})\n"
        f"nothing missed in {evaluation.full_notes:,} of {evaluation.notes:,} notes ({full.value:.1%});"
        f" {over.value:.2f} false words in 1,000 that identify no one",
        highlight=False,
        soft_wrap=True,
    )
    worst = [f for f in evaluation.strata("note_type") if f.counts.false_negatives][:_WORST]
    if worst:
        told = ", ".join(
            f"{f.stratum.partition('=')[2]} {f.value:.4f} ({f.counts.false_negatives:,} missed)" for f in worst
        )
        console.print(f"lowest recall by note type: {told}", highlight=False, soft_wrap=True)


def _views(evaluation: Evaluation) -> Table:
    table = Table(title="counted in other ways", title_justify="left")
    table.add_column("view")
    for heading in ("recall", "precision", "F1"):
        table.add_column(heading, justify="right")
    wholes = [f for f in evaluation.figures if f.entity == ALL and f.metric == "recall"]
    for recall in (
        f for f in wholes if (f.view, f.stratum) != ("word", "") and not f.stratum.startswith(("note", "per"))
    ):
        place = {"view": recall.view, "stratum": recall.stratum}
        table.add_row(
            f"{recall.view} {recall.stratum}".strip(),
            _said(recall),
            _said(evaluation.find(**place, metric="precision")),
            f"{evaluation.find(**place, metric='f1').value:.4f}",
        )
    return table


def _said(figure: Figure) -> str:
    return f"{figure.value:.4f} [{figure.lower:.4f}, {figure.upper:.4f}]"


def _predictions(predicted: Path, name: str, problems: Problems) -> Iterator[tuple[str, Sequence[Span] | str]]:
    """Ids with spans, or with what is wrong with them. Our own JSONL is taken whatever the gold comes in."""
    if name != "jsonl" and predicted.suffix != ".jsonl":
        yield from ((note.note_id, note.spans) for note in FORMATS[name].read(predicted))
        return
    for _, record in read_records(predicted, problems):
        try:
            yield str(record.get("id")), parse_spans(record)
        except ValueError as error:
            yield str(record.get("id")), str(error)
