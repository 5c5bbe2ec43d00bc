"""What happens to a hospital's records, as an interface delivers it. Every event says the new state, never a step."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

from deid_tasks.hospital.records import Address, Facility, GoldNote, Patient, Person, Provider


@dataclass(frozen=True, slots=True)
class PatientRegistered:
    """A patient gets a record."""

    patient: Patient


@dataclass(frozen=True, slots=True)
class PatientRenamed:
    """A patient changes name, as by marriage; the former last name stays known."""

    patient_id: str
    person: Person
    former: Person


@dataclass(frozen=True, slots=True)
class PatientMoved:
    """A patient moves and has a new home telephone."""

    patient_id: str
    address: Address
    phone: str


@dataclass(frozen=True, slots=True)
class PatientsMerged:
    """Two records turn out to be one person's. Notes of the former id keep it; only the merge is recorded."""

    former_id: str
    surviving_id: str


@dataclass(frozen=True, slots=True)
class MergeUndone:
    """Two records that were merged turn out to be two persons'."""

    former_id: str


@dataclass(frozen=True, slots=True)
class PatientLeft:
    """A patient's records leave the EHR: the patient, all former ids of the same person, and every note."""

    patient_id: str


@dataclass(frozen=True, slots=True)
class ProviderHired:
    """A clinician starts to work."""

    provider: Provider


@dataclass(frozen=True, slots=True)
class FacilityOpened:
    """A clinic opens."""

    facility: Facility


@dataclass(frozen=True, slots=True)
class NoteWritten:
    """A note is written on its day."""

    note: GoldNote


@dataclass(frozen=True, slots=True)
class NoteArrivedLate(NoteWritten):
    """A note reaches the EHR days after its day."""


@dataclass(frozen=True, slots=True)
class NoteBeforePatient(NoteWritten):
    """A note is written whose patient is registered days later."""


@dataclass(frozen=True, slots=True)
class NoteInClockChange(NoteWritten):
    """A note is written at a local time that the night of a clock change has twice or never."""


@dataclass(frozen=True, slots=True)
class NoteWithoutText(NoteWritten):
    """A note arrives without its text; the text of ``note`` is empty."""


@dataclass(frozen=True, slots=True)
class NoteDamaged(NoteWritten):
    """A note arrives with bytes that are not UTF-8, written as surrogate escapes in ``note``. Databases whose encoding
    checks text refuse it, and nothing is written there.
    """


@dataclass(frozen=True, slots=True)
class NoteAmended:
    """The text of a note is replaced by a new version; only text and spans of ``note`` count."""

    note: GoldNote


@dataclass(frozen=True, slots=True)
class NoteResaved:
    """A note is saved again and nothing changes but its modification time, as when it is cosigned."""

    note_id: str


@dataclass(frozen=True, slots=True)
class NoteRedated:
    """A note is moved to another time, mostly of another day."""

    note_id: str
    note_datetime: datetime.datetime


@dataclass(frozen=True, slots=True)
class NoteDeleted:
    """A note is deleted."""

    note_id: str


@dataclass(frozen=True, slots=True)
class PatientExcluded:
    """A patient may no longer be published, as when consent is withdrawn."""

    exclusion_id: int
    patient_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class NoteExcluded:
    """One note may no longer be published."""

    exclusion_id: int
    note_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExclusionEnded:
    """A patient or note may be published again."""

    exclusion_id: int


Event = (
    PatientRegistered
    | PatientRenamed
    | PatientMoved
    | PatientsMerged
    | MergeUndone
    | PatientLeft
    | ProviderHired
    | FacilityOpened
    | NoteWritten
    | NoteAmended
    | NoteResaved
    | NoteRedated
    | NoteDeleted
    | PatientExcluded
    | NoteExcluded
    | ExclusionEnded
)
EVENTS: tuple[type[Event], ...] = (
    *(PatientRegistered, PatientRenamed, PatientMoved, PatientsMerged, MergeUndone, PatientLeft),
    *(ProviderHired, FacilityOpened),
    *(NoteWritten, NoteArrivedLate, NoteBeforePatient, NoteInClockChange, NoteWithoutText, NoteDamaged),
    *(NoteAmended, NoteResaved, NoteRedated, NoteDeleted),
    *(PatientExcluded, NoteExcluded, ExclusionEnded),
)
"""Every kind of event."""


@dataclass(frozen=True, slots=True)
class HistoryDay:
    """What the interfaces deliver on one day, in order; nothing on a silent day."""

    day: datetime.date
    events: tuple[Event, ...]
    times: tuple[datetime.datetime, ...]
    """When each event is written. An event that is delivered again has its first time again."""

    def timed(self) -> Iterator[tuple[Event, datetime.datetime]]:
        """Yield each event and when it is written."""
        return zip(self.events, self.times, strict=True)
