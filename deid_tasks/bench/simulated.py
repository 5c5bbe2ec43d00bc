"""Simulated notes to measure on."""

from collections.abc import Iterator

from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World


def simulated_notes(count: int) -> Iterator[GoldNote]:
    """Yield ``count`` notes of one hospital of the ``dev`` world; every call yields the same ones."""
    spec = HospitalSpec("bench", World.DEV, seed=7, patients=max(20, count // 3), providers=60, notes=count)
    yield from write_notes(build_hospital(spec))
