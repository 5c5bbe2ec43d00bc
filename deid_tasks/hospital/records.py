"""The people, places and notes of a simulated hospital, before a layout turns them into warehouse rows."""

import datetime
from dataclasses import dataclass, field
from enum import StrEnum

from deid_tasks.core.span import Span


class World(StrEnum):
    """Three worlds that share no skeleton, no surname, no given name, no city and no facility."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class HospitalSpec:
    """What to simulate; the same spec always gives the same hospital and the same notes."""

    institution: str
    world: World = World.TEST
    seed: int = 0
    patients: int = 2_000
    providers: int = 150
    notes: int = 10_000
    start: datetime.date = datetime.date(2024, 1, 1)
    days: int = 30
    mrn_format: str = "RH#######"
    """``#`` is a digit; everything else stands as it is."""


@dataclass(frozen=True, slots=True)
class Address:
    """A street address whose city, state and ZIP agree."""

    street: str
    city: str
    state: str
    zip: str
    county: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """A name as people have it; ``suffix`` such as Jr. may be empty, and so may ``middle`` and ``nickname``."""

    first: str
    middle: str
    last: str
    sex: str
    nickname: str = ""


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative or contact of a patient."""

    relation: str
    person: Person
    phone: str


@dataclass(frozen=True, slots=True)
class Patient:
    """One patient's demographics."""

    patient_id: str
    person: Person
    birth_date: datetime.date
    ethnicity: str
    """white, black, api, native, multiple or hispanic (US Census groups)."""
    mrn: str
    ssn: str
    health_plan: str
    account: str
    phone: str
    mobile: str
    email: str
    address: Address
    employer: str
    profession: str
    relatives: tuple[Relative, ...] = ()
    previous_last: str = ""


@dataclass(frozen=True, slots=True)
class Provider:
    """One clinician."""

    provider_id: str
    person: Person
    credentials: str
    specialty: str
    user_id: str
    npi: str
    phone: str
    pager: str
    facility_id: str


@dataclass(frozen=True, slots=True)
class Facility:
    """A hospital, clinic, unit or pharmacy."""

    facility_id: str
    name: str
    short_name: str
    kind: str
    address: Address
    phone: str
    fax: str
    rooms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldNote:
    """A note and the identifiers planted in it, exactly."""

    note_id: str
    patient_id: str
    note_type: str
    note_datetime: datetime.datetime
    author_id: str
    facility_id: str
    skeleton: str
    text: str = field(repr=False)
    spans: tuple[Span, ...]
    identities: tuple[str, ...] = field(default=(), repr=False)
    """Whose each span is: equal for all mentions of one person or one facility; empty for what belongs to nobody."""


@dataclass(frozen=True, slots=True)
class Hospital:
    """Everyone and every place of one institution; notes are streamed, never held."""

    spec: HospitalSpec
    patients: tuple[Patient, ...] = field(repr=False)
    providers: tuple[Provider, ...] = field(repr=False)
    facilities: tuple[Facility, ...] = field(repr=False)
