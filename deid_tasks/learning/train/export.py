"""From a trained tagger to a folder that the detector loads: an ONNX graph, the tokenizer and a configuration."""

import hashlib
import json
import shutil
from pathlib import Path

import onnx

from deid_tasks.learning.train.graph import build_graph
from deid_tasks.learning.train.model import Tagger
from deid_tasks.learning.train.targets import LABELS


def export(
    tagger: Tagger,
    tokenizer: Path,
    folder: Path,
    window: int = 128,
    stride: int | None = None,
    *,
    is_quantised: bool = True,
) -> Path:
    """Write ``model.onnx``, ``tokenizer.json`` and ``config.json`` to ``folder`` and return it; int8 unless
    ``is_quantised`` is false.

    The configuration lists the SHA-256 of the two other files; the detector refuses a folder where they differ.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights = folder / "model.onnx"
    floats = {name: value.detach().float().cpu().numpy() for name, value in tagger.state_dict().items()}
    onnx.save(build_graph(floats, tagger.shape, is_quantised=is_quantised), weights)
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    config = {
        "model_type": "palimpsest-tagger",
        "id2label": dict(enumerate(LABELS)),
        "max_position_embeddings": tagger.shape.positions,
        "num_attention_heads": tagger.shape.heads,
        "layer_norm_eps": tagger.shape.epsilon,
        "pad_token_id": tagger.shape.padding,
        "palimpsest": {
            "window": window,
            "stride": stride or window * 3 // 4,
            "pieces": "mean",
            **({"units": True} if tagger.has_units else {}),
            "sha256": {name: _sha256(folder / name) for name in ("model.onnx", "tokenizer.json")},
        },
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return folder


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
