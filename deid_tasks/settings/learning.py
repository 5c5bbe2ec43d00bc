"""Settings of learning from the institution's own notes: harvesting, and training on the gold set."""

from typing import ClassVar, Literal

from pydantic import Field

from deid_tasks.settings.annotation import RENAMED_DESIGNS, Design
from deid_tasks.settings.renamed import Renamed
from deid_tasks.settings.section import Section


class HarvestSettings(Section):
    """What is harvested from the institution's own notes for a person to verify: an inclusion list and templates."""

    renamed: ClassVar[Renamed | None] = Renamed("harvest", {"least_patients": "min_patients"})

    notes: int = Field(
        default=1_000_000, ge=1, description="Notes whose sentences are counted, chosen by the hash of their ids."
    )
    min_patients: int = Field(
        default=10, ge=2, description="Minimum distinct patients whose notes hold a sentence or a template."
    )
    top_sentences: int = Field(
        default=1_600, ge=0, description="How many sentences are harvested: those of the most patients."
    )
    medical_sentences: int = Field(
        default=25_000,
        ge=0,
        description="How many more that name a disease or a drug are harvested: those of the most patients.",
    )
    template_notes: int = Field(
        default=10_000, ge=0, le=100_000, description="Notes that the ensemble reads for templates; 0 harvests none."
    )
    max_new_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="A template starts as excluded if it marks words that the ensemble does not mark"
        " in more than this share of its sentences.",
    )


class TrainingSettings(Section):
    """How a model is trained on the institution's own adjudicated notes."""

    renamed: ClassVar[Renamed | None] = Renamed("training", {"trunk": "encoder"}, {"designs": RENAMED_DESIGNS})

    encoder: str = Field(default="minilm", description="minilm, mpnet, a folder, or an encoder's name on a model hub.")
    layers: int | None = Field(
        default=6, ge=1, description="How many of the encoder's first layers are used; null: all."
    )
    start: str | None = Field(
        default=None,
        description="minilm or mpnet as they ship, or another model's folder, to continue from;"
        " if not given, training starts from the bare encoder.",
    )
    designs: tuple[Design, ...] | None = Field(
        default=None,
        min_length=1,
        description="Designs of the gold sets to train on; if not given, those of gate.designs and disagreement sets.",
    )
    steps: int = Field(default=1_500, ge=1, description="Steps of about 2,000 word pieces each.")
    held_out: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Share of the patients whose notes no training reads; evaluations count these alone.",
    )
    gold_repeats: int = Field(default=4, ge=1, description="How often an epoch shows each gold sentence.")
    simulated_notes: int = Field(default=900, ge=0, description="Simulated notes beside the gold ones; 0 for none.")
    simulated_rounds: int = Field(
        default=10, ge=0, description="How often each simulated training text is filled with new names."
    )
    outside_bias: float = Field(
        default=-1.5, ge=-10, le=10, description="As in detect.transformers[], for the scores of the held-out notes."
    )
    threads: int = Field(default=1, ge=1, le=256)
    device: Literal["cpu", "cuda"] = "cpu"
    is_bfloat16: bool = Field(default=False, description="Faster on processors with bfloat16 arithmetic and on GPUs.")
