"""What a person may ask of a run in its trigger form; a scheduled run takes the defaults."""

import datetime
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema, model_validator

from deid_tasks.settings.section import Section

_Day = Annotated[datetime.date | None, WithJsonSchema({"type": ["null", "string"], "format": "date"})]


_NOTE_TYPES = Field(default=(), description="Types of notes; all types where empty.")
_DRY_RUN = Field(default=False, description="Count the notes, and read and change nothing.")


class NotesRequest(Section):
    """Which notes of its days a notes run takes."""

    only: Literal["all", "quarantined"] = Field(
        default="all",
        description="all: every note of the days. quarantined: notes without a published row, of days that are"
        " published.",
    )
    note_types: tuple[str, ...] = _NOTE_TYPES
    dry_run: bool = _DRY_RUN

    @property
    def is_whole(self) -> bool:
        """Whether the run takes every note of its days."""
        return self.only == "all" and not self.note_types


class RestatementRequest(Section):
    """Which notes a restate run takes."""

    only: Literal["stale", "quarantined", "all"] = Field(
        default="stale",
        description="stale: notes that the engine in use may read differently than the engine that they were published"
        " with; the others are carried over. quarantined: notes without a published row. all: every note that the"
        " engine in use has not read itself.",
    )
    note_types: tuple[str, ...] = _NOTE_TYPES
    first_day: _Day = Field(default=None, description="First day of notes; all days where empty.")
    last_day: _Day = Field(default=None, description="Last day of notes; all days where empty.")
    max_notes: Annotated[int | None, WithJsonSchema({"type": ["null", "integer"], "minimum": 1})] = Field(
        default=None, ge=1, description="Maximum notes of this run; `changes.restate_notes_per_hour` where empty."
    )
    dry_run: bool = _DRY_RUN

    @model_validator(mode="after")
    def _in_order(self) -> "RestatementRequest":
        if self.first_day and self.last_day and self.first_day > self.last_day:
            raise ValueError("first_day is after last_day")
        return self
