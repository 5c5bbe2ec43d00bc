"""One training from start to end: mixture, tokenizer, encoder, fit, export."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import write_atomically
from deid_tasks.engine.detect.rule_features import RULE_NAMES, RuleFeatures
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer
from deid_tasks.learning.train.configuration import write_config
from deid_tasks.learning.train.encode import Cutting, packed_samples
from deid_tasks.learning.train.encoders import encoder_folder, load_encoder, write_tokenizer
from deid_tasks.learning.train.export import export
from deid_tasks.learning.train.fit import Source, fit
from deid_tasks.learning.train.mixture import build_mixture
from deid_tasks.learning.train.model import Tagger
from deid_tasks.learning.train.narrow import build_narrow_tagger
from deid_tasks.learning.train.sample import Sample
from deid_tasks.learning.train.settings import NetworkSettings, TrainSettings
from deid_tasks.learning.train.targets import output_names
from deid_tasks.learning.train.weights import load_weights, save_bfloat16

TOKENIZER = "tokenizer.json"
_RECORD = "training.json"
_CHARACTERS_PER_PIECE = 3
"""Of clinical text with its numbers; a text that turns out longer takes two windows."""


def train(
    settings: TrainSettings, report: Callable[[str], None] = print, samples: Sequence[Sample] | None = None
) -> Tagger:
    """Train, export to ``settings.exported``, and return the model as it was before its weights were rounded.

    Args:
        settings: the training.
        report: takes lines for people; no text of a sample is in them.
        samples: what to train on, instead of the mixture that ``settings`` describe.

    Raises:
        InputError: a corpus is missing or broken, the mixture holds a name of another world, or the folder holds a
            training with other settings.
        ModelError: the encoder is not there or not known, or the model to start from does not fit.
    """
    import torch

    settings.folder.mkdir(parents=True, exist_ok=True)
    _record(settings)
    encoder = encoder_folder(settings.model.encoder)
    tokenizer = settings.folder / TOKENIZER
    write_tokenizer(encoder, tokenizer)
    if samples is None:
        samples = build_mixture(replace(settings.mixture, seed=settings.seed), report)
    torch.manual_seed(settings.seed)
    tagger = build_tagger(encoder, settings.model)
    if settings.start is not None:
        load_weights(tagger, settings.start)
    fit(
        tagger,
        source_of(tokenizer, samples, settings.model, tagger.shape.padding),
        replace(settings.fit, seed=settings.seed),
        settings.folder,
        report,
    )
    export(tagger, tokenizer, settings.exported)
    if settings.has_safetensors:
        save_bfloat16(tagger, settings.exported)
    write_config(tagger, settings.exported, settings.model)
    return tagger


def build_tagger(encoder: Path, settings: NetworkSettings) -> Tagger:
    """Return an untrained model on the encoder in a folder.

    Raises:
        ModelError: the encoder is not known, or shorter than the window, or narrower than the model.
    """
    if settings.hidden is not None:
        return build_narrow_tagger(encoder, settings)
    return load_encoder(
        encoder,
        settings.layers,
        output_names(settings.entities, settings.labels),
        window=settings.window,
        rules=len(RULE_NAMES) if settings.has_rules else 0,
        has_casing=settings.has_casing,
        has_crf=settings.head == "crf",
        has_units=settings.reads == "word_groups",
    )


def source_of(tokenizer: Path, samples: Sequence[Sample], settings: NetworkSettings, padding: int = 0) -> Source:
    """What batches are made from: ``samples``, as the settings say they are read."""
    if settings.context == "window":
        samples = packed_samples(samples, settings.window * _CHARACTERS_PER_PIECE)
    return Source(
        WordPieceTokenizer(tokenizer),
        samples,
        Cutting(
            settings.window,
            round(settings.window * settings.overlap),
            settings.subwords,
            settings.is_titled,
            settings.reads == "word_groups",
            padding,
        ),
        RuleFeatures() if settings.has_rules else None,
    )


def _record(settings: TrainSettings) -> None:
    """Write the settings to the folder, or make sure that a training that was begun there had the same ones."""
    path = settings.folder / _RECORD
    document = json.loads(json.dumps(settings.document()))
    if (settings.folder / "checkpoint.pt").exists() and path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        for section, values in document.items():
            others = before.get(section)
            if others == values:
                continue
            names = (
                [f"{section}.{key}" for key in values if (others or {}).get(key) != values[key]]
                if isinstance(values, dict)
                else [section]
            )
            raise InputError(
                f"{settings.folder} holds a training with another {names[0]}; take another folder, or the same settings"
            )
    write_atomically(path, json.dumps(document, indent=1) + "\n")
