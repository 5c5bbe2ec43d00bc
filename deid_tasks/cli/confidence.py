"""``deid fit-confidence``: fit the weights by which the engine tells identifiers from mistakes."""

from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.progress import working


def fit_confidence(
    weights: Annotated[Path, typer.Argument(help="Table of weights to write (TSV: feature, group, weight).")],
    notes: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of .txt files with marked notes, [[PATIENT:Okafor]], beside those of the package; repeatable."
            " No model may have been trained on them."
        ),
    ] = None,
    penalty: Annotated[float, typer.Option(min=0, help="How strongly weights are drawn towards 0.")] = 4.0,
) -> None:
    """Fit the weights of the confidence model on marked notes, with the public engine.

    The shipped weights lie in deid_tasks/engine/recover/confidence/weights.tsv; other weights give another fingerprint.
    """
    from deid_tasks.engine.build import build_engine
    from deid_tasks.learning.confidence import NOTES, fit_weights, fitting_notes, observe, write_weights
    from deid_tasks.settings import EngineSettings

    engine = build_engine(EngineSettings.public())
    gold = [note for folder in (NOTES, *(notes or ())) for note in fitting_notes(folder)]
    with working(f"reading {len(gold)} notes"):
        observations = observe(gold, engine)
    fitted = fit_weights(observations, penalty)
    write_weights(fitted, weights)
    print(f"{weights}: {len(fitted)} weights from {len(observations):,} spans of {len(gold)} notes")
