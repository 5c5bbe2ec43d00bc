"""Settings of the token-classification models: which models run, how each is read, and which entities it may report."""

import re
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from deid_tasks.core.entities import Entity
from deid_tasks.settings.renamed import Renamed
from deid_tasks.settings.section import Name, Section

_BATCH_WORD_PIECES = {"batch_pieces": "batch_word_pieces"}


class ModelSettings(Section):
    """One token-classification model, and how it is read."""

    renamed: ClassVar[Renamed | None] = Renamed("detect.transformers[].second_stage", _BATCH_WORD_PIECES)

    model: str = Field(
        default="minilm",
        description="A model shipped with the package, a folder with config.json, tokenizer.json and weights,"
        " or `owner/name` of the Hugging Face hub.",
    )
    revision: str | None = Field(default=None, description="Commit or tag of a model of the hub.")
    sha256: dict[str, str] = Field(
        default={}, description="SHA-256 of the model's files by name; a file with another hash is not loaded."
    )
    entities: tuple[Entity, ...] | None = Field(
        default=None, description="Entities that the model may report; all that it knows if not given."
    )
    is_titled: bool | None = Field(
        default=None,
        description="Whether words in capitals are read in Title case; if not given, as the model's config.json says.",
    )
    context: Literal["sentence", "window"] | None = Field(
        default=None,
        description="Whether the model reads sentence by sentence or whole notes in windows;"
        " if not given, as its config.json says.",
    )
    window: int | None = Field(
        default=None,
        ge=8,
        le=32_768,
        description="Word pieces of a window; if not given, as the model's config.json says.",
    )
    overlap: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="Share of a window that the next window reads again; by default as in the model's config.json.",
    )
    outside_bias: float = Field(
        default=-1.5, ge=-10, le=10, description="Added to the logit of O; negative values trade precision for recall."
    )
    entity_bias: dict[Entity, float] = Field(
        default={}, description="Added to the logits of an entity; positive values trade its precision for its recall."
    )
    threshold: float = Field(
        default=0.5, gt=0, lt=1, description="Lowest probability at which a word is reported as an identifier."
    )
    backend: Literal["onnx", "torch"] = Field(
        default="onnx", description="`torch` reads safetensors and uses GPUs; it needs the extra `gpu`."
    )
    precision: Literal["auto", "int8", "float32", "bfloat16", "float16"] = Field(
        default="auto",
        description="`auto`: as the file is for `onnx`; for `torch` bfloat16 on a GPU, float32 on a CPU.",
    )
    devices: tuple[str, ...] = Field(
        default=(),
        description="Devices of `torch`, such as cuda:0 or cpu, used in turn; all available GPUs if empty.",
    )
    batch_word_pieces: int = Field(
        default=256,
        ge=1,
        le=1_048_576,
        description="Word pieces of one batch. On a CPU it should fit into a core's cache; on a GPU use about 16,384.",
    )
    threads: int = Field(default=1, ge=1, le=256, description="Batches that one worker process runs in parallel.")

    @field_validator("sha256")
    @classmethod
    def _are_digests(cls, value: dict[str, str]) -> dict[str, str]:
        for name, digest in value.items():
            if len(digest) != 64 or set(digest.lower()) - set("0123456789abcdef"):
                raise ValueError(f"the SHA-256 of {name} must have 64 hexadecimal digits")
        return value


class SecondStageSettings(ModelSettings):
    """The second stage of a cascade: a model that reads the uncertain words of the first one in their context."""

    model: str = Field(default="mpnet", description="As for the first model.")
    band: tuple[float, float] = Field(
        default=(0.02, 1.0),
        description="A word is uncertain if the first model gives it a probability between these two, both included.",
    )
    weight: float = Field(
        default=0.75,
        gt=0,
        le=1,
        description="Share of this model in the probability of an uncertain word; the rest is the first model's. With 1"
        " this model decides alone. The threshold of the first model applies.",
    )
    is_gated: bool = Field(
        default=True,
        description="Whether this model reads only the texts where its answer can change which words are marked. On a"
        " GPU, reading every uncertain text takes less time than finding these.",
    )

    @field_validator("band")
    @classmethod
    def _in_order(cls, value: tuple[float, float]) -> tuple[float, float]:
        if not 0 <= value[0] < value[1] <= 1:
            raise ValueError("band must be [low, high] with 0 <= low < high <= 1")
        return value


class SentenceFilterSettings(ModelSettings):
    """The filter before a model: a small model that reads every text, and passes over those without an identifier."""

    model: str = Field(default="filter", description="As for the first model.")
    outside_bias: float = Field(default=0.0, ge=-10, le=10, description="As for the first model.")
    threshold: float = Field(
        default=0.02,
        gt=0,
        lt=1,
        description="A text is passed over if the filter gives no word of it a higher probability of being an"
        " identifier. Lower values read more and miss less.",
    )


class TransformerSettings(ModelSettings):
    """One model of the ensemble."""

    renamed: ClassVar[Renamed | None] = Renamed(
        "detect.transformers[]", {**_BATCH_WORD_PIECES, "second": "second_stage"}
    )

    name: Name | None = Field(
        default=None,
        description="Name of the model's spans if there are several models; derived from `model` if not given.",
    )
    sentence_filter: SentenceFilterSettings | None = Field(
        default=None, description="Small model that decides which texts this one reads; it reads all if not given."
    )
    second_stage: SecondStageSettings | None = Field(
        default=None, description="Model that decides over the words of which this one is uncertain."
    )

    @property
    def parts(self) -> tuple[ModelSettings, ...]:
        """The model's own settings, and those of its filter and its second stage where it has them."""
        return tuple(part for part in (self, self.sentence_filter, self.second_stage) if part is not None)

    @property
    def label(self) -> str:
        """The model's name: ``name``, or else derived from ``model``."""
        plain = re.sub("[^a-z0-9_]+", "_", self.model.rstrip("/").rsplit("/", 1)[-1].lower())
        return self.name or plain
