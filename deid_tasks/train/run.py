"""One training from start to end: mixture, tokenizer, trunk, fit."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from deid_tasks.text.pieces import PieceEncoder
from deid_tasks.train.export import export
from deid_tasks.train.fit import FitSettings, fit
from deid_tasks.train.mixture import MixtureSettings, build_mixture
from deid_tasks.train.model import Tagger
from deid_tasks.train.trunks import load_trunk, trunk_folder

TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Everything a training depends on; the same settings on the same machine give the same weights."""

    folder: Path
    """Takes the checkpoint and the settings, and the model in its subfolder; a stopped training in it is gone on with."""
    mixture: MixtureSettings = field(default_factory=MixtureSettings)
    fit: FitSettings = field(default_factory=FitSettings)
    trunk: str = "minilm"
    """``minilm``, ``mpnet``, or another encoder, see ``trunks.trunk_folder``."""
    layers: int = 6
    """The trunk's first layers that are kept."""
    seed: int = 0

    @property
    def model(self) -> Path:
        """The folder that the trained model is exported to."""
        return self.folder / "model"


def train(settings: TrainSettings, report: Callable[[str], None] = print) -> Tagger:
    """Train, export to ``settings.model``, and return the model as it was before its weights were rounded.

    Raises:
        InputError: a corpus is missing or broken, or a name of another world stands in the mixture.
        ModelError: the package with the trunk's weights is not installed, or no trunk of that name is known.
    """
    import torch

    settings.folder.mkdir(parents=True, exist_ok=True)
    trunk = trunk_folder(settings.trunk)
    tokenizer = settings.folder / TOKENIZER
    write_tokenizer(trunk / TOKENIZER, tokenizer)
    (settings.folder / "training.json").write_text(
        json.dumps(asdict(settings), default=str, indent=1), encoding="utf-8"
    )
    samples = build_mixture(replace(settings.mixture, seed=settings.seed), report)
    torch.manual_seed(settings.seed)
    tagger = load_trunk(trunk, settings.layers)
    fitting = replace(settings.fit, seed=settings.seed)
    fit(tagger, PieceEncoder(tokenizer), samples, fitting, settings.folder, report)
    export(tagger, tokenizer, settings.model, window=fitting.window)
    return tagger


def write_tokenizer(source: Path, target: Path) -> None:
    """The trunk's tokenizer, without truncation and padding, and with digits cut from letters as ``shape_words`` does."""
    tokenizer = json.loads(source.read_text(encoding="utf-8"))
    tokenizer["truncation"] = tokenizer["padding"] = None
    # A byte-level tokenizer cuts there by itself.
    if "ByteLevel" not in json.dumps(tokenizer["pre_tokenizer"]):
        digits = {"type": "Digits", "individual_digits": False}
        tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [tokenizer["pre_tokenizer"], digits]}
    target.write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
