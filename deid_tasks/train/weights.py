"""A trained model's weights in bfloat16: half the size of what was trained, for a GPU, and to train on from."""

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from deid_tasks.errors import ModelError
from deid_tasks.train.model import Tagger

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
    """Put the weights of another training's ``model.safetensors`` into ``tagger``.

    Raises:
        ModelError: the file is missing, none, or of a model with other sizes or outputs.
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
        for name, value in _read(folder / WEIGHTS).items():
            mean[name] = mean.get(name, 0) + value.float() / len(folders)
    try:
        tagger.load_state_dict(mean)
    except RuntimeError:
        raise ModelError(f"{folders[0] / WEIGHTS} is of a model with other sizes or outputs") from None


def _read(path: Path) -> dict[str, torch.Tensor]:
    if not path.is_file():
        raise ModelError(f"{path} is missing; train with has_safetensors to go on from a model")
    try:
        tensors = load_file(str(path))
    except SafetensorError:
        raise ModelError(f"{path} is damaged, or no safetensors file") from None
    tensors.pop(_BIASES, None)
    return dict(tensors)
