"""Word-level scores against counts made by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.entities import Entity, Group
from deid_tasks.evaluate import Counts, Scorer
from deid_tasks.evaluate.scores import bootstrap, exact_lower_bound
from deid_tasks.evaluate.words import label_words
from deid_tasks.span import Span

TEXT = "Seen by Dr. Maria Okafor-Lee on 3/14/2021, Graves disease."


def span(text: str, part: str, entity: Entity) -> Span:
    start = text.index(part)
    return Span(start, start + len(part), entity)


NAME = span(TEXT, "Maria Okafor-Lee", Entity.PROVIDER)
DATE = span(TEXT, "3/14/2021", Entity.DATE)
GRAVES = span(TEXT, "Graves", Entity.PATIENT)
PART = span(TEXT, "Maria", Entity.PATIENT)


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        ([NAME, DATE], [NAME, DATE], (6, 0, 0)),
        ([NAME, DATE], [], (0, 0, 6)),
        ([], [GRAVES], (0, 1, 0)),
        ([NAME, DATE], [PART, DATE, GRAVES], (4, 1, 2)),
        ([NAME], [span(TEXT, "aria", Entity.PROVIDER)], (1, 0, 2)),
    ],
)
def test_counts(gold, predicted, counts):
    assert Scorer().add(TEXT, gold, predicted, "p") == Counts(*counts)


def test_entities_outside_the_group_count_on_neither_side():
    assert Scorer(Group.A).add(TEXT, [NAME, DATE], [DATE], "p") == Counts(3, 0, 0)
    assert Scorer(Group.A).add(TEXT, [DATE], [NAME, DATE], "p") == Counts(3, 0, 0)


def test_rows_hold_the_headline_each_type_and_each_category():
    scorer = Scorer()
    scorer.add(TEXT, [NAME, DATE], [NAME], "p")
    evaluation = scorer.finish()
    assert evaluation.recall == 0.5
    assert evaluation.scores["recall", "PROVIDER"].value == 1.0
    assert evaluation.scores["recall", "category:NAME"].value == 1.0
    assert evaluation.scores["recall", "DATE"].value == evaluation.scores["recall", "category:DATE"].value == 0.0
    assert (evaluation.notes, evaluation.full_notes) == (1, 0)


def test_the_exact_bound_is_clopper_pearson():
    # 5 % one-sided, from the closed form for no failures: alpha ** (1 / n).
    assert exact_lower_bound(100, 100, 0.95) == pytest.approx(0.05 ** (1 / 100))
    assert exact_lower_bound(0, 10, 0.95) == 0.0


def test_the_bootstrap_resamples_patients():
    agreeing = [Counts(90, 0, 10)] * 50
    spread = [Counts(100, 0, 0)] * 45 + [Counts(0, 0, 100)] * 5
    narrow = bootstrap(agreeing, "recall", 0.95, 500)
    wide = bootstrap(spread, "recall", 0.95, 500)
    assert narrow.lower == narrow.upper == pytest.approx(0.9)
    assert wide.lower < 0.85 < wide.upper


def test_the_gate_bound_lies_below_the_estimate():
    scorer = Scorer()
    for patient in range(30):
        scorer.add(TEXT, [NAME, DATE], [NAME, DATE] if patient else [NAME], str(patient))
    evaluation = scorer.finish()
    assert evaluation.recall_lower_bound < evaluation.recall < 1


@given(
    st.text(alphabet="ab é1-.\n", max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)), max_size=5),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)), max_size=5),
)
def test_every_word_is_labelled_as_by_looking_at_each_pair(text, gold, predicted):
    make = [[Span(a, a + n, Entity.DATE) for a, n in spans] for spans in (gold, predicted)]
    words = list(label_words(text, *make))
    from deid_tasks.text import tokenize

    tokens = [t for t in tokenize(text) if text[t.start].isalnum()]
    for word, (start, end) in zip(words, tokens, strict=True):
        for label, spans in zip(word, make, strict=True):
            assert bool(label) == any(s.start < end and start < s.end for s in spans)
