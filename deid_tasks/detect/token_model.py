"""A token-classification model on disk: what may be loaded, what it says, and how it is run.

A folder holds ``model.onnx``, ``tokenizer.json`` and ``config.json``, as any Hugging Face token-classification export
does. A section ``palimpsest`` of ``config.json`` may add ``window``, ``stride``, ``pieces`` (``mean`` or ``first``),
``labels`` (what the model's labels stand for, ``null`` for none of ours) and ``sha256`` of the files.
"""

import hashlib
import json
import mmap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from deid_tasks.entities import Entity
from deid_tasks.errors import ModelError
from deid_tasks.text.pieces import PieceEncoder

MODELS = Path(__file__).resolve().parents[1] / "models"
WEIGHTS, TOKENIZER, CONFIG = "model.onnx", "tokenizer.json", "config.json"
OUTSIDE = "O"
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib")
_BUCKET = 8
"""Windows are padded to a multiple of this, so that a window's length never depends on those beside it."""
_SLOWER = ("BiasGeluFusion", "SkipLayerNormFusion")
"""What onnxruntime would put in the place of several operators and then run, on a CPU, in twice to four times the time of the parts."""

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
    """What the model reads at once; every array is ``[L]``, special tokens included."""

    ids: NDArray[np.int64] = field(repr=False)
    cases: NDArray[np.int64] = field(repr=False)
    gaps: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Label:
    """One output of a model. ``entity`` is ``None`` for *outside* and for what is none of our entities."""

    entity: Entity | None
    is_begin: bool = False
    is_outside: bool = False


