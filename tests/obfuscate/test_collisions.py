"""Surrogates against reality, on a table smaller than the benchmark's."""

import sys
from pathlib import Path

import pytest

from deid_tasks.hospital import build_hospital
from deid_tasks.hospital.records import HospitalSpec, World

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from collisions import count_collisions


@pytest.fixture(scope="module")
def found():
    hospital = build_hospital(HospitalSpec("collisions", World.DEV, seed=4, patients=1_500, providers=20, notes=1))
    return count_collisions(hospital.patients, bytes(range(32)))


def test_no_surrogate_is_a_real_patient_by_name_and_birth_date(found):
    assert found.patients == 1_500
    assert (found.own, found.with_birth_date) == (0, 0)
    assert found.rate < 0.05


def test_different_names_of_one_record_stay_different(found):
    assert found.pairs > 2_000
    assert found.merged / found.pairs < 0.005
