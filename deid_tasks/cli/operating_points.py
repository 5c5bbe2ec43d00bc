"""``deid operating-points``: the trade of recall for precision, and the reliability of scores, on gold notes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from deid_tasks.cli.options import (
    INSTITUTIONS_FOLDER,
    Institutions,
    PolicyOption,
    SettingsOption,
    engine_settings_of,
    policy_of,
    settings_and_secrets,
)
from deid_tasks.cli.output import CsvFile, JsonFile, Output, Wide
from deid_tasks.cli.progress import working
from deid_tasks.core.errors import DeidError
from deid_tasks.core.figure_table import COUNT, SCORE, Column, FigureTable
from deid_tasks.evidence.annotation.formats import FORMATS

if TYPE_CHECKING:
    from deid_tasks.evidence.evaluate import Reliability
    from deid_tasks.platform.runs.ablation import GoldDocument
    from deid_tasks.platform.runs.operating_points import OperatingPoint

_COLUMNS = (
    Column("outside_bias", "outside_bias", "+.2f"),
    Column("recall", "recall", SCORE),
    Column("recall_lower", "from", SCORE, is_wide=True),
    Column("recall_upper", "to", SCORE, is_wide=True),
    Column("recall_lower_bound", "at least", SCORE),
    Column("precision", "precision", SCORE),
    Column("precision_lower", "from", SCORE, is_wide=True),
    Column("precision_upper", "to", SCORE, is_wide=True),
    Column("missed", "missed", COUNT),
    Column("false", "false", COUNT),
    Column("calibration_error", "ECE", SCORE),
)
_RELIABILITY_COLUMNS = (
    Column("low", "score from", ".1f"),
    Column("high", "to", ".1f"),
    Column("words", "marked words", COUNT),
    Column("mean_score", "mean score", SCORE),
    Column("share", "identifiers", SCORE),
    Column("lower", "from", SCORE),
    Column("upper", "to", SCORE),
)


_DEFAULT_BIAS = -1.5
"""The models' default: of its point the scores are shown where no recall chooses one."""


