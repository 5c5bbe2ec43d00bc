"""Spans from a redacted text and its original."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.comparison.redacted_text import align_redacted

TAG = re.compile(r"\[([A-Z]+)\]")


def aligned(original, redacted):
    return align_redacted(original, redacted, TAG, lambda match: match[1])


@pytest.mark.parametrize(
    ("original", "redacted", "expected"),
    [
        ("Seen by Dr. Okafor today.", "Seen by Dr. [NAME] today.", [("Okafor", "NAME")]),
        ("Ann Lee, 3/4/2020", "[NAME], [DATE]", [("Ann Lee", "NAME"), ("3/4/2020", "DATE")]),
        ("Ann and Bo and Cy came", "[NAME] and Cy came", [("Ann and Bo", "NAME")]),
        ("Cy and Bo and Ann came", "Cy and [NAME] came", [("Bo and Ann", "NAME")]),
        ("Ann Lee 3/4", "[NAME] [DATE]", [("Ann Lee 3/4", "NAME")]),
        ("Okafor", "[NAME]", [("Okafor", "NAME")]),
        ("nothing here", "nothing here", []),
        ("line one\n\nOkafor  here", "line one\r\n[NAME] here", [("Okafor", "NAME")]),
        ("Frau Müller 👍 kam", "Frau [NAME] 👍 kam", [("Müller", "NAME")]),
        ("dropped words here", "dropped here", [("words", None)]),
    ],
)
def test_a_tag_stands_for_what_is_gone(original, redacted, expected):
    assert [(original[one.start : one.end], one.label) for one in aligned(original, redacted).removals] == expected


@pytest.mark.parametrize(
    ("original", "redacted", "distance"),
    [
        ("Dr. Okafor came", "Dr. [NAME] came", 0),
        ("Ann Lee 3/4 x", "[NAME] [DATE] x", 0),
        ("Dr. Okafor came", "Dr. [NAME]   came", 0),
        ("Dr. Okafor came", "Dr. [NAME] came late", 5),
        ("Dr. Okafor came late", "Dr. [NAME] came", 5),
        ("aspirin 81 mg", "aspirin 18 mg", 2),
    ],
)
def test_the_distance_counts_what_was_invented_or_dropped(original, redacted, distance):
    assert aligned(original, redacted).edit_distance == distance


def test_a_tag_that_stands_for_nothing_is_lost():
    assert aligned("all is well", "all is [NAME] well").lost_tags == 1


WORDS = st.lists(st.sampled_from(["the", "patient", "and", "Okafor", "Lee", "3/4", ".", "is"]), min_size=1, max_size=30)


@given(WORDS, st.data())
def test_what_is_left_stands_outside_the_removals(words, data):
    hidden = data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    original = " ".join(words)
    redacted = " ".join("[NAME]" if is_hidden else word for word, is_hidden in zip(words, hidden, strict=True))
    found = aligned(original, redacted)
    left, position = [], 0
    for one in found.removals:
        left.append(original[position : one.start])
        position = one.end
    left.append(original[position:])
    rest = TAG.sub(" ", redacted)
    assert "".join("".join(left).split()) == "".join(rest.split())
