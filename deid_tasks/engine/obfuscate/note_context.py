"""What the surrogates of one note depend on: key, settings, whose people are named, and the note's time."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.people.name_scope import NameScope


@dataclass(frozen=True, slots=True)
class SurrogateOptions:
    """The institution's settings that generators read."""

    keeps_states: bool = False
    """Whether the policy leaves states as they are; surrogate cities then stay in their state."""
    keeps_times: bool = True
    """Whether the policy leaves times of day as they are; a time beside a date then stays too."""
    kept_zip_digits: int = 0
    """The first digits of a ZIP that stay: 0 or 3."""
    holidays: Literal["nearest", "date", "kept"] = "nearest"
    """Whether a holiday becomes the one nearest to its moved day, that day itself, or stays."""
    same_length: bool = False
    """Whether a surrogate has its original's length."""
    reserved_ranges: bool = False
    """Whether numbers and addresses come from ranges that are reserved for examples."""
    max_age_years: int | None = None
    """No date keeps a year that may be the birth year of someone older; ``None``: years move as all dates do."""
    as_of_year: int = 0
    """The year in which the age of people is judged; a note's own year if it is later."""


@dataclass(frozen=True, slots=True)
class NoteContext:
    """The circumstances of one note; holds none of its text."""

    patient: NameScope
    """The patient's people; without a record and with an empty identifier where the note names no patient."""
    staff: NameScope
    """The institution's own people and places, the same in all notes."""
    shift_days: int = 0
    """Days by which the patient's dates move."""
    written_at: datetime.datetime | None = field(default=None, repr=False)
    options: SurrogateOptions = SurrogateOptions()
    country: str = "US"
    """Where the note was written: two letters of ISO 3166-1."""
    shows_country: bool = False
    """Whether the note tells that country, or the institution's setting does, which is ``US`` where nothing is set."""
    is_day_first: bool = False
    """Whether the note writes 3/4 for the third of April."""
    pads_dates: bool = False
    """Whether the note writes dates with zeros in front: 03/04."""
    has_short_months: bool = False
    """Whether the note writes months in short, so that "May" is short too."""
    is_of_patient: bool = True
    """Whether the note names its patient. All people of another one belong together, and to no other note."""

    @property
    def clinicians(self) -> NameScope:
        """The scope of clinicians' names."""
        return self.staff if self.is_of_patient else self.patient

    @property
    def as_of_year(self) -> int:
        """The year in which the age of people is judged."""
        return max(self.options.as_of_year, self.written_at.year if self.written_at else 0)

    @property
    def keyed(self) -> KeyedChoices:
        """The institution's keyed choices."""
        return self.staff.keyed

    @property
    def patient_id(self) -> str:
        """Whose note it is; empty where the note names no patient."""
        return self.patient.patient_id


@dataclass(frozen=True, slots=True)
class NameCue:
    """What the text around a name says about it."""

    title: str = ""
    """``dr`` after a clinician's title, ``mr`` after another title that a surname follows, else empty."""
    sex: str = ""
    """``F`` or ``M`` by titles, relations and pronouns; read only where neither record nor name tells."""


class NoteNames(NamedTuple):
    """What the full names in a note say about its other names."""

    surnames: Mapping[str, bool]
    """Whether a folded word is a surname; words that no full name has are missing."""
    account: Callable[[str], str | None]
    """Returns the letters of an account, made of a person's surrogate; ``None`` where they are no person's."""
    initials: Callable[[Sequence[str]], tuple[str, ...] | None]
    """Returns the initials of the surrogate of the one person whom initials fit; empty for a letter of no name."""
    domain: Callable[[str], str | None]
    """Returns a part of a domain, made of the surrogate of the organization whose name it is; ``None`` for others."""
    called: Callable[[str], str | None] = lambda _: None
    """Returns what the surrogate of the person is called whose short name a folded word is; ``None`` for others."""
    number: Callable[[str], str | None] = lambda _: None
    """Returns the surrogate of a number that stands in the note; ``None`` for others."""
    is_said: Callable[[str], bool] = lambda _: False
    """Whether the note says a folded word outside its identifiers."""
    mailbox: Callable[[Sequence[str]], Sequence[str] | None] = lambda _: None
    """Returns the parts of a mailbox, made of a person's surrogate; ``None`` where together they are no person's."""
    letters: Callable[[str], str | None] = lambda _: None
    """Returns what letters in a number become that stand for an organization or a person; ``None`` for others."""
    clipped: Callable[[str], str | None] = lambda _: None
    """Returns what the surrogate of a surname is in short that a folded word is in short; ``None`` for others."""


NO_NAMES = NoteNames({}, lambda _: None, lambda _: None, lambda _: None)
"""No full name stands in the note, or no note around the value."""
NO_CUE: Callable[[str], NameCue] = lambda _: NameCue()  # noqa: E731 - a constant, not a function of this module
"""The cue of a name without text around it."""
