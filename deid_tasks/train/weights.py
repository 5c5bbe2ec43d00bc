"""A trained model's weights in bfloat16: half the size of what was trained, for a GPU, and to train on from."""

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
    path = folder / WEIGHTS
    if not path.is_file():
        raise ModelError(f"{path} is missing; train with has_safetensors to go on from a model")
    try:
        tensors = load_file(str(path))
    except SafetensorError:
        raise ModelError(f"{path} is damaged, or no safetensors file") from None
    tensors.pop(_BIASES, None)
    try:
        tagger.load_state_dict({name: value.float() for name, value in tensors.items()})
    except RuntimeError:
        raise ModelError(f"{path} is of a model with other sizes or outputs") from None
