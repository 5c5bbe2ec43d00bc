"""``deid evaluate``: score predicted spans against gold spans."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid_tasks.cli.counted import WithoutOption, counted_group, counted_sentence, entities_of
from deid_tasks.cli.gold_files import GoldNotes, Pair, pair_with_engine, pair_with_file
from deid_tasks.cli.jsonl import Problems, json_line, open_target
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
from deid_tasks.core.errors import DeidError, InputError
from deid_tasks.core.figure_table import COUNT, SCORE, Column, FigureTable
from deid_tasks.core.files import PRIVATE_FILE
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.evidence.evaluate import ALL, CATEGORY_VIEW, TYPE_VIEW, WORD, Evaluation, Figure, Scorer

if TYPE_CHECKING:
    from deid_tasks.comparison.gold import GoldSetDescription

WriteErrors = Callable[[AnnotatedNote, Sequence[Span]], None]
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
        Path,
        typer.Argument(
            help="Gold notes: JSONL of {id, text, spans[, patient_id]}, the format of --format, or a YAML file that"
            " describes a gold set and its labels."
        ),
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
    errors: Annotated[
        Path | None,
        typer.Option(help="Also list what is missed, wrong or of another category: JSON lines of offsets, no text."),
    ] = None,
    errors_with_text: Annotated[  # noqa: FBT002
        bool,
        typer.Option("--errors-with-text", help="Write the words of each error into --errors too: they are PHI."),
    ] = False,
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
    if errors_with_text and errors is None:
        raise DeidError("--errors-with-text needs --errors FILE")
    if settings and predicted:
        raise DeidError("--settings is of the engine that reads the notes: leave it out, or the predicted spans")
    from deid_tasks.comparison.gold import describe_gold_set, narrowed

    engine = engine_settings_of(settings)
    section = policy_of(policy, titles, age_units, engine.policy)
    about = describe_gold_set(gold, form)
    about = about.model_copy(update={"without": about.without | entities_of(without)})
    counted = counted_group(group, section)
    scorer = Scorer(counted, confidence, resamples, policy=section)
    problems = Problems()
    read = GoldNotes(about.path, about.format, problems, about.own_labels)
    notes = (narrowed(note, about.categories, about.without) for note in read)
    pairs = (
        pair_with_file(notes, predicted, about.format, problems, about.own_labels)
        if predicted
        else pair_with_engine(notes, problems, engine)
    )
    listed = _error_file(errors, scorer, with_text=errors_with_text) if errors else nullcontext()
    with counting("notes") as count, listed as write_errors:
        evaluation = score_pairs(pairs, about, scorer, count, write_errors)
    if read.has_unknown_labels:
        warn(
            "labels of your own: describe the gold set in a YAML file, with each label as an entity or null under"
            " labels, and evaluate that file"
        )
    if not evaluation.notes:
        raise InputError(f"{gold}: no note can be scored, {read.left_out} were left out")
    output = Output(json_file, csv_file, wide)
    sentence = counted_sentence(section, counted, about.without)
    output.paragraph(sentence)
    print_evaluation(evaluation, output, read.left_out)
    document = evaluation.document() | {"without": sorted(map(str, about.without)), "counted": sentence}
    output.files(document, document["figures"])
    if report:
        from deid_tasks.evidence.report import write_report

        part = {"design": "", "gold_version": gold.name, "variants": {"full": document}}
        title = f"{gold.stem} without {', '.join(sorted(about.without))}" if about.without else gold.stem
        write_report({"certificate": None, "evaluations": [part]}, report, title=title)
    if problems.count:
        warn(f"{problems.count} problems")
        raise typer.Exit(1)


def score_pairs(
    pairs: Iterable[Pair],
    about: "GoldSetDescription",
    scorer: Scorer,
    count: Callable[[int], None],
    write_errors: WriteErrors | None = None,
) -> Evaluation:
    """Score notes and the spans found in them, with one note in memory at a time."""
    from deid_tasks.comparison.gold import covered

    for note, found in pairs:
        counted = covered(note, found, about.categories, about.without)
        scorer.add(note.text, note.spans, counted, about.group_of(note), note.note_type)
        if write_errors is not None:
            write_errors(note, counted)
        count(1)
    return scorer.finish()


@contextmanager
def _error_file(target: Path, scorer: Scorer, *, with_text: bool) -> Iterator[WriteErrors]:
    """Yield what writes the errors of one note as JSON lines; the file is readable by its owner alone."""
    with open_target(target, file_mode=PRIVATE_FILE) as stream:

        def write(note: AnnotatedNote, found: Sequence[Span]) -> None:
            for error in scorer.errors(note.text, note.spans, found):
                record = {
                    "id": note.note_id,
                    "start": error.start,
                    "end": error.end,
                    "kind": error.kind,
                    "gold": error.gold or None,
                    "predicted": error.predicted or None,
                    "words": error.words,
                }
                stream.write(json_line(record | ({"text": note.text[error.start : error.end]} if with_text else {})))

        yield write


def print_evaluation(evaluation: Evaluation, output: Output, left_out: int = 0) -> None:
    """Print the headline, each category and type, other views, the lower bound of recall and the weakest note types.

    Args:
        evaluation: The evaluation.
        output: Where it is printed.
        left_out: Gold notes that could not be read, which the title names.
    """
    missing = f" ({left_out:,} of {evaluation.notes + left_out:,} left out)" if left_out else ""
    title = (
        f"{evaluation.notes:,} notes{missing}, {evaluation.words:,} words, {evaluation.patients:,} patients,"
        f" policy {evaluation.policy}"
    )
    output.table(FigureTable(title, _ENTITY_COLUMNS, _entity_rows(evaluation), lambda row: row["entity"] == ALL))
    output.table(FigureTable("by category", _CATEGORY_COLUMNS, _category_rows(evaluation)))
    output.table(FigureTable("other views", _VIEW_COLUMNS, list(_view_rows(evaluation))))
    recall, over = evaluation.find(), evaluation.find(metric="over_redaction")
    bound = "–" if recall.is_empty else f"{evaluation.recall_lower_bound:.4f}"
    output.line(
        f"one-sided {evaluation.confidence:.0%} lower bound of recall: {bound},"
        f" the lower of bootstrap by patient ({evaluation.resamples:,} resamples) and exact binomial"
        f" ({recall.exact_lower or 0.0:.4f})"
    )
    full = evaluation.find(metric="full")
    share = "–" if full.is_empty else f"{full.value:.1%}"
    output.line(
        f"nothing missed in {evaluation.full_notes:,} of {evaluation.notes:,} notes ({share});"
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
        **_scores(evaluation, entity=recall.entity),
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
        name = f"{recall.view} {recall.stratum}".strip()
        yield {"view": name, **_scores(evaluation, view=recall.view, stratum=recall.stratum)}


def _scores(evaluation: Evaluation, **key: str) -> dict[str, float]:
    """Return recall, precision and F1 of the figures with a key, without what is 0/0."""
    scores: dict[str, float] = {}
    for name in ("recall", "precision"):
        figure = evaluation.find(**key, metric=name)
        if not figure.is_empty:
            scores |= {name: figure.value, f"{name}_lower": figure.lower, f"{name}_upper": figure.upper}
    return scores | ({"f1": evaluation.find(**key, metric="f1").value} if len(scores) == 6 else {})