def print_operating_points(
    gold: Annotated[
        Path | None, typer.Argument(help="Gold notes, for the public engine or that of --settings.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help=f"Format of the gold notes: {', '.join(FORMATS)}.")] = "jsonl",
    institution: Annotated[
        str | None, typer.Option(help="Read this institution's newest gold set with its engine.")
    ] = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    settings: SettingsOption = None,
    policy: PolicyOption = None,
    design: Annotated[str, typer.Option(help="Design of the gold set: stratified or random.")] = "stratified",
    biases: Annotated[
        str, typer.Option(help="Values of outside_bias, separated by commas.")
    ] = "-3,-2,-1.5,-1,-0.5,0,1",
    recall: Annotated[
        float | None, typer.Option(min=0, max=1, help="Name the most precise point that has at least this recall.")
    ] = None,
    wide: Wide = False,  # noqa: FBT002
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print recall and precision at several biases of the models, and what the scores of spans are worth.

    A point that is chosen on gold notes looks better on them than it is: certify it on others. Exit status 1 where
    lines were skipped, or where no point has the recall asked for.
    """
    from deid_tasks.engine.build import build_engine
    from deid_tasks.evidence.evaluate import Scorer
    from deid_tasks.platform.runs import operating_points

    if (gold is None) == (institution is None):
        raise DeidError("give either a file of gold notes or --institution")
    if institution and settings:
        raise DeidError("--settings is for an engine without an institution: leave out --institution, or it")
    values = _values(biases)
    output = Output(json_file, csv_file, wide)
    problems = 0
    if institution:
        points = _of_institution(institution, institutions, design, values, policy)
        title = f"{institution}, {design} gold notes"
    else:
        assert gold is not None
        notes, problems = _read_file(gold, form)
        with working("reading the notes at each bias"):
            engine = engine_settings_of(settings)
            section = policy_of(policy, given=engine.policy)
            points = operating_points.score_biases(
                lambda: notes,
                lambda bias: build_engine(engine.with_outside_bias(bias)),
                values,
                Scorer(section.group, policy=section),
            )
        title = f"{gold.name}, {f'engine of {settings.name}' if settings else 'public engine'}, policy {section.name}"
    rows = [_row(point) for point in points]
    output.table(FigureTable(title, _COLUMNS, rows))
    output.line("at least: one-sided lower bound of recall; ECE: mean distance of scores from the share of identifiers")
    chosen = None if recall is None else operating_points.most_precise(points, recall)
    if recall is not None:
        output.line(_choice(recall, chosen))
    shown = chosen or min(points, key=lambda point: abs(point.outside_bias - _DEFAULT_BIAS))
    reliability = _reliability_rows(shown.reliability)
    heading = f"scores of marked words at outside_bias {shown.outside_bias:+.2f}"
    output.table(FigureTable(heading, _RELIABILITY_COLUMNS, reliability))
    document = {
        "title": title,
        "points": rows,
        "recall": recall,
        "chosen": chosen.outside_bias if chosen else None,
        "reliability": {"outside_bias": shown.outside_bias, "bins": reliability},
    }
    output.files(document, rows)
    if problems or (recall is not None and chosen is None):
        raise typer.Exit(1)


def _values(biases: str) -> list[float]:
    try:
        values = sorted({float(value) for value in biases.split(",")})
    except ValueError:
        raise DeidError(f"--biases are numbers separated by commas, not {biases!r}") from None
    if not all(-10 <= value <= 10 for value in values):
        raise DeidError("--biases lie between -10 and 10")
    return values


def _of_institution(
    name: str, folder: Path, design: str, biases: list[float], policy: str | None
) -> "list[OperatingPoint]":
    from deid_tasks.evidence.evaluate import Scorer
    from deid_tasks.platform.runs import load_engine, operating_points
    from deid_tasks.platform.runs.ablation import gold_documents
    from deid_tasks.settings import MeasuredDesign

    if design not in get_args(MeasuredDesign):
        raise DeidError(f"--design is stratified or random, not {design!r}")
    settings, secrets = settings_and_secrets(name, folder)
    gate, section = settings.gate, policy_of(policy, given=settings.policy)
    with working("reading the gold notes at each bias"):
        return operating_points.score_biases(
            lambda: gold_documents(settings, secrets, cast(MeasuredDesign, design)),
            lambda bias: load_engine(settings.with_outside_bias(bias), secrets),
            biases,
            Scorer(section.group, gate.confidence, gate.resamples, policy=section),
        )


def _read_file(gold: Path, form: str) -> "tuple[list[GoldDocument], int]":
    """Return the notes of a file, and how many lines could not be read."""
    from deid_tasks.cli.ablation import gold_documents_of
    from deid_tasks.cli.gold_files import GoldNotes
    from deid_tasks.cli.jsonl import Problems

    if form not in FORMATS:
        raise DeidError(f"--format is one of {', '.join(FORMATS)}, not {form!r}")
    problems = Problems()
    return list(gold_documents_of(GoldNotes(gold, form, problems))), problems.count


def _row(point: "OperatingPoint") -> dict[str, Any]:
    evaluation = point.evaluation
    recall, precision = evaluation.find(), evaluation.find(metric="precision")
    return {
        "outside_bias": point.outside_bias,
        "recall": recall.value,
        "recall_lower": recall.lower,
        "recall_upper": recall.upper,
        "recall_lower_bound": evaluation.recall_lower_bound,
        "precision": precision.value,
        "precision_lower": precision.lower,
        "precision_upper": precision.upper,
        "missed": recall.counts.false_negatives,
        "false": precision.counts.false_positives,
        "calibration_error": point.reliability.expected_calibration_error,
    }


def _choice(recall: float, chosen: "OperatingPoint | None") -> str:
    if chosen is None:
        return f"no point has a recall of {recall:g}; give lower --biases"
    return (
        f"outside_bias {chosen.outside_bias:+.2f} is the most precise point with a recall of {recall:g};"
        " set it for each model under detect.transformers, second stages too, and certify it on other gold notes"
    )


def _reliability_rows(reliability: "Reliability") -> list[dict[str, Any]]:
    return [
        {
            "low": one.low,
            "high": one.high,
            "words": one.words,
            "mean_score": one.mean_score,
            "share": one.share,
            "lower": one.interval.lower,
            "upper": one.interval.upper,
        }
        for one in reliability.bins
    ]
