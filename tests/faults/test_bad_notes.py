"""Whatever a note holds, it is published or quarantined, and costs no more than its length says.

A slice of the campaign `python -m benchmarks.faults.fuzz`, with the same seeds in every run.
"""

from statistics import median

import pytest

from benchmarks.faults.bad_notes import CANARY, CHANGES, BadNote, bad_note, longest_note
from benchmarks.faults.note_checks import check_interface, check_note
from deid_tasks import Engine
from deid_tasks.core.notes import Outcome, Reason
from deid_tasks.settings import EngineSettings
from tests.support.work import executed_lines

KEY = bytes(range(32))
NOTES = 40
FIRST = 500_000
TIMES = 10
"""The work of a character that is refused, in times of the median."""
ROOM = 400
"""Characters whose work every note is allowed beyond its own."""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.public(key=KEY)


@pytest.fixture(scope="module")
def rules() -> Engine:
    """The public engine without models, whose work is Python's."""
    settings = EngineSettings.public()
    detect = settings.detect.model_copy(update={"detectors": ("patterns",)})
    return Engine.from_settings(settings.model_copy(update={"detect": detect}), KEY)


def test_every_kind_of_bad_note_is_in_some_note():
    assert len(CHANGES) >= 30
    assert {kind for seed in range(400) for kind in bad_note(seed).kinds} == set(CHANGES)
    assert bad_note(7) == bad_note(7)
    assert CANARY in bad_note(7).text


@pytest.mark.parametrize("seed", range(FIRST, FIRST + NOTES))
def test_a_bad_note_is_published_or_quarantined(seed, engine):
    found = check_note(engine, bad_note(seed))
    assert not found.faults
    assert found.outcome in {Outcome.PUBLISHED, Outcome.UNCHANGED, Outcome.QUARANTINED}


def test_a_list_of_bad_notes_has_one_result_each(engine):
    assert not check_interface(engine, [bad_note(seed).text for seed in range(FIRST, FIRST + 12)])


def test_a_note_of_half_a_character_is_quarantined_and_no_other(engine):
    texts = ["Seen by Dr. Okafor.", "Seen \ud83d by Dr. Okafor.", "Seen by Dr. Okafor."]
    before, bad, after = engine.deidentify(texts)
    assert (bad.outcome, bad.reason) == (Outcome.QUARANTINED, Reason.NOT_TEXT)
    assert before.text == after.text is not None


def test_the_work_on_a_bad_note_grows_with_its_length(rules):
    work = {}
    for seed in range(FIRST, FIRST + NOTES):
        note = bad_note(seed)
        short = BadNote(seed, note.kinds, note.text[:6_000])
        check_note(rules, short)  # loads the tables that it needs
        work[seed, note.kinds] = executed_lines(lambda short=short: check_note(rules, short)) / (len(short.text) + ROOM)
    middle = median(work.values())
    assert not {one: cost / middle for one, cost in work.items() if cost > TIMES * middle}


def test_a_note_longer_than_the_settings_allow_is_quarantined_unread(rules):
    note = longest_note(3)
    assert check_note(rules, BadNote(3, (), note.text + "x" * 9)).reason == Reason.TOO_LONG
