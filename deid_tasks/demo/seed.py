"""Loads the two simulated hospitals of the demo into PostgreSQL, each in its own layout, with a gold sample of its notes."""

import datetime
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from deid_tasks.demo.state import DemoError
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World
from deid_tasks.settings import InstitutionSettings

START = datetime.date(2024, 1, 1)
DAYS = 4
_MRN_FORMATS = {"riverside": "RH#######", "lakeshore": "##-##-##"}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is simulated for each hospital."""

    notes: int
    patients: int
    providers: int
    gold_notes: int

    @classmethod
    def of(cls, notes: int = 3_000) -> "Size":
        """A hospital of ``notes`` notes whose people, and whose share of labelled notes, go with its size."""
        return cls(notes, max(60, notes // 4), max(30, notes // 50), min(400, notes // 2))


def spec_of(settings: InstitutionSettings, size: Size) -> HospitalSpec:
    """The hospital that stands behind an institution of the demo, from the test world: no detector was trained on it."""
    name = settings.institution
    if name not in _MRN_FORMATS:
        raise DemoError(f"there is no simulated hospital called {name!r}; the demo has {', '.join(_MRN_FORMATS)}")
    return HospitalSpec(
        institution=name,
        world=World.TEST,
        seed=int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]),
        patients=size.patients,
        providers=size.providers,
        notes=size.notes,
        start=START,
        days=DAYS,
        mrn_format=_MRN_FORMATS[name],
    )


def seed(uri: str, settings: InstitutionSettings, size: Size) -> tuple[int, int]:
    """Write the hospital and its gold sample, in place of earlier ones; return how many notes and gold notes."""
    import psycopg2

    from deid_tasks.hospital import build_hospital, write_notes
    from deid_tasks.hospital.layouts import load, load_gold

    spec = spec_of(settings, size)
    hospital = build_hospital(spec)
    gold: list[GoldNote] = []
    connection = psycopg2.connect(uri)
    try:
        notes = _with_sample(write_notes(hospital), size.gold_notes / size.notes, gold)
        written = load(connection, hospital, notes, settings.schema_name("ehr"), settings.warehouse.layout)
        load_gold(connection, gold, settings.schema_name("gold"))
    finally:
        connection.close()
    return written, len(gold)


def _with_sample(notes: Iterator[GoldNote], share: float, sample: list[GoldNote]) -> Iterator[GoldNote]:
    """The notes as they come; those that a hash of their id draws are kept in ``sample`` too."""
    for note in notes:
        if int.from_bytes(hashlib.sha256(note.note_id.encode()).digest()[:4]) < share * 2**32:
            sample.append(note)
        yield note
