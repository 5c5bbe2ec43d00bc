"""``deid train``: train models, and resume a training that was stopped."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from deid_tasks.core.errors import DeidError


def train_models(
    folder: Annotated[
        Path, typer.Argument(help="Folder for the settings, the checkpoints, and the model in its subfolder `model`.")
    ],
    preset: Annotated[
        str,
        typer.Option(
            help="palimpsest (one model), shipped (the two taggers of the package), filter (its sentence filter),"
            " or published (five models, one per family of entities)."
        ),
    ] = "palimpsest",
    settings: Annotated[
        Path | None, typer.Option(help="YAML with model, fit, mixture and seed; it overrides the preset.")
    ] = None,
    corpora: Annotated[
        Path | None, typer.Option(help="Folder of the open corpora; without it, simulated text only.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(help="minilm, mpnet, a folder, or the name of an encoder on the Hugging Face hub."),
    ] = None,
    layers: Annotated[int | None, typer.Option(help="How many of the encoder's first layers to use.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Passes over the training notes.")] = None,
    steps: Annotated[int | None, typer.Option(help="Optimiser steps, in place of epochs.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Stop after this many minutes, at whatever epoch.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of weights, order and simulated notes.")] = None,
    threads: Annotated[int | None, typer.Option(help="Processor threads.")] = None,
    bfloat16: Annotated[
        bool | None,
        typer.Option(
            "--bfloat16/--float32", help="Arithmetic; bfloat16 is faster where the processor or GPU supports it."
        ),
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda.")] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            help="Continue from the model in this folder, in place of the bare encoder;"
            " or from one subfolder per model of the preset."
        ),
    ] = None,
    safetensors: Annotated[  # noqa: FBT002
        bool,
        typer.Option("--safetensors", help="Also export the weights in bfloat16, for GPUs and for continued training."),
    ] = False,
) -> None:
    """Train on the simulated hospital's `train` world, and export. A training that was stopped in FOLDER is resumed."""
    try:
        from deid_tasks.learning.train.run import train
        from deid_tasks.learning.train.settings import plan, read_changes
    except ModuleNotFoundError as error:
        raise DeidError(f"training needs the extra 'train': {error.name} is not installed") from None

    changes: dict[str, Any] = read_changes(settings) if settings else {}
    options: dict[str, dict[str, Any]] = {
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
    for section, values in options.items():
        given = {key: value for key, value in values.items() if value is not None}
        if given:
            changes[section] = {**(changes.get(section) or {}), **given}
    if seed is not None:
        changes["seed"] = seed
    for planned in plan(folder, preset, changes, start):
        one = replace(planned, has_safetensors=safetensors)
        typer.echo(f"{one.folder}: {one.model.encoder}, seed {one.seed}")
        train(one, typer.echo)
        typer.echo(f"exported to {one.exported}")
