"""Notes written by hand for training: their marks, and other people in them."""

import re
from itertools import count
from pathlib import Path

import pytest

from deid_tasks.core.errors import InputError
from deid_tasks.learning.train.handwritten_notes import read_written, rewritten
from deid_tasks.learning.train.sample import sentences_of

TEXT = """Pt [[PATIENT:Ana Lindqvist]] ([[AGE:42]]), Foley out.
Lives in [[CITY:Ansonia]] w/ [[RELATIVE:Bo]]. LINDQVIST told.
----
TELE: [[PROVIDER:lindqvist]] rn aware, [[CITY:ANSONIA]]

----
No marks: "T2N1M0".
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ward.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def test_notes_and_their_marks(folder):
    first, second, third = read_written(folder)
    assert first.text.startswith("Pt Ana Lindqvist (42), Foley out.\nLives in Ansonia")
    assert [(first.text[m.start : m.end], m.target) for m in first.marks] == [
        ("Ana Lindqvist", "PATIENT"),
        ("42", "AGE"),
        ("Ansonia", "CITY"),
        ("Bo", "RELATIVE"),
    ]
    assert second.text == "TELE: lindqvist rn aware, ANSONIA"
    assert (third.text, third.marks) == ('No marks: "T2N1M0".', ())
    assert [note.group for note in (first, second, third)] == ["ward/0", "ward/1", "ward/2"]


def test_other_people_in_other_cities(folder):
    first, second, _ = read_written(folder)
    numbers, towns = count(), count()
    made = rewritten(first, lambda: f"Nova{'abc'[next(numbers)]}", lambda: f"Town{'xy'[next(towns)]}")
    assert [made.text[m.start : m.end] for m in made.marks] == ["Novaa Novab", "42", "Townx", "Bo"]
    made = rewritten(second, lambda: "Novaa", lambda: "Townx")
    assert made.text == "TELE: novaa rn aware, TOWNX"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Seen by [[PERSON:Ana]].", "ward/0: PERSON is not an entity"),
        ("ok\n----\nSeen by [[PROVIDER:Ana].", "ward/1: a mark is not closed"),
        ("Seen by [[PROVIDER:A\nna]].", "ward/0: a mark is not closed"),
    ],
)
def test_a_broken_mark_is_refused_by_its_place(tmp_path, text, reason):
    (tmp_path / "ward.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(reason)):
        list(read_written(tmp_path))


def test_the_notes_that_ship_are_sound():
    notes = list(read_written())
    assert len(notes) > 100
    sentences = [sentence for note in notes for sentence in sentences_of(note)]
    bare = sum(not sentence.marks for sentence in sentences)
    assert 0.2 < bare / len(sentences) < 0.8
    for note in notes:
        assert all(note.text[m.start : m.end].strip() == note.text[m.start : m.end] for m in note.marks)
