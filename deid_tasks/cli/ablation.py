"""``deid ablate``: what each part of the engine is worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer
from rich.console import Console
from rich.table import Table

from deid_tasks.core.errors import DeidError
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.evidence.evaluate import Interval

if TYPE_CHECKING:
    from deid_tasks.platform.runs.ablation import Ablated, Recovered


def ablate(
    gold: Annotated[Path | None, typer.Argument(help="Gold notes; the public engine is ablated on them.")] = None,
    form: Annotated[str, typer.Option("--format", help=f"Of the gold notes: {', '.join(FORMATS)}.")] = "jsonl",
    institution: Annotated[str | None, typer.Option(help="Ablate this one's engine, on its newest gold set.")] = None,
    institutions: Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")] = Path(
        "dags/institutions"
    ),
    design: Annotated[str, typer.Option(help="Which gold set: stratified or random.")] = "random",
    unlabelled: Annotated[
        int, typer.Option(min=0, help="Also count what recovery gives back on this many notes of the warehouse.")
    ] = 0,
) -> None:
    """Precision and recall with each part of the engine taken away, and what recovery gives back."""
    from deid_tasks.platform.runs import ablation

    if (gold is None) == (institution is None):
        raise DeidError("give gold notes, or --institution")
    console = Console()
    if institution:
        from deid_tasks.settings import MeasuredDesign, Secrets, load_institution

        if design not in get_args(MeasuredDesign):
            raise DeidError(f"design is stratified or random, not {design!r}")
        settings, secrets = load_institution(institutions / f"{institution}.yaml"), Secrets()
        ablated, recovered = ablation.ablate_institution(settings, secrets, cast(MeasuredDesign, design))
        _print(console, ablated, f"{institution}, {design} gold notes")
        _print_recovered(console, recovered, "gold notes")
        if unlabelled:
            _print_recovered(console, ablation.recovered_share(settings, secrets, unlabelled), "unlabelled notes")
        return
    assert gold is not None
    from deid_tasks.cli.engines import public_settings
    from deid_tasks.cli.evaluation import read_gold
    from deid_tasks.cli.jsonl import Problems
    from deid_tasks.engine.engine import build_engine
    from deid_tasks.engine.text import Document
    from deid_tasks.evidence.evaluate import Scorer

    if form not in FORMATS:
        raise DeidError(f"format is {', '.join(FORMATS)}, not {form!r}")
    problems = Problems()
    notes = (
        ablation.GoldDocument(
            Document(note.note_id, note.text, note.patient_id or None, note.note_type or None),
            note.spans,
            note.patient_id or note.note_id,
            None,
        )
        for note in read_gold(gold, form, problems)
    )
    ablated, recovered = ablation.ablate(notes, build_engine(public_settings(), None, None), Scorer())
    _print(console, ablated, f"{gold.name}, the engine that knows no institution")
    _print_recovered(console, recovered, "these notes")
    if problems.count:
        raise typer.Exit(1)


def _print(console: Console, ablated: "list[Ablated]", title: str) -> None:
    table = Table(title=title, title_justify="left")
    for place, heading in enumerate(
        ("engine", "recall", "change (95 %)", "precision", "change (95 %)", "F1", "core-s", "cost")
    ):
        table.add_column(heading, justify="right" if place else "left", no_wrap=not place)
    whole = ablated[0].seconds
    for row in ablated:
        table.add_row(
            row.name.replace("_", " "),
            f"{row.evaluation.recall:.4f}",
            _change(row.recall_change, row.name),
            f"{row.evaluation.precision:.4f}",
            _change(row.precision_change, row.name),
            f"{row.evaluation.find(metric='f1').value:.4f}",
            f"{row.seconds:.2f}",
            "" if row is ablated[0] else f"{whole - row.seconds:+.2f}",
        )
    console.print(table)
    console.print(
        "core-s: processor seconds of that engine, no sentence from a cache; cost: what the part adds", soft_wrap=True
    )


def _change(interval: Interval, name: str) -> str:
    return "" if name == "full" else f"{interval.lower:+.4f} to {interval.upper:+.4f}"


def _print_recovered(console: Console, recovered: "Recovered", where: str) -> None:
    total, back = recovered.marked.total(), recovered.given_back.total()
    by_entity = ", ".join(f"{entity} {count:,}" for entity, count in recovered.given_back.most_common(6))
    console.print(
        f"recovery gave back {back:,} of {total:,} marked words ({recovered.share:.2%}) in {recovered.notes:,} {where}"
        + (f": {by_entity}" if by_entity else ""),
        highlight=False,
        soft_wrap=True,
    )
