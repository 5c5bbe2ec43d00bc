"""Settings of the models: which there are, what each reads, and what it may say."""

import re
from typing import Literal

from pydantic import Field, field_validator

from deid_tasks.core.entities import Entity
from deid_tasks.settings.section import Name, Section


class ModelSettings(Section):
    """One token-classification model, and how it is read."""

    model: str = Field(
        default="minilm",
        description="A model shipped with the package, a folder with config.json, tokenizer.json and weights, or `owner/name` of the Hugging Face hub.",
    )
    revision: str | None = Field(default=None, description="Commit or tag of a model of the hub.")
    sha256: dict[str, str] = Field(
        default={}, description="SHA-256 of its files by name; one that differs is not loaded."
    )
    entities: tuple[Entity, ...] | None = Field(
        default=None, description="What it may report; everything that it knows where not given."
    )
    is_titled: bool | None = Field(
        default=None,
        description="Whether words in capitals are read as Title case; as its config.json says where not given.",
    )
    context: Literal["sentence", "window"] | None = Field(
        default=None,
        description="Whether it reads each sentence by itself, or whole notes in windows; as its config.json says where not given.",
    )
    window: int | None = Field(
        default=None, ge=8, le=32_768, description="Word pieces of a window; as its config.json says where not given."
    )
    overlap: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="Share of a window that the next one reads again; as its config.json says where not given.",
    )
    outside_bias: float = Field(
        default=-1.0, ge=-10, le=10, description="Added to the logit of O; negative values trade precision for recall."
    )
    entity_bias: dict[Entity, float] = Field(
        default={}, description="Added to the logits of an entity; positive values trade its precision for its recall."
    )
    threshold: float = Field(
        default=0.5, gt=0, lt=1, description="Chance of being an identifier that a word must have to be one."
    )
    backend: Literal["onnx", "torch"] = Field(
        default="onnx", description="`torch` reads safetensors, on GPUs where there are any; needs the extra `gpu`."
    )
    precision: Literal["auto", "int8", "float32", "bfloat16", "float16"] = Field(
        default="auto", description="As the file is for `onnx`; for `torch` bfloat16 on a GPU, float32 on a CPU."
    )
    devices: tuple[str, ...] = Field(
        default=(), description="Of `torch`: cuda:0, cpu…; batches go round them. All GPUs at hand where empty."
    )
    batch_pieces: int = Field(
        default=256,
        ge=1,
        le=1_048_576,
        description="Word pieces that are read at once: as many as leave all that a layer holds in a core's cache; some 16,384 for a GPU.",
    )
    threads: int = Field(default=1, ge=1, le=256, description="Batches that one worker process reads side by side.")

    @field_validator("sha256")
    @classmethod
    def _are_digests(cls, value: dict[str, str]) -> dict[str, str]:
        for name, digest in value.items():
            if len(digest) != 64 or set(digest.lower()) - set("0123456789abcdef"):
                raise ValueError(f"the SHA-256 of {name} is not of 64 hexadecimal digits")
        return value


class SecondOpinion(ModelSettings):
    """A model that reads only where the first one doubts: the doubted words of a sentence, and some around them."""

    model: str = Field(default="mpnet", description="As for the first model.")
    band: tuple[float, float] = Field(
        default=(0.05, 0.9),
        description="The first doubts where a word's chance of being an identifier lies between these, both included.",
    )
    combine: Literal["mean", "either", "second"] = Field(
        default="second",
        description="Of the two chances of a word the mean, the higher one, or the second model's; the first's threshold decides.",
    )

    @field_validator("band")
    @classmethod
    def _in_order(cls, value: tuple[float, float]) -> tuple[float, float]:
        if not 0 <= value[0] < value[1] <= 1:
            raise ValueError("band must be [low, high] with 0 <= low < high <= 1")
        return value


class TransformerSettings(ModelSettings):
    """One model of the ensemble."""

    name: Name | None = Field(
        default=None,
        description="What its spans are told apart by where there are several; of `model` where not given.",
    )
    second: SecondOpinion | None = None

    @property
    def label(self) -> str:
        """The name, given or of the model."""
        plain = re.sub("[^a-z0-9_]+", "_", self.model.rstrip("/").rsplit("/", 1)[-1].lower())
        return self.name or plain
