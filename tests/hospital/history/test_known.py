import datetime
import random
from dataclasses import replace

import pytest

from deid_tasks.hospital.history.known import KnownRecords


@pytest.fixture
def known(hospital, notes) -> KnownRecords:
    return KnownRecords(hospital.patients, notes, random.Random(1))


def drawn(known: KnownRecords, times: int = 20_000) -> set[str]:
    return {note.note_id for _ in range(times) if (note := known.draw_note())}


def test_sample_of_notes_is_bounded_and_even(hospital, notes):
    many = (replace(notes[0], note_id=str(number)) for number in range(20_000))
    found = drawn(KnownRecords(hospital.patients, many, random.Random(1)))
    assert len(found) <= 1_000
    halves = [int(one) < 10_000 for one in found]
    assert 0.4 < sum(halves) / len(halves) < 0.6


def test_dropped_note_is_not_drawn(known, notes):
    known.drop(notes[0].note_id)
    assert drawn(known) == {note.note_id for note in notes[1:]}


def test_patient_who_leaves_takes_everything_along(known, notes):
    former, survivor = list(dict.fromkeys(note.patient_id for note in notes))[:2]
    known.merge(former, survivor)
    known.exclude(1, former)
    known.leave(survivor)
    assert known.end_exclusion() is None
    assert not known.draw_former()
    assert drawn(known) == {note.note_id for note in notes if note.patient_id not in {former, survivor}}
    with pytest.raises(KeyError):
        known.patient(former)


def test_patient_waits_for_the_day_of_registration(known, hospital):
    patient = replace(hospital.patients[0], patient_id="77")
    known.register_later(patient, datetime.date(2024, 1, 5))
    assert known.due_to_register(datetime.date(2024, 1, 4)) == []
    with pytest.raises(KeyError):
        known.patient("77")
    assert known.due_to_register(datetime.date(2024, 1, 5)) == [patient]
    assert known.due_to_register(datetime.date(2024, 1, 6)) == []
    assert known.patient("77") == patient


def test_undone_merge_gives_both_patients_back(known, notes):
    former, survivor = list(dict.fromkeys(note.patient_id for note in notes))[:2]
    known.merge(former, survivor)
    assert known.draw_former() == former
    known.unmerge(former)
    assert not known.draw_former()
    known.merge(former, survivor)


def test_without_notes_nothing_is_drawn(hospital):
    known = KnownRecords(hospital.patients, [], random.Random(1))
    assert known.draw_note() is None
    assert not known.draw_patient_with_note()
    assert known.draw_pair_to_merge() is None
