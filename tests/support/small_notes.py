"""A few simulated notes with their gold spans, for tests that want text as notes are written."""

from functools import lru_cache

from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World


@lru_cache(maxsize=2)
def small_notes(count: int) -> tuple[GoldNote, ...]:
    """The first ``count`` notes of one small hospital of the dev world."""
    spec = HospitalSpec("small", World.DEV, seed=3, patients=20, providers=10, notes=count)
    return tuple(write_notes(build_hospital(spec)))
