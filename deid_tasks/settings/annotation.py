"""Settings of the gold set: which notes are sampled, and who annotates them."""

import datetime
from typing import ClassVar, Literal, get_args

from pydantic import Field, field_validator, model_validator

from deid_tasks.settings.renamed import Renamed
from deid_tasks.settings.section import Name, Section

MeasuredDesign = Literal["stratified", "random"]
"""Sampling designs whose gold sets the engine is measured on."""
Design = Literal[MeasuredDesign, "disagreement"]
"""Every sampling design. A disagreement sample holds the notes on which detectors differ most, for training alone."""
DESIGNS: tuple[Design, ...] = get_args(Design)
"""The designs in the order in which samples are drawn."""
DISAGREEMENT: Design = "disagreement"

RENAMED_DESIGNS = {"disputed": DISAGREEMENT}
"""New value of a design by its old one."""


class SamplingSettings(Section):
    """How notes are drawn for annotation."""

    renamed: ClassVar[Renamed | None] = Renamed(
        "sampling",
        {
            "least": "min_notes_per_stratum",
            "disputed_size": "disagreement_size",
            "disputed_pool": "disagreement_pool",
        },
    )

    size: int = Field(default=10_000, ge=1, description="Notes of the stratified sample, all strata together.")
    min_notes_per_stratum: int = Field(
        default=10, ge=1, description="Minimum notes of every stratum; smaller strata are taken whole."
    )
    weight: Literal["log10", "linear"] = Field(
        default="log10", description="A stratum's weight is its notes times this function of their mean words."
    )
    periods: tuple[datetime.date, ...] = Field(
        default=(), description="First days of periods, in order; a stratum is a note type in a period."
    )
    random_size: int = Field(
        default=1_000,
        ge=0,
        description="Notes of the simple random sample, which gives unbiased figures; 0 draws none.",
    )
    disagreement_size: int = Field(
        default=0,
        ge=0,
        description="Notes of the disagreement sample: those on which detectors differ most, at most one a patient;"
        " 0 draws none.",
    )
    disagreement_pool: int = Field(
        default=2_000,
        ge=1,
        description="Notes, drawn at random, that the engine reads to find those of the disagreement sample.",
    )
    seed: int = Field(default=1, ge=0, description="The same seed over the same notes draws the same sample.")

    @field_validator("periods")
    @classmethod
    def _in_order(cls, value: tuple[datetime.date, ...]) -> tuple[datetime.date, ...]:
        if list(value) != sorted(set(value)):
            raise ValueError("periods must be different days in order")
        return value

    @model_validator(mode="after")
    def _pool_is_large_enough(self) -> "SamplingSettings":
        if self.disagreement_size > self.disagreement_pool:
            raise ValueError("disagreement_pool must not be smaller than disagreement_size")
        return self


class AnnotationSettings(Section):
    """Who annotates the sampled notes, and with which tool."""

    format: Literal["label-studio", "doccano", "brat", "i2b2-2014"] = Field(
        default="label-studio", description="Format of the task lists and of the finished annotations."
    )
    annotators: tuple[Name, Name] = Field(
        default=("annotator_a", "annotator_b"), description="Pseudonyms of the two who annotate every note."
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
