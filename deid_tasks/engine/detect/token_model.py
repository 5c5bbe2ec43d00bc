"""A token-classification model: its tokenizer, its labels, how its texts are windowed, and the runner that computes its
logits.

A section ``palimpsest`` of ``config.json`` may add ``window``, ``stride``, ``pieces`` (``mean`` or ``first``: how word
pieces are pooled to words), ``units`` (the model reads word groups instead of word pieces), ``context``, ``titled``,
``rules``, ``crf``, ``labels`` (the entity that each label stands for, ``null`` for none) and ``sha256`` of the files.
"""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.crf import LinearChainCrf
from deid_tasks.engine.detect.labels import Label, read_labels
from deid_tasks.engine.detect.model_files import (
    CONFIG,
    OWN_MODEL_TYPE,
    TOKENIZER,
    find_weights,
    hash_model_files,
    read_config,
)
from deid_tasks.engine.detect.rule_features import RULE_NAMES, RuleFeatures
from deid_tasks.engine.detect.window import WindowRunner, Windows
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer
from deid_tasks.settings import ModelSettings

_DEFAULT_SETTINGS = ModelSettings()
_RESERVED_POSITIONS = 2
"""Position embeddings that RoBERTa reserves."""


class TokenModel:
    """One loaded model. Calls from different threads may share it.

    Raises:
        ModelError: a file is missing, damaged, pickled or differs from its SHA-256; a label is not known; or the
            backend needs a package that is not installed.
    """

    def __init__(self, folder: Path, settings: ModelSettings = _DEFAULT_SETTINGS) -> None:
        self.weights: Path = find_weights(folder, is_torch=settings.backend == "torch")
        config = read_config(folder / CONFIG)
        own = config.get("palimpsest", {})
        expected = {name: digest.lower() for name, digest in settings.sha256.items()}
        self.sha256: str = hash_model_files(folder, self.weights, own.get("sha256", {}), expected)
        """One hash of all its files."""
        self.labels: tuple[Label, ...] = read_labels(folder, config, own.get("labels", {}))
        self.tokenizer = WordPieceTokenizer(folder / TOKENIZER)
        self.pooling: Literal["mean", "first"] = own.get("pieces", "first")
        """Whether a word has the mean of its word pieces, or its first one's values."""
        self.pad_id: int = int(config.get("pad_token_id") or 0)
        self.has_word_groups: bool = bool(own.get("units", False))
        """Whether it reads word groups (``text/word_groups.py``), without special tokens."""
        self.is_titled: bool = bool(own.get("titled", False)) if settings.is_titled is None else settings.is_titled
        """Whether words in capitals are read in Title case."""
        self.context: str = settings.context or str(own.get("context", "sentence"))
        """Whether it reads one ``sentence``, or a whole note in a ``window``."""
        self.crf = LinearChainCrf.read(own["crf"], len(self.labels), str(folder / CONFIG)) if "crf" in own else None
        self.rule_features = _rule_features(folder, own.get("rules"))
        self.prefix: tuple[int, ...] = () if self.has_word_groups else self.tokenizer.prefix
        self.suffix: tuple[int, ...] = () if self.has_word_groups else self.tokenizer.suffix
        self.window, self.stride = self._window_and_stride(folder, config, settings)
        """Tokens of a window, special tokens included, and from one window's start to the next one's."""
        self._runner: WindowRunner = _runner(self.weights, config, self.pad_id, settings)

    def _window_and_stride(self, folder: Path, config: dict[str, Any], settings: ModelSettings) -> tuple[int, int]:
        own = config.get("palimpsest", {})
        positions = int(config.get("max_position_embeddings", 512))
        if config.get("model_type") != OWN_MODEL_TYPE:
            positions -= _RESERVED_POSITIONS
        window = settings.window or int(own.get("window", 128 if self.context == "sentence" else 512))
        window = min(window, positions)
        room = window - len(self.prefix) - len(self.suffix)
        stride = int(own.get("stride", window // 2))
        if settings.overlap is not None:
            stride = max(1, round(room * (1 - settings.overlap)))
        if not 0 < stride <= room:
            raise ModelError(f"{folder}: stride {stride} does not fit window {window}")
        return window, stride

    def logits(self, windows: Windows) -> NDArray[np.float32]:
        """Return ``[L, labels]``: the logits of each token.

        Raises:
            ModelError: the model's outputs do not fit its labels.
        """
        found = self._runner.logits(windows)
        if len(found) and found.shape[1] != len(self.labels):
            raise ModelError(f"the model gives {found.shape[-1]} labels and its {CONFIG} names {len(self.labels)}")
        return found


def _rule_features(folder: Path, names: list[str] | None) -> RuleFeatures | None:
    if not names:
        return None
    if tuple(names) != RULE_NAMES:
        raise ModelError(f"{folder}: the model was trained with other rules than this version has: train it again")
    return RuleFeatures()


def _runner(weights: Path, config: dict[str, Any], pad_id: int, settings: ModelSettings) -> WindowRunner:
    # Imported on use: torch is an extra, and importing either takes long.
    if settings.backend == "torch":
        from deid_tasks.engine.detect.torch_runner import TorchRunner

        return TorchRunner(weights, config, settings)
    from deid_tasks.engine.detect.onnx_runner import OnnxRunner

    return OnnxRunner(weights, pad_id, settings)
