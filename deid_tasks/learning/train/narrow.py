"""A network narrower than its encoder: new layers over the encoder's word embeddings, projected to fewer values.

The projection keeps the embeddings' leading principal components, so that words which were alike stay alike. Training
leaves them as they are: a name that no training note held keeps its place among the names that they held.
"""

from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.rule_features import RULE_NAMES
from deid_tasks.learning.train.encoders import load_encoder
from deid_tasks.learning.train.model import Tagger
from deid_tasks.learning.train.settings import NetworkSettings
from deid_tasks.learning.train.targets import output_names

_HEAD_SIZE = 32
_INNER_FACTOR = 4
"""The layers' inner size by their outer one, as in BERT."""


def build_narrow_tagger(encoder: Path, settings: NetworkSettings) -> Tagger:
    """Return an untrained model of ``settings.hidden`` values a position over an encoder's word embeddings.

    Raises:
        ModelError: the encoder is not known, or not wider than the model; or the width cannot be split into heads.
    """
    wide = load_encoder(encoder, 1, has_casing=settings.has_casing)
    hidden = settings.hidden or wide.shape.hidden
    if hidden % _HEAD_SIZE or hidden >= wide.shape.hidden:
        raise ModelError(
            f"model.hidden must be a multiple of {_HEAD_SIZE} below the encoder's {wide.shape.hidden}, not {hidden}"
        )
    shape = replace(
        wide.shape,
        hidden=hidden,
        heads=hidden // _HEAD_SIZE,
        layers=settings.layers or wide.shape.layers,
        inner=_INNER_FACTOR * hidden,
        positions=settings.window,
        buckets=0,
    )
    tagger = Tagger(
        shape,
        outputs=output_names(settings.entities, settings.labels),
        rules=len(RULE_NAMES) if settings.has_rules else 0,
        has_casing=settings.has_casing,
        has_crf=settings.head == "crf",
        has_units=settings.reads == "word_groups",
    )
    with torch.no_grad():
        tagger.word.weight.copy_(project(wide.word.weight, hidden))
    return tagger


def project(embeddings: Tensor, size: int) -> Tensor:
    """Return embeddings ``[V, H]`` as their ``size`` leading principal components, ``[V, size]``, with a standard
    deviation of one over all values.

    The sign of each component is fixed by its largest weight, so that every machine makes the same projection.
    """
    rows = embeddings.detach().double()
    rows = rows - rows.mean(dim=0)
    _, vectors = torch.linalg.eigh(rows.T @ rows)
    leading = vectors[:, -size:].flip(dims=(1,))
    largest = leading.gather(0, leading.abs().argmax(dim=0, keepdim=True))
    projected: Tensor = rows @ (leading * largest.sign())
    return (projected / projected.std()).to(embeddings.dtype)
