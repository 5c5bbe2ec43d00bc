"""Reads gold and predicted spans, scores them, and prints the scores."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from deid_tasks.cli.jsonl import Problems, read_records
from deid_tasks.cli.output import COUNT, SCORE, Column, FigureTable, Output
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.evidence.annotation.formats.jsonl import parse_spans
from deid_tasks.evidence.evaluate import ALL, WORD, Evaluation, Figure, Scorer

Pair = tuple[AnnotatedNote, Sequence[Span]]
_BATCH_NOTES = 64
_WORST = 5
_SCORES = (
    Column("recall", "recall", SCORE),
    Column("recall_lower", "from", SCORE, is_wide=True),
    Column("recall_upper", "to", SCORE, is_wide=True),
    Column("precision", "precision", SCORE),
    Column("precision_lower", "from", SCORE, is_wide=True),
    Column("precision_upper", "to", SCORE, is_wide=True),
    Column("f1", "F1", SCORE),
)
_ENTITY_COLUMNS = (
    Column("entity", "entity"),
    *_SCORES,
    Column("gold_words", "gold words", COUNT),
    Column("found", "found", COUNT, is_wide=True),
    Column("missed", "missed", COUNT),
    Column("false", "false", COUNT),
)
_VIEW_COLUMNS = (Column("view", "view"), *_SCORES)


def score_pairs(pairs: Iterable[Pair], scorer: Scorer, progress: Callable[[int], None]) -> Evaluation:
    """Score notes and the spans found in them, with one note in memory at a time."""
    for note, found in pairs:
        scorer.add(note.text, note.spans, found, note.patient_id or note.note_id, note.note_type)
        progress(1)
    return scorer.finish()


def read_gold(source: Path, name: str, problems: Problems) -> Iterator[AnnotatedNote]:
    """Read the gold notes of a file or folder.

    A bad line of JSONL is reported and left out; a bad file of another format raises ``InputError``.
    """
    if name != "jsonl":
        yield from FORMATS[name].read(source)
        return
    for number, record in read_records(source, problems):
        line = f"{source}:{number}"
        if "id" not in record or not isinstance(record.get("text"), str):
            problems.report(line, "has no id or no text")
            continue
        try:
            spans = parse_spans(record, len(record["text"]))
        except ValueError as error:
            problems.report(line, str(error))
            continue
        patient, note_type = (str(record.get(key) or "") for key in ("patient_id", "note_type"))
        yield AnnotatedNote(str(record["id"]), record["text"], tuple(spans), patient, note_type)


def with_predicted(gold: Iterable[AnnotatedNote], predicted: Path, name: str, problems: Problems) -> Iterator[Pair]:
    """Join gold notes with the spans of a file, by id.

    Files in the same order are read side by side in constant memory; a line out of order is held until its partner is read.
    A gold note without a prediction, or with invalid predicted spans, is reported and scored as if nothing had been found in it.
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
    """Pair gold notes with the spans that the public engine finds in their texts."""
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


def print_evaluation(evaluation: Evaluation, output: Output) -> None:
    """Print the headline, each category and type, other views, the lower bound of recall and the weakest note types."""
    title = f"{evaluation.notes:,} notes, {evaluation.words:,} words, {evaluation.patients:,} patients"
    rows = [_entity_row(evaluation, recall) for recall in evaluation.select()]
    output.table(FigureTable(title, _ENTITY_COLUMNS, rows, lambda row: row["entity"] == ALL))
    output.table(FigureTable("other views", _VIEW_COLUMNS, list(_view_rows(evaluation))))
    exact = evaluation.find().exact_lower or 0.0
    output.line(
        f"one-sided {evaluation.confidence:.0%} lower bound of recall: {evaluation.recall_lower_bound:.4f}, the lower of bootstrap by"
        f" patient ({evaluation.resamples:,} resamples) and exact binomial ({exact:.4f})"
    )
    full, over = evaluation.find(metric="full"), evaluation.find(metric="over_redaction")
    output.line(
        f"nothing missed in {evaluation.full_notes:,} of {evaluation.notes:,} notes ({full.value:.1%});"
        f" {over.value:.2f} false words per 1,000 words that identify no one"
    )
    worst = [f for f in evaluation.strata("note_type") if f.counts.false_negatives][:_WORST]
    if worst:
        listed = ", ".join(
            f"{f.stratum.partition('=')[2]} {f.value:.4f} ({f.counts.false_negatives:,} missed)" for f in worst
        )
        output.line(f"lowest recall by note type: {listed}")


def _entity_row(evaluation: Evaluation, recall: Figure) -> dict[str, Any]:
    counts = recall.counts
    gold = counts.true_positives + counts.false_negatives
    return {
        "entity": recall.entity.removeprefix("category:"),
        **_interval("recall", recall if gold else None),
        **_interval("precision", evaluation.find(entity=recall.entity, metric="precision")),
        "f1": evaluation.find(entity=recall.entity, metric="f1").value,
        "gold_words": gold,
        "found": counts.true_positives,
        "missed": counts.false_negatives,
        "false": counts.false_positives,
    }


def _view_rows(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    for recall in evaluation.figures:
        if recall.entity != ALL or recall.metric != "recall" or (recall.view, recall.stratum) == (WORD, ""):
            continue
        if recall.stratum.startswith(("note", "per")):
            continue
        key = {"view": recall.view, "stratum": recall.stratum}
        yield {
            "view": f"{recall.view} {recall.stratum}".strip(),
            **_interval("recall", recall),
            **_interval("precision", evaluation.find(**key, metric="precision")),
            "f1": evaluation.find(**key, metric="f1").value,
        }


def _interval(name: str, figure: Figure | None) -> dict[str, float]:
    if figure is None:
        return {}
    return {name: figure.value, f"{name}_lower": figure.lower, f"{name}_upper": figure.upper}


def _predictions(predicted: Path, name: str, problems: Problems) -> Iterator[tuple[str, Sequence[Span] | str]]:
    """Read ids with their spans, or with the reason why these are invalid.

    A file that ends in ``.jsonl`` is read as the JSONL of ``deid detect``, whatever the format of the gold notes.
    """
    if name != "jsonl" and predicted.suffix != ".jsonl":
        yield from ((note.note_id, note.spans) for note in FORMATS[name].read(predicted))
        return
    for _, record in read_records(predicted, problems):
        try:
            yield str(record.get("id")), parse_spans(record)
        except ValueError as error:
            yield str(record.get("id")), str(error)
