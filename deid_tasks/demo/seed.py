"""Loads the two simulated hospitals of the demo into PostgreSQL, each in its own layout."""

import datetime
import hashlib
from dataclasses import dataclass

from deid_tasks.demo.state import DemoError
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.settings import InstitutionSettings

START = datetime.date(2024, 1, 1)
DAYS = 4
_MRN_FORMATS = {"lakeshore": "##-##-##", "riverside": "RH#######"}
DEMO_INSTITUTIONS = tuple(_MRN_FORMATS)
"""The institutions that the demo simulates; it leaves all others alone."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is simulated for each hospital."""

    notes: int
    patients: int
    providers: int

    @classmethod
    def of(cls, notes: int = 3_000) -> "Size":
        """Return the size of a hospital of ``notes`` notes, with patients and providers in proportion."""
        return cls(notes, max(60, notes // 4), max(30, notes // 50))


def spec_of(settings: InstitutionSettings, size: Size) -> HospitalSpec:
    """Return the simulated hospital of a demo institution, from the test world, which no detector was trained on.

    Raises:
        DemoError: the institution is not one of the demo's.
    """
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


def seed(uri: str, settings: InstitutionSettings, size: Size) -> int:
    """Write the hospital into its warehouse, in place of an earlier one; return the number of notes."""
    import psycopg2

    from deid_tasks.hospital import build_hospital, write_notes
    from deid_tasks.hospital.history import HistoryWriter

    hospital = build_hospital(spec_of(settings, size))
    connection = psycopg2.connect(uri)
    try:
        schema = settings.schema_name("ehr")
        writer = HistoryWriter(connection, schema, settings.warehouse.layout, hospital)
        return writer.load(write_notes(hospital))
    finally:
        connection.close()
