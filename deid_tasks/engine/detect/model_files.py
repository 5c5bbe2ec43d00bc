"""The files of a token-classification model: where they are found, which are read, and which are refused.

A folder holds ``config.json``, ``tokenizer.json`` and weights: ``model.onnx``, or ``model.safetensors`` for torch, as
any Hugging Face token-classification model does. Pickled weights are refused, since reading them may run code.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import ModelError

MODELS = Path(__file__).resolve().parents[2] / "models"
WEIGHTS, TENSORS, TOKENIZER, CONFIG = "model.onnx", "model.safetensors", "tokenizer.json", "config.json"
OWN_MODEL_TYPE = "palimpsest-tagger"
"""``model_type`` of the models that this project trains."""
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib")


def find_model(name: str, revision: str | None = None) -> Path:
    """Return the folder of a model.

    Args:
        name: a model that ships with the package, a folder, or ``owner/name`` of a Hugging Face hub.
        revision: commit or tag, for a model of the hub.

    Raises:
        ModelError: no such model was found, or the hub did not return it.
    """
    if (MODELS / name / CONFIG).is_file():
        return MODELS / name
    if Path(name).is_dir():
        return Path(name)
    shipped = ", ".join(sorted(path.parent.name for path in MODELS.glob(f"*/{CONFIG}"))) or "none"
    if name.count("/") != 1 or name.startswith((".", "/")):
        raise ModelError(f"no model {name!r}: not a folder, and not one of those shipped ({shipped})")
    return _download(name, revision)


def _download(name: str, revision: str | None) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ModelError(f"model {name!r} of the Hugging Face hub needs the extra 'gpu' (huggingface_hub)") from None
    wanted = [CONFIG, TOKENIZER, WEIGHTS, "*.safetensors", "*.safetensors.index.json"]
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=wanted))
    except Exception as error:  # the client raises its own classes, its HTTP library's and OSError
        raise ModelError(
            f"model {name!r} is not a folder, and the Hugging Face hub did not return it ({type(error).__name__})"
        ) from error


def find_weights(folder: Path, *, is_torch: bool) -> Path:
    """Return the path of the weights to read; for sharded tensors, the path that the shards are named after.

    Raises:
        ModelError: the weights, the tokenizer or the configuration are missing, or the weights are pickled.
    """
    found = [name for name in ((TENSORS, WEIGHTS) if is_torch else (WEIGHTS,)) if (folder / name).is_file()]
    is_sharded = is_torch and (folder / f"{TENSORS}.index.json").is_file()
    missing = [name for name in (TOKENIZER, CONFIG) if not (folder / name).is_file()]
    if (found or is_sharded) and not missing:
        return folder / (found[0] if found and not is_sharded else TENSORS)
    raise ModelError(_why_not_readable(folder, missing, has_weights=bool(found), is_torch=is_torch))


def _why_not_readable(folder: Path, missing: list[str], *, has_weights: bool, is_torch: bool) -> str:
    pickles = sorted(path.name for path in folder.glob("*") if path.suffix in _PICKLES)
    if not has_weights and pickles:
        target = TENSORS if is_torch else WEIGHTS
        return f"{folder}: {pickles[0]} may run code when it is read and is refused; export to {target}"
    if not has_weights and not is_torch and (folder / TENSORS).is_file() and not missing:
        return f"{folder}: {WEIGHTS} missing; {TENSORS} is read with `backend: torch`"
    wanted = [*missing, *([] if has_weights else [WEIGHTS])]
    return f"{folder}: {' and '.join(sorted(wanted, key=[WEIGHTS, TOKENIZER, CONFIG].index))} missing"


def read_config(path: Path) -> dict[str, Any]:
    """Return the content of a model's ``config.json``.

    Raises:
        ModelError: the file is missing, or does not hold a JSON object.
    """
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing") from None
    except (ValueError, RecursionError):
        raise ModelError(f"{path} is not JSON") from None
    if not isinstance(config, dict) or not isinstance(config.get("palimpsest", {}), dict):
        raise ModelError(f"{path} is not a JSON object")
    return config


def hash_model_files(folder: Path, weights: Path, listed: Mapping[str, str], expected: Mapping[str, str]) -> str:
    """Return one SHA-256 of all files of a model.

    Args:
        folder: the model's folder.
        weights: path of its weights, as ``find_weights`` returned it.
        listed: SHA-256 by file name, as ``config.json`` lists them; files that are not read are not checked.
        expected: SHA-256 by file name, as the settings list them.

    Raises:
        ModelError: a file differs from its listed or expected SHA-256.
    """
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
