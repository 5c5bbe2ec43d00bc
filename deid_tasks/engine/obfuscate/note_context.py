"""What one note's surrogates depend on: the institution's key, the patient's scope, the staff's, and the day it was written."""

import datetime
from dataclasses import dataclass, field
from typing import Literal

from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.people.name_scope import NameScope


@dataclass(frozen=True, slots=True)
class SurrogateOptions:
    """The settings that surrogates are made by."""

    keeps_states: bool = False
    """Whether the policy leaves states as they are, so that cities must stay in theirs."""
    keeps_times: bool = True
    """Whether the policy leaves times of day as they are, so that they stay beside a date too."""
    kept_zip_digits: int = 0
    holidays: Literal["nearest", "date", "kept"] = "nearest"
    same_length: bool = False
    reserved_ranges: bool = False


@dataclass(frozen=True, slots=True)
class NoteContext:
    """The circumstances of one note; no text of it."""

    patient: NameScope
    """The patient's scope; one without a record, and with an empty identifier, where the note names no patient."""
    staff: NameScope
    """The institution's own people and places, the same in all notes."""
    shift_days: int = 0
    written_at: datetime.datetime | None = field(default=None, repr=False)
    options: SurrogateOptions = SurrogateOptions()

    @property
    def keyed(self) -> KeyedChoices:
        """The institution's keyed choices."""
        return self.staff.keyed

    @property
    def patient_id(self) -> str:
        """Empty where the note names no patient."""
        return self.patient.patient_id


@dataclass(frozen=True, slots=True)
class NameCue:
    """What the text around a name says of it."""

    title: str = ""
    """``dr`` behind a clinician's title, ``mr`` behind another that a surname follows."""
    sex: str = ""
    """``F`` or ``M`` by titles, relations and pronouns; asked for only where neither record nor name tells."""
