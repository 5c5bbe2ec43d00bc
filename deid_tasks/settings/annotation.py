"""Settings of the notes that people annotate: which are drawn, who labels them, and how a model is trained on them."""

import datetime
from typing import Literal, get_args

from pydantic import Field, field_validator, model_validator

from deid_tasks.settings.section import Name
from deid_tasks.settings.section import Section as _Section

Measured = Literal["stratified", "random"]
"""Designs whose gold sets the engine is measured on."""
Design = Literal[Measured, "disputed"]
DESIGNS: tuple[Design, ...] = get_args(Design)
"""In the order in which samples are drawn."""


class SamplingSettings(_Section):
    """How notes are drawn for people to annotate."""

    size: int = Field(default=10_000, ge=1, description="Notes of the stratified sample, all groups together.")
    least: int = Field(default=10, ge=1, description="Notes of every group at least; smaller groups are taken whole.")
    weight: Literal["log10", "linear"] = Field(
        default="log10", description="A group's weight is its notes times this function of their mean words."
    )
    periods: tuple[datetime.date, ...] = Field(
        default=(), description="First days of periods, in order; a group is a note type in a period."
    )
    random_size: int = Field(
        default=1_000,
        ge=0,
        description="Notes of the simple random sample, which gives unbiased figures; 0 draws none.",
    )
    disputed_size: int = Field(
        default=0,
        ge=0,
        description="Notes of the disputed sample, those on which detectors differ most, one a patient at most; 0 draws none.",
    )
    disputed_pool: int = Field(
        default=2_000, ge=1, description="Notes, drawn at random, that the engine reads to find the disputed ones."
    )
    seed: int = Field(default=1, ge=0, description="The same seed over the same notes draws the same sample.")

    @field_validator("periods")
    @classmethod
    def _in_order(cls, value: tuple[datetime.date, ...]) -> tuple[datetime.date, ...]:
        if list(value) != sorted(set(value)):
            raise ValueError("periods must be different days in order")
        return value

    @model_validator(mode="after")
    def _has_a_choice(self) -> "SamplingSettings":
        if self.disputed_size > self.disputed_pool:
            raise ValueError("disputed_pool must not be smaller than disputed_size")
        return self


class AnnotationSettings(_Section):
    """Who labels the drawn notes, and with what."""

    format: Literal["label-studio", "doccano", "brat", "i2b2-2014"] = Field(
        default="label-studio", description="What task lists are written as, and what finished work is read as."
    )
    annotators: tuple[Name, Name] = Field(
        default=("annotator_a", "annotator_b"), description="Pseudonyms of the two who label every note."
    )
    adjudicator: Name = Field(default="adjudicator", description="Pseudonym of the third, who decides their conflicts.")
    preannotate: bool = Field(
        default=False,
        description="Show annotators what the ensemble finds. Faster, and biased towards it; the gold set records it.",
    )

    @model_validator(mode="after")
    def _three_people(self) -> "AnnotationSettings":
        if len({*self.annotators, self.adjudicator}) != 3:
            raise ValueError("the two annotators and the adjudicator must be three different pseudonyms")
        return self


class TrainingSettings(_Section):
    """How a model is trained on the institution's own adjudicated notes."""

    trunk: str = Field(default="minilm", description="minilm, mpnet, a folder, or an encoder's name on a model hub.")
    layers: int | None = Field(default=6, ge=1, description="The trunk's first layers that are kept; all where null.")
    start: str | None = Field(
        default=None,
        description="minilm or mpnet as they ship, or another model's folder, to go on from instead of the bare trunk.",
    )
    designs: tuple[Design, ...] | None = Field(
        default=None,
        min_length=1,
        description="Kinds of gold set to train on; where not given those of gate.designs, and disputed where there is one.",
    )
    steps: int = Field(default=1_500, ge=1, description="Steps of about 2,000 word pieces each.")
    held_out: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Share of the patients that no training sees; evaluations count them alone.",
    )
    gold_repeats: int = Field(default=4, ge=1, description="How often an epoch shows each gold sentence.")
    simulated_notes: int = Field(default=900, ge=0, description="Simulated notes beside the gold ones; 0 for none.")
    simulated_rounds: int = Field(default=10, ge=0, description="Writings of each training text beside them.")
    outside_bias: float = Field(default=-1.0, ge=-10, le=10, description="For the scores of the held-out notes.")
    threads: int = Field(default=1, ge=1, le=256)
    device: Literal["cpu", "cuda"] = "cpu"
    is_bfloat16: bool = Field(default=False, description="Faster on processors with bfloat16 arithmetic and on GPUs.")
