"""Simulated annotators slip as they are told to."""

import random
from dataclasses import replace

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span, check_spans
from deid_tasks.evidence.annotation import AgreementTally, compare_annotators
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.annotators import ADJUDICATOR, Habits, mark
from deid_tasks.hospital.records import HospitalSpec, World

NEVER = Habits().times(0)


@pytest.fixture(scope="module")
def notes():
    return list(write_notes(build_hospital(HospitalSpec("riverside", World.DEV, seed=5, patients=60, notes=300))))


def marked(note, habits, who):
    return mark(note.text, note.spans, habits, random.Random(f"{who}/{note.note_id}"))


def plain(spans):
    return [(span.start, span.end, span.entity) for span in spans]


def test_two_of_them_agree_as_the_published_nurses_did(notes):
    tally, conflicts = AgreementTally(), set()
    for note in notes:
        first, second = marked(note, Habits(), "a"), marked(note, Habits(), "b")
        tally.add(note.text, first, second, note.patient_id)
        conflicts |= {str(conflict.kind) for conflict in compare_annotators(first, second).conflicts}
    assert 0.955 < tally.table().kappa < 0.985
    assert conflicts == {"presence", "entity", "boundary"}
    assert 0 < tally.notes_alike < len(notes)


def test_the_adjudicator_is_nearly_always_right(notes):
    right = sum(plain(marked(note, ADJUDICATOR, "c")) == plain(note.spans) for note in notes)
    assert 0.93 * len(notes) < right < len(notes)


def test_without_slips_they_mark_the_truth(notes):
    assert all(plain(marked(note, NEVER, "a")) == plain(note.spans) for note in notes)


def test_what_they_mark_is_disjoint_and_inside(notes):
    for note in notes[:100]:
        check_spans(marked(note, Habits().times(10), "a"), len(note.text))


def only(**rates):
    return replace(NEVER, **({"missed": {}} | rates))


TEXT = "Seen by Dr. Ada Okafor, MD, in Lowell, Lawrence."
TRUTH = (Span(12, 22, Entity.PROVIDER), Span(31, 37, Entity.CITY), Span(39, 47, Entity.CITY))


@pytest.mark.parametrize(
    ("habits", "said"),
    [
        (only(), ["Ada Okafor", "Lowell", "Lawrence"]),
        (only(missed={Entity.PROVIDER: 1.0}), ["Lowell", "Lawrence"]),
        (only(missed={Entity.PROVIDER: 0.0}, missed_other=1.0), ["Ada Okafor"]),
        (only(title=1.0), ["Dr. Ada Okafor", "Lowell", "Lawrence"]),
        (only(credentials=1.0), ["Ada Okafor, MD", "Lowell", "Lawrence"]),
        (only(punctuation=1.0), ["Ada Okafor,", "Lowell,", "Lawrence."]),
        (only(split=1.0), ["Ada", "Okafor", "Lowell", "Lawrence"]),
        (only(merged=1.0), ["Ada Okafor", "Lowell, Lawrence"]),
        (only(capitals=1.0), ["Seen", "Ada Okafor", "Lowell", "Lawrence"]),
    ],
)
def test_each_way_to_slip(habits, said):
    found = mark(TEXT, TRUTH, habits, random.Random(1))
    assert [TEXT[span.start : span.end] for span in found] == said


def test_a_word_cut_off_is_the_first_or_the_last():
    found = {plain(mark(TEXT, TRUTH[:1], only(cut=1.0), random.Random(seed)))[0][:2] for seed in range(20)}
    assert {TEXT[start:end] for start, end in found} == {"Ada", "Okafor"}


def test_what_is_confused_is_given_an_entity_that_is_easily_taken_for_it():
    found = mark(TEXT, TRUTH, only(confused=1.0), random.Random(1))
    assert next(span.entity for span in found) is Entity.PATIENT
    assert {span.entity for span in found[1:]} <= {Entity.FACILITY, Entity.LOCATION_OTHER}
