"""Spans from BIO labels of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.evidence.annotation.labels import from_bio


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
    assert from_bio([(0, 2), (3, 5)], labels) == spans


@pytest.mark.parametrize("labels", [["X-CITY"], []])
def test_what_is_no_label_is_refused(labels):
    with pytest.raises(ValueError, match=r"label|zip"):
        from_bio([(0, 2)], labels)


@given(
    st.lists(st.tuples(st.integers(1, 6), st.booleans(), st.sampled_from(list(Entity)), st.integers(0, 2)), max_size=12)
)
def test_spans_of_whole_words_survive_labelling(parts):
    """Neighbours of one entity stay two spans."""
    words, labels, spans, end = [], [], [], 0
    for size, is_marked, entity, more in parts:
        start = end
        for number in range(more + 1):
            words.append((end, end + size))
            labels.append(f"{'I' if number else 'B'}-{entity}" if is_marked else "O")
            end += size + 1
        if is_marked:
            spans.append((start, end - 1, entity))
    assert from_bio(words, labels) == spans
