"""Surrogates against reality, on a table smaller than the benchmark's."""

import pytest

from benchmarks.obfuscation.collisions import count_collisions, namesakes
from deid_tasks.hospital import build_hospital
from deid_tasks.hospital.records import HospitalSpec, World

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def patients():
    spec = HospitalSpec("collisions", World.DEV, seed=4, patients=1_500, providers=20, notes=1)
    return build_hospital(spec).patients


@pytest.fixture(scope="module")
def found(patients):
    return count_collisions(patients, KEY)


def test_no_surrogate_is_a_real_patient_by_name_and_birth_date(found):
    assert found.patients == 1_500
    assert (found.own, found.with_birth_date) == (0, 0)
    assert found.rate < 0.005


def test_surrogates_give_way_to_namesakes_of_the_same_birth_date(patients):
    few = patients[:300]
    more = namesakes(few, KEY)
    assert count_collisions(few, KEY, more, is_guarded=False).with_birth_date == len(few)
    given_way = count_collisions(few, KEY, more)
    assert (given_way.with_birth_date, given_way.own, given_way.merged) == (0, 0, 0)


def test_different_names_of_one_record_stay_different(found):
    assert found.pairs > 2_000
    assert found.merged == 0


def test_a_letter_that_begins_one_name_only_is_no_dead_end():
    """Names that fit no sex draw from few; where all are taken, another letter serves."""
    import datetime

    from deid_tasks.core.entities import Entity
    from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
    from deid_tasks.engine.obfuscate import Obfuscator
    from deid_tasks.settings import ObfuscateSettings, PolicySettings

    names = ("Jackelyn", "Hong", "Sung-Ho", "Anh", "Ma")
    terms = tuple(PatientTerm(TermKind.RELATIVE_FIRST if i else TermKind.FIRST, n) for i, n in enumerate(names))
    for number in range(300):
        hide = Obfuscator(number.to_bytes(32), "riverside", PolicySettings(), ObfuscateSettings(key="key"))
        record = PatientRecord(str(number), "F", datetime.date(1980, 1, 1), "api", terms)
        made = [
            hide.value(name, Entity.RELATIVE if i else Entity.PATIENT, record, part="given")
            for i, name in enumerate(names)
        ]
        assert len({name.casefold() for name in made}) == len(names)
