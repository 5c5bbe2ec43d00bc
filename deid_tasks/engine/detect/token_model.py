"""A token-classification model on disk: what may be loaded, what its outputs stand for, and what runs it.

A folder holds ``config.json``, ``tokenizer.json`` and weights: ``model.onnx``, or ``model.safetensors`` for torch, as any Hugging
Face token-classification model does. A section ``palimpsest`` of ``config.json`` may add ``window``, ``stride``, ``pieces``
(``mean`` or ``first``), ``units`` (it reads units, not pieces), ``context``, ``titled``, ``rules``, ``crf``, ``labels`` (what the model's labels stand for, ``null`` for none of ours)
and ``sha256`` of the files.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.crf import LinearChainCrf
from deid_tasks.engine.detect.rule_features import RULE_NAMES, RuleFeatures
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer
from deid_tasks.settings import ModelSettings

MODELS = Path(__file__).resolve().parents[2] / "models"
WEIGHTS, TENSORS, TOKENIZER, CONFIG = "model.onnx", "model.safetensors", "tokenizer.json", "config.json"
OUTSIDE = "O"
OWN = "palimpsest-tagger"
"""``model_type`` of the models that are trained here."""
_AS_IT_COMES = ModelSettings()
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib")

_KNOWN: dict[str, Entity | None] = {
    **{entity.value: entity for entity in Entity},
    **dict.fromkeys(("PER", "PERSON", "NAME", "PATIENTNAME"), Entity.PATIENT),
    **dict.fromkeys(("DOCTOR", "STAFF", "HCW", "PHYSICIAN", "CLINICIAN"), Entity.PROVIDER),
    **dict.fromkeys(("FAMILY", "FAMILYMEMBER"), Entity.RELATIVE),
    **dict.fromkeys(("LOC", "LOCATION", "GPE", "LOCATIONOTHER", "FAC"), Entity.LOCATION_OTHER),
    **dict.fromkeys(("HOSPITAL", "HOSP", "PATORG", "CLINIC"), Entity.FACILITY),
    **dict.fromkeys(("ORG", "OTHERORG", "VENDOR", "COMPANY"), Entity.ORGANIZATION),
    **dict.fromkeys(("ADDRESS", "STREETADDRESS"), Entity.STREET),
    **dict.fromkeys(("ZIPCODE", "POSTCODE"), Entity.ZIP),
    **dict.fromkeys(("DOB", "DATETIME"), Entity.DATE),
    **dict.fromkeys(("TEL", "TELEPHONE", "PHONENUMBER", "CONTACT"), Entity.PHONE),
    **dict.fromkeys(("MEDICALRECORD", "MEDICALRECORDNUMBER"), Entity.MRN),
    **dict.fromkeys(("HEALTHPLANID",), Entity.HEALTH_PLAN),
    **dict.fromkeys(("IDNUM", "ID", "OTHERID"), Entity.OTHER_ID),
    **dict.fromkeys(("BIOID",), Entity.BIOMETRIC),
    **dict.fromkeys(("OCCUPATION", "JOB"), Entity.PROFESSION),
    **dict.fromkeys(("USER", "LOGIN"), Entity.USERNAME),
    **dict.fromkeys(("MAIL", "EMAILADDRESS"), Entity.EMAIL),
    **dict.fromkeys(("IPADDRESS", "IPADDR"), Entity.IP),
    "MISC": None,
}


@dataclass(frozen=True, slots=True)
class Window:
    """What the model reads at once; every array is ``[L]``, special tokens included, but for the ids of units, ``[L, SLOTS]``."""

    ids: NDArray[np.int64] = field(repr=False)
    cases: NDArray[np.int64] = field(repr=False)
    gaps: NDArray[np.int64] = field(repr=False)
    rules: NDArray[np.float32] | None = field(default=None, repr=False)
    """``[L, F]``, for a model that reads what rules say of each word."""


@dataclass(frozen=True, slots=True)
class Label:
    """One output of a model. ``entity`` is ``None`` for *outside* and for what is none of our entities."""

    entity: Entity | None
    is_begin: bool = False
    is_outside: bool = False


class Runner(Protocol):
    """What computes: onnxruntime, or torch."""

    def logits(self, windows: Sequence[Window]) -> list[NDArray[np.float32]]:
        """``[L, labels]`` of each window, in order."""
        ...


class TokenModel:
    """One loaded model. Runs of different threads may share it.

    Raises:
        ModelError: a file is missing, damaged, another than expected or pickled, a label is not known, or the backend needs a
            package that is not installed.
    """

    def __init__(self, folder: Path, settings: ModelSettings = _AS_IT_COMES) -> None:
        is_torch = settings.backend == "torch"
        self.weights: Path = _weights(folder, is_torch=is_torch)
        config = read_config(folder / CONFIG)
        own = config.get("palimpsest", {})
        expected = {name: digest.lower() for name, digest in settings.sha256.items()}
        self.sha256: str = _check_files(folder, self.weights, own.get("sha256", {}), expected)
        """One hash of all its files."""
        self.labels: tuple[Label, ...] = _labels(folder, config, own.get("labels", {}))
        self.encoder = WordPieceTokenizer(folder / TOKENIZER)
        self.pieces: Literal["mean", "first"] = own.get("pieces", "first")
        self.padding: int = int(config.get("pad_token_id") or 0)
        self.has_units: bool = bool(own.get("units", False))
        """Whether it reads units (``text/word_groups.py``), without special tokens."""
        self.is_titled: bool = bool(own.get("titled", False)) if settings.is_titled is None else settings.is_titled
        self.context: str = settings.context or str(own.get("context", "sentence"))
        self.chain = LinearChainCrf.read(own["crf"], len(self.labels), str(folder / CONFIG)) if "crf" in own else None
        self.rules = _rules(folder, own.get("rules"))
        self.prefix: tuple[int, ...] = () if self.has_units else self.encoder.prefix
        self.suffix: tuple[int, ...] = () if self.has_units else self.encoder.suffix
        frame = len(self.prefix) + len(self.suffix)
        # RoBERTa keeps two places for itself.
        positions = int(config.get("max_position_embeddings", 512)) - 2
        self.window: int = settings.window or int(own.get("window", 128 if self.context == "sentence" else 512))
        self.window = min(self.window, positions + 2 if config.get("model_type") == OWN else positions)
        self.stride: int = int(own.get("stride", self.window // 2))
        if settings.overlap is not None:
            self.stride = max(1, round((self.window - frame) * (1 - settings.overlap)))
        if not 0 < self.stride <= self.window - frame:
            raise ModelError(f"{folder}: stride {self.stride} does not fit window {self.window}")
        self._runner: Runner
        if is_torch:
            from deid_tasks.engine.detect.torch_runner import TorchRunner

            self._runner = TorchRunner(self.weights, config, settings)
        else:
            from deid_tasks.engine.detect.onnx_runner import OnnxRunner

            self._runner = OnnxRunner(self.weights, self.padding, settings)

    def logits(self, windows: Sequence[Window]) -> list[NDArray[np.float32]]:
        """``[L, labels]`` of each window, in order."""
        found = self._runner.logits(windows)
        if found and (found[0].ndim != 2 or found[0].shape[1] != len(self.labels)):
            raise ModelError(f"the model gives {found[0].shape[-1]} labels and its {CONFIG} names {len(self.labels)}")
        return found


def find_model(name: str, revision: str | None = None) -> Path:
    """The folder of a model that ships with the package, ``name`` itself where that is a folder, else one of the Hugging Face hub.

    Raises:
        ModelError: it is nowhere.
    """
    if (MODELS / name / CONFIG).is_file():
        return MODELS / name
    if Path(name).is_dir():
        return Path(name)
    shipped = ", ".join(sorted(path.parent.name for path in MODELS.glob(f"*/{CONFIG}"))) or "none"
    if name.count("/") != 1 or name.startswith((".", "/")):
        raise ModelError(f"no model {name!r}: not a folder, and not one of those shipped ({shipped})")
    return _from_hub(name, revision)


def _from_hub(name: str, revision: str | None) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ModelError(f"model {name!r} of the Hugging Face hub needs the extra 'gpu' (huggingface_hub)") from None
    wanted = [CONFIG, TOKENIZER, WEIGHTS, "*.safetensors", "*.safetensors.index.json"]
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=wanted))
    except Exception as error:  # the hub's client raises its own, its transport's and the system's errors
        raise ModelError(
            f"model {name!r} is no folder here, and the Hugging Face hub did not give it ({type(error).__name__})"
        ) from None


def _rules(folder: Path, names: list[str] | None) -> RuleFeatures | None:
    if not names:
        return None
    if tuple(names) != RULE_NAMES:
        raise ModelError(f"{folder}: the model was trained with other rules than this version has: train it again")
    return RuleFeatures()


def _weights(folder: Path, *, is_torch: bool) -> Path:
    found = [name for name in ((TENSORS, WEIGHTS) if is_torch else (WEIGHTS,)) if (folder / name).is_file()]
    sharded = is_torch and (folder / f"{TENSORS}.index.json").is_file()
    missing = [name for name in (TOKENIZER, CONFIG) if not (folder / name).is_file()]
    if (found or sharded) and not missing:
        return folder / (found[0] if found and not sharded else TENSORS)
    pickles = sorted(path.name for path in folder.glob("*") if path.suffix in _PICKLES)
    if not found and pickles:
        to = TENSORS if is_torch else WEIGHTS
        raise ModelError(f"{folder}: {pickles[0]} may run code when it is read and is refused; export to {to}")
    if not found and not is_torch and (folder / TENSORS).is_file() and not missing:
        raise ModelError(f"{folder}: {WEIGHTS} missing; {TENSORS} is read with `backend: torch`")
    wanted = [*missing, *([] if found else [WEIGHTS])]
    raise ModelError(f"{folder}: {' and '.join(sorted(wanted, key=[WEIGHTS, TOKENIZER, CONFIG].index))} missing")


def read_config(path: Path) -> dict[str, Any]:
    """``config.json`` of a model.

    Raises:
        ModelError: it is missing, or no JSON object.
    """
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ModelError(f"{path} is no JSON") from None
    if not isinstance(config, dict) or not isinstance(config.get("palimpsest", {}), dict):
        raise ModelError(f"{path} is no JSON object")
    return config


def _check_files(folder: Path, weights: Path, listed: Mapping[str, str], expected: Mapping[str, str]) -> str:
    names = {CONFIG, TOKENIZER, *(path.name for path in folder.glob(f"{weights.name}[._]*"))}
    names |= {weights.name} if weights.is_file() else {path.name for path in folder.glob("model-*.safetensors")}
    digests = {name: _sha256(folder / name) for name in sorted(names)}
    for source, known in ((f"in {CONFIG}", listed), ("of the settings", expected)):
        for name, digest in known.items():
            if name not in digests and known is listed:
                continue
            if digests.get(name) != digest:
                raise ModelError(f"{folder / name} is damaged or another version: its SHA-256 is not the one {source}")
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _labels(folder: Path, config: dict[str, Any], own: dict[str, str | None]) -> tuple[Label, ...]:
    names = config.get("id2label")
    if not isinstance(names, dict) or not names:
        raise ModelError(f"{folder}: {CONFIG} has no id2label")
    try:
        return tuple(_label(str(names[key]), own) for key in sorted(names, key=int))
    except (KeyError, ValueError) as error:
        raise ModelError(
            f"{folder}: label {error.args[0]!r} is not known; say in {CONFIG} what it stands for (palimpsest.labels)"
        ) from None


def _label(name: str, own: dict[str, str | None]) -> Label:
    if name == OUTSIDE:
        return Label(None, is_outside=True)
    prefix, dash, rest = name.partition("-")
    has_prefix = bool(dash) and prefix in {"B", "I", "E", "S", "L", "U"}
    bare = rest if has_prefix else name
    if bare in own:
        mapped = own[bare]
        entity = None if mapped is None else Entity(mapped)
    else:
        key = bare.upper()
        entity = _KNOWN[key] if key in _KNOWN else _KNOWN[key.replace("_", "").replace("-", "").replace(" ", "")]
    return Label(entity, is_begin=has_prefix and prefix in {"B", "S", "U"})
