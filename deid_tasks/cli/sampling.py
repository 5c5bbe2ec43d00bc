"""``deid sample``: draw the notes that people annotate."""

from typing import Annotated, Any

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output, Wide
from deid_tasks.cli.progress import working
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

_MEANING = {
    "stratified": "enriched in identifiers: it shows what is missed and does not represent all notes",
    "random": "every note had the same probability: unbiased",
    "disagreement": "notes on which the detectors disagree most: for training, its figures represent no population",
}
_COLUMNS = (
    Column("note_type", "note type"),
    Column("period", "period"),
    Column("notes", "notes", COUNT),
    Column("mean_words", "mean words", ",.1f"),
    Column("weight", "weight", ",.0f", is_wide=True),
    Column("allotted", "allotted", COUNT),
    Column("drawn", "drawn", COUNT),
)


def draw_sample(
    institution: Institution,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    size: Annotated[int | None, typer.Option(min=1, help="Notes of the stratified sample.")] = None,
    min_notes_per_stratum: Annotated[int | None, typer.Option(min=1, help="Minimum notes of every stratum.")] = None,
    weight: Annotated[str | None, typer.Option(help="Weight of a stratum: log10 or linear.")] = None,
    random_size: Annotated[int | None, typer.Option(min=0, help="Notes of the random sample; 0 draws none.")] = None,
    disagreement_size: Annotated[
        int | None,
        typer.Option("--disagreement", min=0, help="Notes of the disagreement sample; 0 draws none."),
    ] = None,
    disagreement_pool: Annotated[
        int | None, typer.Option(min=1, help="Random notes that the engine reads for the disagreement sample.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the drawing.")] = None,
    design: Annotated[
        list[str] | None,
        typer.Option(help="Draw this design alone: stratified, random or disagreement. May be repeated."),
    ] = None,
    wide: Wide = False,  # noqa: FBT002
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Draw samples for annotation, and freeze them under their versions."""
    from deid_tasks.platform.runs import draw_samples
    from deid_tasks.settings import DESIGNS

    given = {
        "size": size,
        "min_notes_per_stratum": min_notes_per_stratum,
        "weight": weight,
        "random_size": random_size,
        "disagreement_size": disagreement_size,
        "disagreement_pool": disagreement_pool,
        "seed": seed,
    }
    settings, secrets = settings_and_secrets(institution, institutions)
    overrides = {name: value for name, value in given.items() if value is not None}
    output = Output(json_file, csv_file, wide)
    with working("drawing samples"):
        samples = list(draw_samples(settings, secrets, overrides, design or DESIGNS))
    for drawn in samples:
        title = f"{drawn['design']}: {drawn['notes']:,} of {drawn['of_notes']:,} notes"
        output.table(FigureTable(title, _COLUMNS, _rows(drawn)))
        output.line(f"{drawn['design']} sample {drawn['sample_version']}: {_MEANING[drawn['design']]}")
        if drawn["too_long"]:
            output.line(f"{drawn['too_long']:,} notes were left out because they are too long")
    if shared := samples[0]["shared_notes"]:
        output.line(
            f"{shared:,} notes are in more than one sample and would be marked once for each; for fewer, lower"
            " sampling.size or sampling.random_size"
        )
    output.files(samples, [{"design": drawn["design"], **row} for drawn in samples for row in _rows(drawn)])


def _rows(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    groups = sorted(drawn["groups"], key=lambda group: -group["drawn"])
    return [{**group, "note_type": group["note_type"] or "–"} for group in groups]
