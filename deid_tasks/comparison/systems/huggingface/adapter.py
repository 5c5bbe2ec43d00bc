"""Any token classifier of the Hugging Face format, from a folder or by its name on the hub."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve

_OVERLAP = 64
"""Word pieces that two windows of a long note share at most."""


class TokenClassifierSystem:
    """A token classifier. Options: ``model``; ``aggregation`` of word pieces into spans, as transformers calls it."""

    name = "hf"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options, "model", "aggregation")
        # Here, not at the top: the import takes seconds, and the module must load where the package is absent.
        import torch
        import transformers

        torch.set_num_threads(1)
        transformers.utils.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        model = str(options["model"])
        tokenizer = transformers.AutoTokenizer.from_pretrained(model, use_fast=True)
        network = transformers.AutoModelForTokenClassification.from_pretrained(model)
        positions = int(getattr(network.config, "max_position_embeddings", 0) or 0)
        if positions:
            # RoBERTa's positions begin after the padding index.
            positions -= 2 if "roberta" in network.config.model_type else 0
            tokenizer.model_max_length = min(tokenizer.model_max_length, positions)
        self._classify = transformers.pipeline(
            "token-classification",
            model=network,
            tokenizer=tokenizer,
            aggregation_strategy=str(options.get("aggregation", "simple")),
            stride=min(_OVERLAP, tokenizer.model_max_length // 4),
            device="cpu",
        )
        self.version = f"transformers {transformers.__version__} {_fingerprint(model)}"
        self.find(SystemNote("", "Seen by Dr. Maria Okafor on 3/14/2021, tel 617-555-0123."))

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return the groups of word pieces that have a label."""
        if not note.text.strip():
            return []
        found = self._classify(note.text)
        return [
            SystemSpan(int(one["start"]), int(one["end"]), str(one["entity_group"]), float(one["score"]))
            for one in found
            if int(one["start"]) < int(one["end"])
        ]


def _fingerprint(model: str) -> str:
    """Return a name for the model that changes if one of its files does."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    files = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(folder.iterdir())]
    return f"{folder.name} {hashlib.sha256(repr(files).encode()).hexdigest()[:12]}"


if __name__ == "__main__":
    serve(TokenClassifierSystem)
