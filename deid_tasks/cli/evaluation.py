"""``deid evaluate``: score predicted spans against gold spans."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from deid_tasks.cli.counted import WithoutOption, counted_group, counted_sentence, entities_of, without_entities
from deid_tasks.cli.gold_files import Pair, pair_with_engine, pair_with_file, read_gold_file
from deid_tasks.cli.jsonl import Problems
from deid_tasks.cli.options import (
    AgeUnitsOption,
    PolicyOption,
    SettingsOption,
    TitlesOption,
    engine_settings_of,
    policy_of,
)
from deid_tasks.cli.output import CsvFile, JsonFile, Output, Wide, warn
from deid_tasks.cli.progress import counting
from deid_tasks.core.errors import DeidError
from deid_tasks.core.figure_table import COUNT, SCORE, Column, FigureTable
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.evidence.evaluate import ALL, CATEGORY_VIEW, TYPE_VIEW, WORD, Evaluation, Figure, Scorer

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
    Column("predicted", "predicted", COUNT),
    Column("found", "found", COUNT, is_wide=True),
    Column("missed", "missed", COUNT),
    Column("false", "false", COUNT),
)
_CATEGORY_COLUMNS = (Column("entity", "category"), *_ENTITY_COLUMNS[1:])
_CATEGORY_PREFIX = "category:"
_VIEW_COLUMNS = (Column("view", "view"), *_SCORES)


def evaluate_spans(
    gold: Annotated[
        Path, typer.Argument(help="Gold notes: JSONL of {id, text, spans[, patient_id]}, or the format of --format.")
    ],
    predicted: Annotated[
        Path | None,
        typer.Argument(
            help="JSONL of {id, spans} as `deid detect` writes it, or the format of --format;"
            " by default the public engine reads the notes."
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help=f"Format of the gold notes, a file or a folder: {', '.join(FORMATS)}.")
    ] = "jsonl",
    settings: SettingsOption = None,
    group: Annotated[
        str,
        typer.Option(
            help="Entities: A (Safe Harbor), B (A + providers) or C (B + facilities, state, country; the default)."
        ),
    ] = "",
    policy: PolicyOption = None,
    without: WithoutOption = "",
    titles: TitlesOption = None,
    age_units: AgeUnitsOption = None,
    confidence: Annotated[float, typer.Option(min=0.5, max=0.999, help="Confidence of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(min=100, max=100_000, help="Bootstrap resamples of patients.")] = 1_000,
    report: Annotated[Path | None, typer.Option(help="Also write an HTML page; it holds no text of notes.")] = None,
    wide: Wide = False,  # noqa: FBT002
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Score predicted spans against gold spans, in several views. Exit status 1 where lines were skipped or missing.

    Under a policy that decides by form, gold spans of a form that it leaves in the text count neither as missed nor
    as wrong. Policy expert decides by entity: all entities of the group count, those too that it leaves in the text
    (TIME, ages up to 89). --without leaves out what the gold notes do not annotate. The first line says what counts.
    """
    if form not in FORMATS:
        raise DeidError(f"--format is one of {', '.join(FORMATS)}, not {form!r}")
    if settings and predicted:
        raise DeidError("--settings is of the engine that reads the notes: leave it out, or the predicted spans")
    engine = engine_settings_of(settings)
    section = policy_of(policy, titles, age_units, engine.policy)
    counted, left_out = counted_group(group, section), entities_of(without)
    scorer = Scorer(counted, confidence, resamples, policy=section)
    problems = Problems()
    notes = read_gold_file(gold, form, problems)
    pairs = pair_with_file(notes, predicted, form, problems) if predicted else pair_with_engine(notes, engine)
    pairs = without_entities(pairs, left_out) if left_out else pairs
    with counting("notes") as count:
        evaluation = score_pairs(pairs, scorer, count)
    output = Output(json_file, csv_file, wide)
    sentence = counted_sentence(section, counted, left_out)
    output.line(sentence)
    print_evaluation(evaluation, output)
    document = evaluation.document() | {"without": sorted(map(str, left_out)), "counted": sentence}
    output.files(document, document["figures"])
    if report:
        from deid_tasks.evidence.report import write_report

        part = {"design": "", "gold_version": gold.name, "variants": {"full": document}}
        title = f"{gold.stem} without {', '.join(sorted(left_out))}" if left_out else gold.stem
        write_report({"certificate": None, "evaluations": [part]}, report, title=title)
    if problems.count:
        warn(f"{problems.count} problems")
        raise typer.Exit(1)


def score_pairs(pairs: Iterable[Pair], scorer: Scorer, count: Callable[[int], None]) -> Evaluation:
    """Score notes and the spans found in them, with one note in memory at a time."""
    for note, found in pairs:
        scorer.add(note.text, note.spans, found, note.patient_id or note.note_id, note.note_type)
        count(1)
    return scorer.finish()


def print_evaluation(evaluation: Evaluation, output: Output) -> None:
    """Print the headline with each entity, each category, other views, the lower bound of recall, the weakest types."""
    title = (
        f"{evaluation.notes:,} notes, {evaluation.words:,} words, {evaluation.patients:,} patients,"
        f" policy {evaluation.policy}"
    )
    output.table(FigureTable(title, _ENTITY_COLUMNS, _entity_rows(evaluation), lambda row: row["entity"] == ALL))
    output.table(FigureTable("by category", _CATEGORY_COLUMNS, _category_rows(evaluation)))
    output.table(FigureTable("other views", _VIEW_COLUMNS, list(_view_rows(evaluation))))
    exact = evaluation.find().exact_lower or 0.0
    output.line(
        f"one-sided {evaluation.confidence:.0%} lower bound of recall: {evaluation.recall_lower_bound:.4f},"
        f" the lower of bootstrap by patient ({evaluation.resamples:,} resamples) and exact binomial ({exact:.4f})"
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


def _entity_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return all entities together, then each."""
    figures = [one for one in evaluation.select() if not one.entity.startswith(_CATEGORY_PREFIX)]
    predicted = _predicted_words(evaluation, TYPE_VIEW)
    return [_entity_row(evaluation, one, predicted) for one in figures]


def _category_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    figures = [one for one in evaluation.select() if one.entity.startswith(_CATEGORY_PREFIX)]
    predicted = _predicted_words(evaluation, CATEGORY_VIEW)
    return [_entity_row(evaluation, one, predicted) for one in figures]


def _predicted_words(evaluation: Evaluation, view: str) -> Counter[str]:
    """Return how many words were predicted, by label of a view; labels outside the group are not among them."""
    words: Counter[str] = Counter()
    for (_, predicted), count in evaluation.confusion(view).items():
        words[predicted] += count
    words[ALL] = evaluation.find().counts.true_positives + evaluation.find().counts.false_positives
    return words


def _entity_row(evaluation: Evaluation, recall: Figure, predicted: Mapping[str, int]) -> dict[str, Any]:
    counts = recall.counts
    gold = counts.true_positives + counts.false_negatives
    name = recall.entity.removeprefix(_CATEGORY_PREFIX)
    return {
        "entity": name,
        **_interval("recall", recall if gold else None),
        **_interval("precision", evaluation.find(entity=recall.entity, metric="precision")),
        "f1": evaluation.find(entity=recall.entity, metric="f1").value,
        "gold_words": gold,
        "predicted": predicted.get(name, 0 if gold else None),
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
