"""``deid learn``: train versions of a model, each on the errors of the one before."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deid_tasks.core.errors import DeidError


def learn_from_errors(
    folder: Annotated[
        Path, typer.Argument(help="Folder for the versions v0, v1, …, their learning curve and the choice.")
    ],
    preset: Annotated[
        str, typer.Option(help="palimpsest (one model) or shipped (the two of the package, each in a subfolder).")
    ] = "palimpsest",
    rounds: Annotated[int, typer.Option(min=1, help="Versions after the first.")] = 3,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each version after the first.")] = 200,
    pool_notes: Annotated[int, typer.Option(min=1, help="Notes in which each round searches for errors.")] = 300,
    replay: Annotated[
        float, typer.Option(min=0, help="Samples of the first training that are repeated per new sample.")
    ] = 1.0,
    dev_notes: Annotated[int, typer.Option(min=1, help="Notes of the dev world on which versions are chosen.")] = 150,
    precision_floor: Annotated[float, typer.Option(min=0, max=1, help="Minimum precision of a chosen version.")] = 0.9,
    settings: Annotated[
        Path | None,
        typer.Option(help="YAML with model, fit, mixture and seed, for all versions; it overrides the preset."),
    ] = None,
    corpora: Annotated[Path | None, typer.Option(help="Folder of the open corpora.")] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="Continue from the model in this folder, or from one subfolder per model of the preset."),
    ] = None,
) -> None:
    """Learn from errors on simulated notes, and choose for each category the best pair of versions.

    Versions that FOLDER already holds are not trained again.
    """
    try:
        from deid_tasks.learning.train.learning import LearnSettings, learn
        from deid_tasks.learning.train.settings import plan, read_changes
    except ModuleNotFoundError as error:
        raise DeidError(f"training needs the extra 'train': {error.name} is not installed") from None

    changes: dict[str, Any] = read_changes(settings) if settings else {}
    if corpora is not None:
        changes["mixture"] = {**(changes.get("mixture") or {}), "corpora": str(corpora)}
    learning = LearnSettings(
        rounds=rounds,
        steps=steps,
        pool_notes=pool_notes,
        replay=replay,
        dev_notes=dev_notes,
        precision_floor=precision_floor,
    )
    for one in plan(folder, preset, changes, start):
        learn(one, learning, typer.echo)
