"""``deid sample``: the notes that people annotate."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

_MEANING = {
    "stratified": "enriched in identifiers: shows what is missed, does not stand for all notes",
    "random": "every note had the same chance: unbiased",
    "disagreement": "the engine's parts differ there most: to train on, its figures stand for nothing",
}


def sample(
    institution: Annotated[str, typer.Option(help="Whose notes.")],
    institutions: Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")] = Path(
        "dags/institutions"
    ),
    size: Annotated[int | None, typer.Option(min=1, help="Notes of the stratified sample.")] = None,
    min_notes_per_stratum: Annotated[
        int | None,
        typer.Option("--min-notes-per-stratum", "--least", min=1, help="Minimum notes of every stratum."),
    ] = None,
    weight: Annotated[str | None, typer.Option(help="log10 or linear.")] = None,
    random_size: Annotated[int | None, typer.Option(min=0, help="Notes of the random sample; 0 draws none.")] = None,
    disagreement_size: Annotated[
        int | None,
        typer.Option(
            "--disagreement",
            "--disputed",
            min=0,
            help="Notes of the sample on which detectors differ most; 0 draws none.",
        ),
    ] = None,
    disagreement_pool: Annotated[
        int | None,
        typer.Option(
            "--disagreement-pool", "--disputed-pool", min=1, help="Random notes that the engine reads to find these."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0)] = None,
    design: Annotated[
        list[str] | None,
        typer.Option(help="stratified, random or disagreement alone; all whose size is not 0 without it."),
    ] = None,
) -> None:
    """Draw samples for annotation, and freeze them under their versions."""
    from deid_tasks.platform.runs import draw_samples
    from deid_tasks.settings import DESIGNS, Secrets, load_institution

    given = {
        "size": size,
        "min_notes_per_stratum": min_notes_per_stratum,
        "weight": weight,
        "random_size": random_size,
        "disagreement_size": disagreement_size,
        "disagreement_pool": disagreement_pool,
        "seed": seed,
    }
    settings = load_institution(institutions / f"{institution}.yaml")
    console = Console()
    overrides = {name: value for name, value in given.items() if value is not None}
    for drawn in draw_samples(settings, Secrets(), overrides, design or DESIGNS):
        console.print(_table(drawn))
        console.print(
            f"{drawn['design']} sample {drawn['sample_version']}: {_MEANING[drawn['design']]}", soft_wrap=True
        )
        if drawn["too_long"]:
            console.print(f"{drawn['too_long']:,} notes were left out as too long")


def _table(drawn: dict[str, Any]) -> Table:
    table = Table(title=f"{drawn['design']}: {drawn['notes']:,} of {drawn['of_notes']:,} notes", title_justify="left")
    table.add_column("note type")
    table.add_column("period")
    for heading in ("notes", "mean words", "weight", "allotted", "drawn"):
        table.add_column(heading, justify="right")
    for group in sorted(drawn["groups"], key=lambda g: -g["drawn"]):
        table.add_row(
            group["note_type"] or "–",
            group["period"],
            f"{group['notes']:,}",
            f"{group['mean_words']:,.1f}",
            f"{group['weight']:,.0f}",
            f"{group['allotted']:,}",
            f"{group['drawn']:,}",
        )
    return table
