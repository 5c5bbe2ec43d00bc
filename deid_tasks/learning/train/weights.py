"""A trained model's weights in bfloat16: half the size of what was trained, for a GPU, and to train on from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.model_files import CONFIG, read_config
from deid_tasks.engine.detect.model_files import WEIGHTS as GRAPH
from deid_tasks.engine.detect.torch_tagger import read_graph
from deid_tasks.learning.train.model import Tagger

WEIGHTS = "model.safetensors"
_BIASES = "distance.biases"
"""What a head adds to a score, by the distance of two pieces: written out, so that a reader needs no formula."""


def save_bfloat16(tagger: Tagger, folder: Path) -> Path:
    """Write ``model.safetensors``: all weights under the names of ``Tagger``, in bfloat16."""
    tensors = {name: value.detach().to(torch.bfloat16).contiguous() for name, value in tagger.state_dict().items()}
    if tagger.shape.buckets:
        tensors[_BIASES] = tagger.distance_bias().detach().to(torch.bfloat16).contiguous()
    path = folder / WEIGHTS
    save_file(tensors, path)
    return path


def load_weights(tagger: Tagger, folder: Path) -> None:
    """Put the weights of another training into ``tagger``: ``model.safetensors``, or the rounded ones of ``model.onnx``
    where there is no such file.

    Raises:
        ModelError: both files are missing, or the one read is damaged, or of a model with other sizes or outputs.
    """
    load_mean(tagger, [folder])


def load_mean(tagger: Tagger, folders: Sequence[Path]) -> None:
    """Put the mean of several trainings' weights into ``tagger``; each must have gone on from the one before it.

    Source: Wortsman et al., "Model soups", ICML 2022.

    Raises:
        ModelError: as ``load_weights``.
    """
    mean: dict[str, torch.Tensor] = {}
    for folder in folders:
        for name, value in _read(folder).items():
            mean[name] = mean.get(name, 0) + value.float() / len(folders)
    own = tagger.state_dict()
    # A model of pieces may go on as one of units; distances are the encoder's, and the graph holds them in another
    # form.
    kept = {name: own[name] for name in ("slot", "distance.weight") if name in own and name not in mean}
    try:
        tagger.load_state_dict(mean | kept)
    except RuntimeError:
        raise ModelError(
            f"{folders[0]} holds a model with other sizes or outputs, or one that reads otherwise"
        ) from None


def what_is_read(folder: Path) -> Literal["word_pieces", "word_groups"]:
    """What the model in ``folder`` reads: a model that continues from it must read the same.

    Raises:
        ModelError: it has no readable ``config.json``.
    """
    return "word_groups" if read_config(folder / CONFIG).get("palimpsest", {}).get("units") else "word_pieces"


def _read(folder: Path) -> dict[str, torch.Tensor]:
    path = folder / WEIGHTS
    if not path.is_file() and (folder / GRAPH).is_file():
        floats = read_graph(folder / GRAPH)[0]
        return {name: torch.from_numpy(value) for name, value in floats.items() if name != _BIASES}
    if not path.is_file():
        raise ModelError(f"{path} is missing, and so is {GRAPH}: there are no weights to start from")
    try:
        tensors = load_file(str(path))
    except SafetensorError:
        raise ModelError(f"{path} is damaged, or no safetensors file") from None
    tensors.pop(_BIASES, None)
    return dict(tensors)
