"""Where one note is written: who and what it is about, its chance, and the pieces of text so far."""

import datetime
import random
from dataclasses import dataclass, field
from typing import NamedTuple

from deid_tasks.core.entities import Entity
from deid_tasks.hospital.records import Facility, Patient, Provider, Relative
from deid_tasks.hospital.worlds import Gazetteer


class OfIdentity(NamedTuple):
    """What an identifier is and whose: a person, or a facility."""

    entity: Entity
    identity: str
    """Names the person or the facility in this hospital; stands in no note."""

    def __str__(self) -> str:
        """Return the name of the entity."""
        return str(self.entity)


Piece = tuple[str, Entity | OfIdentity | None]
"""A stretch of a note: its text, and the entity where it is an identifier."""


@dataclass(slots=True)
class Scene:
    """One note while it is written. Pieces are joined last, so that gold offsets follow every change of the text."""

    rng: random.Random
    moment: datetime.datetime
    patient: Patient
    author: Provider
    providers: tuple[Provider, Provider, Provider]
    relatives: tuple[Relative, Relative]
    facility: Facility
    other_facility: Facility
    nursing_home: Facility
    pharmacy: Facility
    gazetteer: Gazetteer
    date_style: str
    """The way this author writes dates where the skeleton leaves it open."""
    carried: tuple[Piece, ...] = ()
    """A stretch of the patient's previous note."""
    pieces: list[Piece] = field(default_factory=list)

    def age(self) -> int:
        """Return the patient's age in whole years on the day of the note."""
        born, day = self.patient.birth_date, self.moment.date()
        return max(0, day.year - born.year - ((day.month, day.day) < (born.month, born.day)))

    def trim(self) -> None:
        """Drop the space before an identifier that turned out empty."""
        if self.pieces and self.pieces[-1][1] is None and self.pieces[-1][0].endswith(" "):
            self.pieces[-1] = (self.pieces[-1][0][:-1], None)