class TokenModel:
    """One loaded model. Runs of different threads may share it.

    A model without an attention mask, as ours are, reads batches of windows of exactly one length. Others read batches of
    windows padded to like length. A model of another tool whose activations are quantised by one scale for all that it reads
    at once (``DynamicQuantizeLinear``) would answer by what stands beside a sentence: it reads each window alone.
    """

    def __init__(self, folder: Path, threads: int = 1, batch_pieces: int = 512) -> None:
        _check_folder(folder)
        config = _read_config(folder / CONFIG)
        own = config.get("palimpsest", {})
        self.sha256: str = _check_files(folder, own.get("sha256", {}))
        """One hash of all three files."""
        self.labels: tuple[Label, ...] = _labels(folder, config, own.get("labels", {}))
        self.encoder = PieceEncoder(folder / TOKENIZER)
        frame = len(self.encoder.prefix) + len(self.encoder.suffix)
        self.window: int = int(own.get("window", min(128, int(config.get("max_position_embeddings", 512)) - 2)))
        self.stride: int = int(own.get("stride", self.window // 2))
        if not 0 < self.stride <= self.window - frame:
            raise ModelError(f"{folder}: stride {self.stride} does not fit window {self.window}")
        self.pieces: Literal["mean", "first"] = own.get("pieces", "first")
        self.reads_alone: bool = _quantises_while_running(folder / WEIGHTS)
        self._pad_id = int(config.get("pad_token_id") or 0)
        self._session = _open(folder / WEIGHTS)
        self._inputs = frozenset(entry.name for entry in self._session.get_inputs())
        if unknown := self._inputs - {"input_ids", "attention_mask", "token_type_ids", "case_ids", "gap_ids"}:
            raise ModelError(f"{folder}: {WEIGHTS} wants inputs nobody knows: {', '.join(sorted(unknown))}")
        self._is_padded = "attention_mask" in self._inputs and not self.reads_alone
        self._batch_pieces = 1 if self.reads_alone else batch_pieces
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def logits(self, windows: Sequence[Window]) -> list[NDArray[np.float32]]:
        """``[L, labels]`` of each window, in order."""
        order = sorted(range(len(windows)), key=lambda index: len(windows[index].ids))
        batches = list(self._batches(order, windows))
        found: list[NDArray[np.float32]] = [np.empty((0, len(self.labels)), np.float32)] * len(windows)
        inputs = [[windows[index] for index in batch] for batch in batches]
        runs = map(self._run, inputs) if self._pool is None else self._pool.map(self._run, inputs)
        for batch, outputs in zip(batches, runs, strict=True):
            for index, output in zip(batch, outputs, strict=True):
                found[index] = output[: len(windows[index].ids)]
        return found

    def _batches(self, order: list[int], windows: Sequence[Window]) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in order:
            length = self._length(windows[index])
            if batch and (length != self._length(windows[batch[0]]) or (len(batch) + 1) * length > self._batch_pieces):
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch

    def _length(self, window: Window) -> int:
        """Pieces that the window takes up in a batch; its own length alone decides."""
        length = len(window.ids)
        return -(-length // _BUCKET) * _BUCKET if self._is_padded else length

    def _run(self, windows: list[Window]) -> NDArray[np.float32]:
        longest = self._length(windows[0])

        def stacked(values: list[NDArray[np.int64]], fill: int = 0) -> NDArray[np.int64]:
            if not self._is_padded:
                return np.stack(values)
            return np.stack([np.pad(value, (0, longest - len(value)), constant_values=fill) for value in values])

        ids = stacked([window.ids for window in windows], self._pad_id)
        feed = {"input_ids": ids}
        if "attention_mask" in self._inputs:
            feed["attention_mask"] = stacked([np.ones(len(window.ids), np.int64) for window in windows])
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        if "case_ids" in self._inputs:
            feed["case_ids"] = stacked([window.cases for window in windows])
        if "gap_ids" in self._inputs:
            feed["gap_ids"] = stacked([window.gaps for window in windows])
        output: NDArray[np.float32] = self._session.run(None, feed)[0]
        if output.ndim != 3 or output.shape[2] != len(self.labels):
            raise ModelError(f"the model gives {output.shape[-1]} labels and its {CONFIG} names {len(self.labels)}")
        return output


def find_model(name: str) -> Path:
    """The folder of a model that ships with the package, or ``name`` itself where that is a folder.

    Raises:
        ModelError: neither is there.
    """
    if (MODELS / name / CONFIG).is_file():
        return MODELS / name
    if Path(name).is_dir():
        return Path(name)
    shipped = sorted(path.parent.name for path in MODELS.glob(f"*/{CONFIG}"))
    raise ModelError(f"no model {name!r}: not a folder, and not one of those shipped ({', '.join(shipped) or 'none'})")


def _check_folder(folder: Path) -> None:
    missing = [name for name in (WEIGHTS, TOKENIZER, CONFIG) if not (folder / name).is_file()]
    if not missing:
        return
    pickles = sorted(path.name for path in folder.glob("*") if path.suffix in _PICKLES)
    if WEIGHTS in missing and pickles:
        raise ModelError(f"{folder}: {pickles[0]} may run code when it is read and is refused; export to {WEIGHTS}")
    raise ModelError(f"{folder}: {' and '.join(missing)} missing")


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ModelError(f"{path} is no JSON") from None
    if not isinstance(config, dict) or not isinstance(config.get("palimpsest", {}), dict):
        raise ModelError(f"{path} is no JSON object")
    return config


def _check_files(folder: Path, expected: dict[str, str]) -> str:
    digests = {name: _sha256(folder / name) for name in (CONFIG, TOKENIZER, WEIGHTS)}
    for path in sorted(folder.glob(f"{WEIGHTS}[._]*")):
        digests[path.name] = _sha256(path)
    for name, digest in expected.items():
        if digests.get(name) != digest:
            raise ModelError(f"{folder / name} is damaged or another version: its SHA-256 is not the one in {CONFIG}")
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


def _quantises_while_running(path: Path) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"DynamicQuantize") >= 0


def _open(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # Threads run batches side by side; inside one small matrix product they only wait for each other.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=list(_SLOWER)
        )
    except Exception as error:  # onnxruntime raises classes of its own that share no base but this
        raise ModelError(f"{path} cannot be opened as an ONNX model ({type(error).__name__})") from None
