import datetime
from collections import Counter
from dataclasses import replace

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import check_spans
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.history import EVENTS, HistoryRates, simulate_history
from deid_tasks.hospital.history import events as happened
from deid_tasks.hospital.records import HospitalSpec, World


def texts(history) -> list[str]:
    return [event.note.text for day in history for event in day.events if hasattr(event, "note")]


def flat(history) -> list[happened.Event]:
    return [event for day in history for event in day.events]


def test_same_arguments_give_the_same_history(hospital, notes, history):
    again = list(simulate_history(hospital, iter(notes), HistoryRates(), 10, seed=1))
    assert again == history
    assert texts(again) == texts(history)
    assert list(simulate_history(hospital, notes, HistoryRates(), 10, seed=2)) != history


@pytest.mark.parametrize("seed", range(5))
def test_every_kind_happens_within_ten_days(hospital, notes, seed):
    counts = Counter(type(event) for event in flat(simulate_history(hospital, notes, HistoryRates(), 10, seed)))
    assert not [kind.__name__ for kind in EVENTS if not counts[kind]]


def test_days_follow_the_hospitals_last(hospital, history):
    first = hospital.spec.start + datetime.timedelta(days=hospital.spec.days)
    assert [day.day for day in history] == [first + datetime.timedelta(days=n) for n in range(10)]
    assert all(at.date() == day.day for day in history for at in day.times)


def test_silent_day_is_delivered_twice_the_next(history):
    silent = [position for position, day in enumerate(history) if not day.events]
    assert silent
    assert silent[-1] < len(history) - 1
    for position in silent:
        delivered = list(history[position + 1].timed())
        half = len(delivered) // 2
        assert half > 0
        assert delivered[:half] == delivered[half:]


def test_rates_of_zero_give_days_without_events(hospital, notes):
    names = [name for name in HistoryRates.__slots__ if name != "timezone"]
    nothing = replace(HistoryRates(), **dict.fromkeys(names, 0.0))
    assert [day.events for day in simulate_history(hospital, notes, nothing, 3, seed=1)] == [(), (), ()]
    with pytest.raises(ValueError, match="written"):
        HistoryRates(written=-1.0)


def test_new_and_amended_notes_have_exact_gold_spans(history):
    names = []
    for event in flat(history):
        if isinstance(event, happened.NoteWritten | happened.NoteAmended):
            check_spans(event.note.spans, len(event.note.text))
        if isinstance(event, happened.NoteAmended):
            names += [event.note.text[s.start : s.end] for s in event.note.spans if s.entity is Entity.PATIENT]
    assert names
    assert all(name.strip() == name for name in names)


def test_addendum_stands_below_the_text_and_names_the_patient(hospital, notes):
    amended = [e.note for e in flat(simulate_history(hospital, notes, HistoryRates(), 10, 1)) if is_amendment(e)]
    before = {note.note_id: note for note in notes}
    added = [
        note
        for note in amended
        if note.note_id in before and note.text.startswith(before[note.note_id].text) and note.text
    ]
    assert added
    for note in added:
        fresh = [span for span in note.spans if span.start >= len(before[note.note_id].text)]
        assert Entity.PATIENT in {span.entity for span in fresh}


def is_amendment(event: happened.Event) -> bool:
    return isinstance(event, happened.NoteAmended)


def test_newcomers_take_no_number_that_is_in_use(hospital, history):
    registered = [e.patient for e in dict.fromkeys(flat(history)) if isinstance(e, happened.PatientRegistered)]
    everyone = [*hospital.patients, *registered]
    for attribute in ("patient_id", "mrn", "ssn", "account"):
        assert len({getattr(patient, attribute) for patient in everyone}) == len(everyone), attribute
    hired = [e.provider for e in dict.fromkeys(flat(history)) if isinstance(e, happened.ProviderHired)]
    staff = [*hospital.providers, *hired]
    assert len({provider.user_id for provider in staff}) == len({p.provider_id for p in staff}) == len(staff)


def test_note_before_its_patient_is_followed_by_the_registration(history):
    early = {e.note.patient_id: day.day for day in history for e in day.events if is_early(e)}
    registered = {
        e.patient.patient_id: day.day
        for day in history
        for e in day.events
        if isinstance(e, happened.PatientRegistered) and e.patient.patient_id in early
    }
    assert registered
    assert all(registered[one] >= early[one] + datetime.timedelta(days=1) for one in registered)


def is_early(event: happened.Event) -> bool:
    return isinstance(event, happened.NoteBeforePatient)


def test_chains_of_merges_happen(history):
    merges = [e for e in flat(history) if isinstance(e, happened.PatientsMerged)]
    assert {merge.surviving_id for merge in merges} & {merge.former_id for merge in merges}


def test_real_clock_change_has_its_notes_in_its_night(hospital, notes):
    spec = replace(hospital.spec, start=datetime.date(2024, 3, 4))
    days = simulate_history(replace(hospital, spec=spec), notes, replace(HistoryRates(), silent=0.0), 10, seed=1)
    changed = {
        day.day: [
            e.note.note_datetime.strftime("%H:%M") for e in day.events if isinstance(e, happened.NoteInClockChange)
        ]
        for day in days
    }
    assert {day: times for day, times in changed.items() if times} == {
        datetime.date(2024, 3, 10): ["01:30", "01:30", "02:30"]
    }


def test_test_world_has_a_history_too():
    hospital = build_hospital(HospitalSpec("elm", World.TEST, patients=20, providers=20, notes=20, days=1))
    assert flat(simulate_history(hospital, write_notes(hospital), HistoryRates(), 2, seed=1))
