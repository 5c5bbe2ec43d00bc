"""``deid ablate``: recall and precision of the engine without each of its parts."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output, Wide
from deid_tasks.cli.progress import counting, working
from deid_tasks.core.errors import DeidError
from deid_tasks.core.figure_table import SCORE, Column, FigureTable
from deid_tasks.evidence.annotation.formats import FORMATS

if TYPE_CHECKING:
    from deid_tasks.evidence.annotation.formats import AnnotatedNote
    from deid_tasks.platform.runs.ablation import AblationScore, GoldDocument, RecoveredWords

_SIGNED = "+.4f"
_COLUMNS = (
    Column("engine", "engine"),
    Column("recall", "recall", SCORE),
    Column("recall_change", "change", _SIGNED),
    Column("recall_change_lower", "from", _SIGNED, is_wide=True),
    Column("recall_change_upper", "to", _SIGNED, is_wide=True),
    Column("precision", "precision", SCORE),
    Column("precision_change", "change", _SIGNED),
    Column("precision_change_lower", "from", _SIGNED, is_wide=True),
    Column("precision_change_upper", "to", _SIGNED, is_wide=True),
    Column("f1", "F1", SCORE, is_wide=True),
    Column("core_seconds", "core-s", ".2f"),
    Column("core_seconds_of_part", "cost", "+.2f", is_wide=True),
)


def ablate_engine(
    gold: Annotated[Path | None, typer.Argument(help="Gold notes, for an ablation of the public engine.")] = None,
    form: Annotated[str, typer.Option("--format", help=f"Format of the gold notes: {', '.join(FORMATS)}.")] = "jsonl",
    institution: Annotated[
        str | None, typer.Option(help="Ablate this institution's engine on its newest gold set.")
    ] = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    design: Annotated[str, typer.Option(help="Design of the gold set: stratified or random.")] = "random",
    unlabelled: Annotated[
        int, typer.Option(min=0, help="Also count what recovery retains on this many notes of the warehouse.")
    ] = 0,
    wide: Wide = False,  # noqa: FBT002
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print recall and precision without each part of the engine, and the words that recovery retains.

    --wide adds F1, the cost of each part, and 95 % intervals of the changes (paired bootstrap by patient).
    """
    from deid_tasks.platform.runs import ablation

    if (gold is None) == (institution is None):
        raise DeidError("give either a file of gold notes or --institution")
    output = Output(json_file, csv_file, wide)
    recovered: dict[str, RecoveredWords] = {}
    problems = 0
    if institution:
        from deid_tasks.settings import MeasuredDesign

        if design not in get_args(MeasuredDesign):
            raise DeidError(f"--design is stratified or random, not {design!r}")
        settings, secrets = settings_and_secrets(institution, institutions)
        title = f"{institution}, {design} gold notes"
        with working("running the engine without each part"):
            ablated, recovered["gold notes"] = ablation.ablate_institution(
                settings, secrets, cast(MeasuredDesign, design)
            )
            if unlabelled:
                recovered["unlabelled notes"] = ablation.recovered_share(settings, secrets, unlabelled)
    else:
        assert gold is not None
        title = f"{gold.name}, public engine"
        ablated, recovered["gold notes"], problems = _ablate_file(gold, form)
    rows = _rows(ablated)
    output.table(FigureTable(title, _COLUMNS, rows, lambda row: row["engine"] == "full"))
    output.line("change: against the full engine; core-s: processor seconds, no sentence from a cache")
    for where, counts in recovered.items():
        output.line(_format_recovered(counts, where))
    document = {"title": title, "engines": rows, "recovered": {k: _recovered(v) for k, v in recovered.items()}}
    output.files(document, rows)
    if problems:
        raise typer.Exit(1)


def _ablate_file(gold: Path, form: str) -> "tuple[list[AblationScore], RecoveredWords, int]":
    """Ablate the public engine on a file; the last value is the number of lines that could not be read."""
    from deid_tasks.cli.gold_files import GoldNotes
    from deid_tasks.cli.jsonl import Problems
    from deid_tasks.engine.build import build_engine
    from deid_tasks.evidence.evaluate import Scorer
    from deid_tasks.platform.runs import ablation
    from deid_tasks.settings import EngineSettings

    if form not in FORMATS:
        raise DeidError(f"--format is one of {', '.join(FORMATS)}, not {form!r}")
    problems = Problems()
    engine = build_engine(EngineSettings.public())
    with counting("gold notes read") as count:
        documents = gold_documents_of(GoldNotes(gold, form, problems), count)
        ablated, recovered = ablation.score_variants(documents, engine, Scorer())
    return ablated, recovered, problems.count


def gold_documents_of(
    notes: "Iterable[AnnotatedNote]", count: Callable[[int], None] | None = None
) -> "Iterator[GoldDocument]":
    """Yield the notes of a file as gold documents; ``count``, where given, is told of each."""
    from deid_tasks.engine.text import Document
    from deid_tasks.platform.runs.ablation import GoldDocument

    for note in notes:
        document = Document(note.note_id, note.text, note.patient_id or None, note.note_type or None)
        yield GoldDocument(document, note.spans, note.patient_id or note.note_id, None)
        if count is not None:
            count(1)


def _rows(ablated: "list[AblationScore]") -> list[dict[str, Any]]:
    full = ablated[0]
    rows = []
    for variant in ablated:
        row: dict[str, Any] = {"engine": variant.name.replace("_", " ")}
        for metric, change in (("recall", variant.recall_change), ("precision", variant.precision_change)):
            value = getattr(variant.evaluation, metric)
            row[metric] = value
            if variant is not full:
                row[f"{metric}_change"] = value - getattr(full.evaluation, metric)
                row[f"{metric}_change_lower"] = change.lower
                row[f"{metric}_change_upper"] = change.upper
        row["f1"] = variant.evaluation.find(metric="f1").value
        row["core_seconds"] = variant.seconds
        if variant is not full:
            row["core_seconds_of_part"] = full.seconds - variant.seconds
        rows.append(row)
    return rows


def _recovered(counts: "RecoveredWords") -> dict[str, Any]:
    return {
        "notes": counts.notes,
        "marked_words": counts.marked.total(),
        "retained_words": counts.recovered.total(),
        "retained_words_by_entity": dict(counts.recovered.most_common()),
    }


def _format_recovered(counts: "RecoveredWords", where: str) -> str:
    by_entity = ", ".join(f"{entity} {count:,}" for entity, count in counts.recovered.most_common(6))
    return (
        f"recovery retained {counts.recovered.total():,} of {counts.marked.total():,} marked words"
        f" ({counts.share:.2%}) in {counts.notes:,} {where}" + (f": {by_entity}" if by_entity else "")
    )
