"""``deid train``: train models, and go on with a training that was stopped."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from deid_tasks.core.errors import DeidError


def train(
    folder: Annotated[
        Path, typer.Argument(help="Takes the settings, checkpoints, and the model in its subfolder `model`.")
    ],
    preset: Annotated[
        str,
        typer.Option(
            help="palimpsest (one model), shipped (the two that ship), or published (one for each of five families of entities)."
        ),
    ] = "palimpsest",
    settings: Annotated[
        Path | None, typer.Option(help="YAML with model, fit, mixture and seed, for what the preset does otherwise.")
    ] = None,
    corpora: Annotated[
        Path | None, typer.Option(help="Folder of the open corpora; without it, simulated text only.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder", "--trunk", help="minilm, mpnet, a folder, or the name of an encoder on the Hugging Face hub."
        ),
    ] = None,
    layers: Annotated[int | None, typer.Option(help="The encoder's first layers that are kept.")] = None,
    epochs: Annotated[float | None, typer.Option()] = None,
    steps: Annotated[int | None, typer.Option(help="Steps instead of epochs.")] = None,
    minutes: Annotated[float | None, typer.Option(help="End after so long, whatever the epochs.")] = None,
    seed: Annotated[int | None, typer.Option()] = None,
    threads: Annotated[int | None, typer.Option()] = None,
    bfloat16: Annotated[
        bool | None, typer.Option("--bfloat16/--float32", help="For processors and GPUs with bfloat16 arithmetic.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda.")] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            help="A model's folder to go on from, instead of the encoder, or one that holds a folder for each model of the preset."
        ),
    ] = None,
    safetensors: Annotated[  # noqa: FBT002
        bool, typer.Option("--safetensors", help="Also export the weights in bfloat16, for GPUs and to go on from.")
    ] = False,
) -> None:
    """Train on the simulated hospital's `train` world, and export. A stopped training in FOLDER is gone on with."""
    try:
        from deid_tasks.learning.train.run import train as run
        from deid_tasks.learning.train.settings import plan, read_changes
    except ModuleNotFoundError as error:
        raise DeidError(f"training needs the extra 'train': {error.name} is not installed") from None

    changes: dict[str, Any] = read_changes(settings) if settings else {}
    said: dict[str, dict[str, Any]] = {
        "model": {"encoder": encoder, "layers": layers},
        "fit": {
            "epochs": epochs,
            "steps": steps,
            "minutes": minutes,
            "threads": threads,
            "is_bfloat16": bfloat16,
            "device": device,
        },
        "mixture": {"corpora": None if corpora is None else str(corpora)},
    }
    for section, values in said.items():
        given = {key: value for key, value in values.items() if value is not None}
        if given:
            changes[section] = {**(changes.get(section) or {}), **given}
    if seed is not None:
        changes["seed"] = seed
    for planned in plan(folder, preset, changes, start):
        one = replace(planned, has_safetensors=safetensors)
        typer.echo(f"{one.folder}: {one.model.encoder}, seed {one.seed}")
        run(one, typer.echo)
        typer.echo(f"exported to {one.exported}")
