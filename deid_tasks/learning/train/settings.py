"""Everything that a training depends on: the network, how it is fitted, and on what; and the presets.

A settings file is YAML with any of the sections ``model``, ``fit`` and ``mixture`` and the key ``seed``; what it leaves
out stays as the preset has it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from deid_tasks.core.entities import CATEGORY, Category, Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.yaml_text import parse_yaml
from deid_tasks.learning.train.augment import AugmentRates
from deid_tasks.learning.train.mixture import MixtureSettings
from deid_tasks.settings import Renamed

_CONFIG = ConfigDict(extra="forbid")
Share = Annotated[float, Field(ge=0, lt=1)]
Whole = Annotated[int, Field(ge=1)]
Rate = Annotated[float, Field(gt=0, le=1)]


@checked(frozen=True, slots=True, config=_CONFIG)
class NetworkSettings:
    """What the network is and what it reads; all of it goes with the exported model."""

    encoder: str = "minilm"
    """``minilm``, ``mpnet``, a folder, or the name of an encoder on the Hugging Face hub."""
    layers: Whole | None = 6
    """The encoder's first layers that are kept; all where ``None``. Of a narrower network, how many new ones it has."""
    hidden: Whole | None = None
    """Values of a position; as many as the encoder has where ``None``. A narrower network has new layers over the
    encoder's word embeddings, projected to this many values (``narrow.py``)."""
    reads: Literal["word_pieces", "word_groups"] = "word_pieces"
    """Word pieces, or words with the marks attached to them, the embeddings of the pieces of each added up: half as
    many positions to compute."""
    has_casing: bool = True
    """Add embeddings of the word's letter case and of what precedes it, which an uncased encoder cannot see."""
    head: Literal["linear", "crf"] = "linear"
    labels: Literal["plain", "bio"] = "plain"
    """One output an entity, or two: its first word, and the words after it."""
    subwords: Literal["any", "first"] = "any"
    """Whether each piece of a word learns and speaks for it, or its first alone."""
    has_rules: bool = False
    """Join what patterns and public lists say of a word to the last hidden state."""
    is_titled: bool = False
    """Read words in capitals as words in Title case."""
    context: Literal["sentence", "window"] = "sentence"
    """What is read at once: a sentence, or as much of a note as the window takes."""
    window: Annotated[int, Field(ge=8, le=4_096)] = 128
    """Pieces, special tokens included."""
    overlap: Share = 0.25
    """Share of a window that the next one reads again, where a text needs several."""
    entities: tuple[Entity, ...] | None = None
    """The entities that the model learns; all if ``None``."""


@checked(frozen=True, slots=True, config=_CONFIG)
class DistillationSettings:
    """What a model learns from a trained one, beside the gold labels."""

    teacher: str = "minilm"
    """A model that ships, or its folder; it reads word groups, as the model must that it teaches."""
    encoder: str = "minilm"
    """The encoder that the teacher was trained from: its sizes."""
    bias: float = -1.5
    """Of the teacher's answers, as ``outside_bias`` of an engine: below 0 more words are identifiers."""
    exchanged: Share = 0.4
    """Share of the windows in which words are exchanged for others."""
    identifier_weight: Annotated[float, Field(ge=1)] = 5.0
    """How much more it costs to miss an identifier than to suspect another word."""
    sentence_weight: Annotated[float, Field(ge=0)] = 0.5
    """How much the word of a window counts that is most likely an identifier."""


