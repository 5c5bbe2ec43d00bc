"""Spans as one label a word, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.labels import from_bio, split_words, to_bio

TEXT = "to Massachusetts General Hospital on Home/Bangdung 12/3/2014AM"
HOSPITAL = Span(3, 33, Entity.FACILITY)
HOME, BANGDUNG = Span(37, 41, Entity.FACILITY), Span(42, 50, Entity.CITY)
DAY, HOUR = Span(51, 60, Entity.DATE), Span(60, 62, Entity.TIME)
WORDS = [(0, 2), (3, 16), (17, 24), (25, 33), (34, 36), (37, 50), (51, 62)]


def said(pieces):
    return [TEXT[a:b] for a, b in pieces]


def test_labels_of_words():
    assert to_bio(WORDS[:5], [HOSPITAL]) == ["O", "B-FACILITY", "I-FACILITY", "I-FACILITY", "O"]
    assert to_bio([(0, 3), (4, 7)], [Span(0, 3, Entity.CITY), Span(4, 7, Entity.CITY)]) == ["B-CITY", "B-CITY"]


def test_a_word_with_two_labels_is_cut_where_they_meet():
    pieces = split_words(WORDS, [HOSPITAL, HOME, BANGDUNG, DAY, HOUR])
    assert said(pieces)[5:] == ["Home", "/", "Bangdung", "12/3/2014", "AM"]
    assert to_bio(pieces, [HOSPITAL, HOME, BANGDUNG, DAY, HOUR])[5:] == [
        "B-FACILITY",
        "O",
        "B-CITY",
        "B-DATE",
        "B-TIME",
    ]


def test_a_word_that_one_span_touches_stays_whole():
    assert split_words([(0, 5)], [Span(1, 3, Entity.DATE)]) == [(0, 5)]
    assert to_bio([(0, 5)], [Span(1, 3, Entity.DATE)]) == ["B-DATE"]


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        (["B-CITY", "I-CITY"], [(0, 5, "CITY")]),
        (["I-CITY", "I-CITY"], [(0, 5, "CITY")]),
        (["B-CITY", "I-STATE"], [(0, 2, "CITY"), (3, 5, "STATE")]),
        (["B-CITY", "B-CITY"], [(0, 2, "CITY"), (3, 5, "CITY")]),
        (["O", "I-CITY"], [(3, 5, "CITY")]),
    ],
)
def test_spans_of_labels(labels, spans):
    assert [(s.start, s.end, s.entity) for s in from_bio([(0, 2), (3, 5)], labels)] == spans


@pytest.mark.parametrize("labels", [["X-CITY"], ["B-PLANET"], []])
def test_what_is_no_label_is_refused(labels):
    with pytest.raises(ValueError, match=r"label|PLANET|zip"):
        from_bio([(0, 2)], labels)


@given(
    st.lists(st.tuples(st.integers(1, 6), st.booleans(), st.sampled_from(list(Entity)), st.integers(0, 2)), max_size=12)
)
def test_there_and_back(parts):
    """Spans that begin and end with words survive; neighbours of one entity stay two."""
    words, spans, place = [], [], 0
    for size, is_marked, entity, more in parts:
        first = place
        for _ in range(more + 1):
            words.append((place, place + size))
            place += size + 1
        if is_marked:
            spans.append(Span(first, place - 1, entity))
    assert from_bio(words, to_bio(words, spans)) == spans
