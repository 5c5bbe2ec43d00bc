"""Settings of rewriting: what replaces each entity."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from deid_tasks.core.entities import Entity
from deid_tasks.settings.section import Name, Section

Country = Literal["US", "CA", "GB", "IE", "AU", "NZ", "IN", "SG", "DE", "FR", "ES", "ZA"]
"""Where an institution is: two letters of ISO 3166-1."""
Mode = Literal["surrogate", "mask", "stars", "fixed_stars", "hash", "list", "keep", "remove"]
"""What replaces a span."""

_LENGTH_CHANGING = frozenset({"mask", "fixed_stars", "hash", "remove"})
LISTED = frozenset(
    {
        Entity.PATIENT,
        Entity.PROVIDER,
        Entity.RELATIVE,
        Entity.PROFESSION,
        Entity.STREET,
        Entity.CITY,
        Entity.COUNTRY,
        Entity.LOCATION_OTHER,
        Entity.FACILITY,
        Entity.ORGANIZATION,
    }
)
"""Entities whose surrogates may come from a list. Numbers, dates and network addresses are always computed."""


RepeatAction = Literal["off", "count", "quarantine", "repair"]
"""What happens where a value that was replaced once stands elsewhere in the output."""


class SecondSearchSettings(Section):
    """What happens where a value that was replaced once still stands elsewhere in the output."""

    within_note: RepeatAction = Field(
        default="repair",
        description="A value that was replaced in the same note. repair: it is replaced there too, and the note is"
        " quarantined where that fails; quarantine: the note is withheld; count: the run's counts name it; off: it is"
        " not searched.",
    )
    across_notes: RepeatAction = Field(
        default="count",
        description="A value that was replaced in another note of the patient, read before or together with this one."
        " With repair and quarantine the text of a note depends on the notes that a run reads with it.",
    )


class NoteTypeModes(Section):
    """What differs in notes of one type."""

    modes: dict[Entity, Mode] = Field(description="Modes by entity, in place of those for all notes.")


class SurrogateSettings(Section):
    """How surrogates are made."""

    date_shift_days: tuple[int, int] = Field(
        default=(-365, 365), description="Range of the per-patient shift in days, both ends included; never 0."
    )
    weekdays: Literal["moved", "kept"] = Field(
        default="moved", description="kept: dates move by whole weeks, so that weekdays stay."
    )
    holidays: Literal["nearest", "date", "kept"] = Field(
        default="nearest",
        description="A holiday becomes a holiday on exactly its moved day (nearest; else as date), that day"
        " itself (date: December 10), or stays.",
    )
    country: Country = Field(
        default="US",
        description="Where notes are written that do not show it: the order of day and month, and the form of places,"
        " telephone and identity numbers.",
    )
    length: Literal["close", "same"] = Field(
        default="close",
        description="same: every surrogate has the length of its original, for text whose layout must stay.",
    )
    reserved_ranges: bool = Field(
        default=False,
        description="Take telephone numbers, e-mail, web and network addresses from ranges reserved for examples:"
        " recognisably fictional.",
    )
    modes: dict[Entity, Mode] = Field(
        default_factory=dict, description="What replaces each entity; surrogate if not named."
    )
    stars: int = Field(default=3, ge=1, le=40, description="Asterisks of the mode fixed_stars.")
    lists: dict[Entity, str] = Field(
        default_factory=dict,
        description="Files of the mode list, one replacement a line; for names the tab-separated columns"
        " name, part (given, surname), sex, group.",
    )
    note_types: dict[str, NoteTypeModes] = Field(
        default_factory=dict, description="Other modes for notes of a type, by its name in any letter case."
    )

    @field_validator("date_shift_days")
    @classmethod
    def _ordered(cls, value: tuple[int, int]) -> tuple[int, int]:
        if value[0] > value[1] or value in {(0, 0)}:
            raise ValueError("date_shift_days must be [low, high] with low <= high and a day other than 0 between them")
        return value

    @model_validator(mode="after")
    def _is_consistent(self) -> "SurrogateSettings":
        low, high = self.date_shift_days
        if self.weekdays == "kept" and not any(days and days % 7 == 0 for days in range(low, high + 1)):
            raise ValueError("weekdays: kept needs a whole week other than 0 within date_shift_days")
        self._check_modes(self.modes, "modes")
        for note_type, changed in self.note_types.items():
            self._check_modes({**self.modes, **changed.modes}, f"note_types.{note_type}.modes")
        listed = {entity for modes in self._all_modes() for entity, mode in modes.items() if mode == "list"}
        if unused := sorted(set(self.lists) - listed):
            raise ValueError(f"lists: {', '.join(unused)} has a file, but no mode is list")
        folded = [note_type.casefold() for note_type in self.note_types]
        if len(set(folded)) != len(folded):
            raise ValueError("note_types names a type twice")
        return self

    def modes_of(self, note_type: str | None) -> dict[Entity, Mode]:
        """Return the modes for notes of ``note_type``; entities that are not among them become surrogates."""
        wanted = (note_type or "").casefold()
        changed = next((found for name, found in self.note_types.items() if name.casefold() == wanted), None)
        return {**self.modes, **changed.modes} if changed else self.modes

    def _all_modes(self) -> list[dict[Entity, Mode]]:
        return [self.modes, *(changed.modes for changed in self.note_types.values())]

    def _check_modes(self, modes: dict[Entity, Mode], where: str) -> None:
        for entity, mode in modes.items():
            if mode == "list" and entity not in LISTED:
                raise ValueError(f"{where}: {entity} cannot come from a list")
            if mode == "list" and entity not in self.lists:
                raise ValueError(f"{where}: {entity} is a list, but lists names no file for it")
            if self.length == "same" and mode in _LENGTH_CHANGING:
                raise ValueError(f"{where}: {entity}: {mode} changes the length, and length: same forbids that")
        if modes.get(Entity.CITY) == "list":
            loose = [e for e in (Entity.STATE, Entity.ZIP) if modes.get(e, "surrogate") == "surrogate"]
            if loose:
                raise ValueError(f"{where}: a CITY from a list would not lie in the surrogate {' and '.join(loose)}")


class ObfuscateSettings(SurrogateSettings):
    """How an institution's surrogates are made, and with which key."""

    key: Name = Field(
        description="Name of the secret that holds the institution's surrogate key (at least 32 bytes, base64)."
    )
