"""Words of a listed term that stand apart, or in another order than the list has them."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.recover.recover import recover_all
from deid_tasks.engine.recover.terms_apart import is_term_apart
from deid_tasks.engine.text import Document


def is_apart(marked: str) -> bool:
    start, end = marked.index("["), marked.index("]") - 1
    return is_term_apart(marked.replace("[", "").replace("]", ""), start, end)


@pytest.mark.parametrize(
    "marked",
    ["PEG by IR today, 20 Fr [Ponsky].", "(IABP [Maquet] out to biomed)", "Toledo, filing w/ QIO (KEPRO/[Acentra])"],
)
def test_another_word_of_the_term_stands_near(marked):
    assert is_apart(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "[Ponsky] called about the visit.",
        "PEG by IR today.\n[Ponsky] called.",
        "PEG by IR today" + " and so on" * 8 + " [Ponsky]",
        "a nurse, [Kowalczyk], placed the PEG",
    ],
)
def test_nothing_of_the_term_stands_near(marked):
    assert not is_apart(marked)


def recovered(text: str, value: str, score: float) -> bool:
    start = text.index(value)
    span = Span(start, start + len(value), Entity.PROVIDER, "transformer", score)
    by_detector = {"transformer": [span]}
    return bool(recover_all([Document("n", text)], [[span]], None, [by_detector], min_confidence=0.1)[0].recovered)


def test_a_title_makes_it_a_person():
    assert recovered("PEG by IR today, 20 Fr Ponsky.", "Ponsky", 0.7)
    assert not recovered("PEG placed by Dr. Ponsky.", "Ponsky", 0.99)