@checked(frozen=True, slots=True, config=_CONFIG)
class FitSettings:
    """How a model is fitted."""

    epochs: Annotated[float, Field(gt=0)] = 3.0
    steps: Whole | None = None
    """Steps instead of epochs."""
    minutes: Annotated[float, Field(gt=0)] | None = None
    """End after so long, whatever the epochs: the steps are foretold from the pace, again and again."""
    batch_word_pieces: Annotated[int, Field(ge=16)] = 2_048
    """Pieces of one batch, padding included."""
    batch_windows: Whole | None = None
    """Windows of one batch instead."""
    learning_rate: Rate = 3e-4
    embedding_rate: Rate | None = 1e-3
    """Of the two casing embeddings and the head, which start from chance; the same as of the rest where ``None``."""
    optimizer: Literal["adamw", "adam"] = "adamw"
    schedule: Literal["cosine", "linear"] = "cosine"
    """How the rate falls after the warm-up."""
    weight_decay: Share = 0.01
    warmup: Share = 0.06
    """Share of the steps in which the rate rises."""
    seed: int = 0
    threads: Whole = 1
    is_bfloat16: bool = False
    """Autocast to bfloat16: faster only where the processor has it (amx_bf16, avx512_bf16), and on a GPU."""
    device: Literal["cpu", "cuda"] = "cpu"
    is_word_frozen: bool = True
    """Leave the word embeddings as they are: faster, and names that training never showed keep their place among those
    that it did."""
    checkpoint_every: Whole = 200
    distillation: DistillationSettings | None = None
    """Also learn from a trained model; gold labels alone where ``None``."""
    rates: AugmentRates = field(default_factory=AugmentRates)


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Everything a training depends on; the same settings on the same machine give the same weights."""

    folder: Path
    """Receives the checkpoint and the settings, and the model in a subfolder; a stopped training in it is resumed."""
    mixture: MixtureSettings = field(default_factory=MixtureSettings)
    fit: FitSettings = field(default_factory=FitSettings)
    model: NetworkSettings = field(default_factory=NetworkSettings)
    seed: int = 0
    start: Path | None = None
    """A model's folder to go on from, instead of the bare encoder: ``model.safetensors``, or else the rounded weights
    of ``model.onnx``.
    """
    has_safetensors: bool = False
    """Also export the weights in bfloat16."""

    @property
    def exported(self) -> Path:
        """The folder that the trained model is exported to."""
        return self.folder / "model"

    def document(self) -> dict[str, Any]:
        """Return all settings, for JSON."""
        return {
            "model": asdict(self.model),
            "fit": asdict(self.fit),
            "mixture": {key: str(value) if isinstance(value, Path) else value for key,
            value in asdict(self.mixture).items()},
            "seed": self.seed,
            "start": None if self.start is None else str(self.start),
        }  # fmt: skip


_NAMES = (Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE)
_PUBLISHED_FIT = FitSettings(
    epochs=4.0,
    batch_windows=32,
    learning_rate=5e-5,
    embedding_rate=None,
    optimizer="adam",
    schedule="linear",
    weight_decay=0.0,
    warmup=0.4,
    is_word_frozen=False,
)
_PUBLISHED_MODEL = NetworkSettings(
    encoder="bert-base-cased", layers=None, has_casing=False, labels="bio", subwords="first", window=256, overlap=0.0
)


def _of_category(category: Category) -> tuple[Entity, ...]:
    return tuple(entity for entity, other in CATEGORY.items() if other is category)


PRESETS: dict[str, dict[str, tuple[NetworkSettings, FitSettings]]] = {
    "palimpsest": {"": (NetworkSettings(), FitSettings())},
    # The weights in deid_tasks/models; docs/models.md tells the time it takes.
    "shipped": {
        "minilm": (
            NetworkSettings(reads="word_groups"),
            FitSettings(steps=1_600, batch_word_pieces=1_024, learning_rate=2.5e-4, is_bfloat16=True),
        ),
        "mpnet": (
            NetworkSettings(encoder="mpnet"),
            FitSettings(steps=1_000, batch_word_pieces=1_280, learning_rate=1.2e-4, is_bfloat16=True),
        ),
    },
    # The sentence filter in deid_tasks/models.
    "filter": {
        "filter": (
            NetworkSettings(layers=2, hidden=256, reads="word_groups"),
            FitSettings(
                steps=14_000,
                batch_word_pieces=8_192,
                learning_rate=1.2e-3,
                embedding_rate=None,
                checkpoint_every=500,
                distillation=DistillationSettings(),
            ),
        )
    },
    # Murugadoss et al., Patterns 2021, and its supplement.
    "published": {
        name: (replace(_PUBLISHED_MODEL, entities=entities, is_titled=name == "names_titled"), _PUBLISHED_FIT)
        for name, entities in {
            "names": _NAMES,
            "names_titled": _NAMES,
            "locations": _of_category(Category.LOCATION),
            "ages": _of_category(Category.AGE),
            "organizations": _of_category(Category.ORGANIZATION),
        }.items()
    },
}
"""By name, the models of a recipe: each is trained in a subfolder of its name."""


def plan(
    folder: Path, preset: str = "palimpsest", changes: Mapping[str, Any] | None = None, start: Path | None = None
) -> list[TrainSettings]:
    """Return the trainings of a preset, with ``changes`` made to each.

    Args:
        folder: takes one training, or a subfolder for each of several.
        preset: a key of ``PRESETS``.
        changes: sections ``model``, ``fit``, ``mixture`` of a settings file, and ``seed``.
        start: the model to go on from, or a folder with one for each of several, under the same names.

    Raises:
        InputError: the preset or a key is not known, or a value is out of bounds; the text names it.
    """
    if preset not in PRESETS:
        raise InputError(f"preset is {' or '.join(PRESETS)}, not {preset!r}")
    changes = dict(changes or {})
    if unknown := sorted(set(map(str, changes)) - {"model", "fit", "mixture", "seed"}):
        raise InputError(f"training settings: {unknown[0]!r} is not known; known are model, fit, mixture and seed")
    made = []
    for name, (model, fit) in PRESETS[preset].items():
        seed = _checked(int, changes.get("seed", 0), "seed")
        made.append(
            TrainSettings(
                folder / name,
                _changed(MixtureSettings(), changes.get("mixture"), "mixture"),
                _changed(fit, changes.get("fit"), "fit"),
                _changed(model, changes.get("model"), "model"),
                seed,
                start / name if start is not None and (start / name).is_dir() else start,
            )
        )
        if made[-1].model.has_rules and made[-1].model.context == "window":
            raise InputError("training settings: model.has_rules needs model.context sentence")
    return made


def read_changes(path: Path) -> dict[str, Any]:
    """Return the content of a settings file.

    Raises:
        InputError: it is missing or no YAML mapping.
    """
    try:
        content = parse_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} is missing") from None
    except ValueError:
        raise InputError(f"{path} is not YAML") from None
    if not isinstance(content, dict):
        raise InputError(f"{path} holds no mapping of model, fit, mixture and seed")
    return content


T = TypeVar("T")
_RENAMED = {
    "model": Renamed(
        "model",
        {"trunk": "encoder"},
        {"reads": {"pieces": "word_pieces", "units": "word_groups"}},
    ),
    "fit": Renamed("fit", {"batch_pieces": "batch_word_pieces"}),
}


def _changed(base: T, changes: object, section: str) -> T:
    if changes is None:
        return base
    if not isinstance(changes, dict):
        raise InputError(f"training settings: {section} is not a mapping")
    if section in _RENAMED:
        try:
            changes = _RENAMED[section].apply(changes)
        except ValueError as error:
            raise InputError(f"training settings: {section}: {error}") from None
    fields = asdict(base)  # type: ignore[call-overload]
    if unknown := sorted(set(map(str, changes)) - set(fields)):
        raise InputError(f"training settings: {section}.{unknown[0]} is not known")
    made: T = _checked(type(base), fields | changes, section)
    return made


def _checked(kind: Any, value: object, at: str) -> Any:
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=True)[0]
        where = ".".join([at, *map(str, first["loc"])])
        raise InputError(f"training settings: {where}: {first['msg']}, not {first['input']!r}") from None
