"""`python -m deid_tasks.train FOLDER`: train a model and export it."""

from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.train.fit import FitSettings
from deid_tasks.train.mixture import MixtureSettings
from deid_tasks.train.run import TrainSettings, train


def main(
    folder: Annotated[Path, typer.Argument(help="Takes checkpoints, and the model in its subfolder `model`.")],
    corpora: Annotated[
        Path | None, typer.Option(help="Folder of the open corpora; without it, simulated text only.")
    ] = None,
    epochs: Annotated[float, typer.Option(min=0.01)] = 3.0,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps instead of epochs.")] = None,
    trunk: Annotated[str, typer.Option(help="minilm, mpnet, or a folder with another encoder.")] = "minilm",
    layers: Annotated[int, typer.Option(min=1, help="The trunk's first layers that are kept.")] = 6,
    seed: int = 0,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    bfloat16: Annotated[bool, typer.Option(help="For processors with bfloat16 arithmetic.")] = False,  # noqa: FBT002
) -> None:
    """Train on the simulated hospital's `train` world, and export; a stopped run in FOLDER is gone on with."""
    fitting = FitSettings(epochs=epochs, steps=steps, threads=threads, is_bfloat16=bfloat16)
    settings = TrainSettings(folder, MixtureSettings(corpora=corpora), fitting, trunk, layers, seed)
    train(settings, typer.echo)
    typer.echo(f"exported to {settings.model}")


if __name__ == "__main__":
    typer.run(main)
