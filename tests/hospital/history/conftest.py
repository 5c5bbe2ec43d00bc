"""A small hospital of the dev world, its first notes and ten days of its history."""

import pytest

from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.history import HistoryDay, HistoryRates, simulate_history
from deid_tasks.hospital.records import GoldNote, Hospital, HospitalSpec, World


@pytest.fixture(scope="package")
def hospital() -> Hospital:
    return build_hospital(HospitalSpec("riverside", World.DEV, seed=3, patients=60, providers=20, notes=120, days=2))


@pytest.fixture(scope="package")
def notes(hospital) -> list[GoldNote]:
    return list(write_notes(hospital))


@pytest.fixture(scope="package")
def history(hospital, notes) -> list[HistoryDay]:
    return list(simulate_history(hospital, notes, HistoryRates(), 10, seed=1))
