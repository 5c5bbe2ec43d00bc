"""``config.json`` of an exported model: what the detector must know to read as the model was trained."""

import hashlib
import json
from pathlib import Path
from typing import Any

from deid_tasks.engine.detect.rule_features import RULE_NAMES
from deid_tasks.learning.train.model import Tagger
from deid_tasks.learning.train.settings import NetworkSettings


def write_config(tagger: Tagger, folder: Path, settings: NetworkSettings, **more: Any) -> Path:
    """Write the configuration beside the other files of a model, with the SHA-256 of each of them.

    ``more`` is written into its section ``palimpsest``.
    """
    files = [path for path in sorted(folder.iterdir()) if path.name != "config.json" and path.is_file()]
    overlap = round(settings.window * settings.overlap)
    own: dict[str, Any] = {
        "window": settings.window,
        "stride": max(1, settings.window - overlap - _FRAME),
        "pieces": "first" if settings.subwords == "first" else "mean",
        "sha256": {path.name: _sha256(path) for path in files},
    }
    if tagger.has_units:
        own["units"] = True
    if settings.context == "window":
        own["context"] = "window"
    if settings.is_titled:
        own["titled"] = True
    if tagger.rules:
        own["rules"] = list(RULE_NAMES)
    if tagger.crf is not None:
        own["crf"] = {
            name: [[round(x, 5) for x in row] for row in value.tolist()]
            if value.ndim > 1
            else [round(x, 5) for x in value.tolist()]
            for name, value in tagger.crf.state_dict().items()
        }
    config = {
        "model_type": "palimpsest-tagger",
        "id2label": dict(enumerate(tagger.outputs)),
        "max_position_embeddings": tagger.shape.positions,
        "num_attention_heads": tagger.shape.heads,
        "layer_norm_eps": tagger.shape.epsilon,
        "pad_token_id": tagger.shape.padding,
        "palimpsest": own | more,
    }
    path = folder / "config.json"
    path.write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return path


_FRAME = 2
"""Special tokens of a window."""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
