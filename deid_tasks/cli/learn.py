"""``deid learn``: version after version, each trained on what the one before it got wrong."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deid_tasks.core.errors import DeidError


def learn(
    folder: Annotated[Path, typer.Argument(help="Takes the versions v0, v1, …, their curve and the choice.")],
    preset: Annotated[
        str, typer.Option(help="palimpsest (one model) or shipped (the two that ship, each in a subfolder).")
    ] = "palimpsest",
    rounds: Annotated[int, typer.Option(min=1, help="Versions after the first.")] = 3,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each version after the first.")] = 200,
    pool_notes: Annotated[int, typer.Option(min=1, help="Notes in which each round looks for errors.")] = 300,
    replay: Annotated[float, typer.Option(min=0, help="Samples of the first training, for each new one.")] = 1.0,
    dev_notes: Annotated[int, typer.Option(min=1, help="Notes of the dev world that versions are chosen on.")] = 150,
    precision_floor: Annotated[float, typer.Option(min=0, max=1)] = 0.9,
    settings: Annotated[
        Path | None, typer.Option(help="YAML with model, fit, mixture and seed, for the first version and the others.")
    ] = None,
    corpora: Annotated[Path | None, typer.Option(help="Folder of the open corpora.")] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="A model's folder to go on from, or one that holds a folder for each model of the preset."),
    ] = None,
) -> None:
    """Learn from errors in the simulated hospital, and choose for each category the two best versions in tandem.

    The versions that are in FOLDER already are not trained again.
    """
    try:
        from deid_tasks.learning.train.learning import LearnSettings
        from deid_tasks.learning.train.learning import learn as run
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
        run(one, learning, typer.echo)
