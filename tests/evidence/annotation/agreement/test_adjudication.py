from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span, check_spans
from deid_tasks.evidence.annotation import compare, settle

WHO = ("ana", "ben")


def spans(*given):
    return tuple(Span(start, end, Entity(entity)) for start, end, entity in given)


def plain(found):
    return [(span.start, span.end, str(span.entity)) for span in found]


def told(settled):
    return [(d.start, d.end, str(d.entity or ""), str(d.basis), d.decided_by) for d in settled.decisions]


any_spans = st.lists(
    st.builds(
        lambda start, length, entity: Span(start, start + length, entity),
        st.integers(0, 40),
        st.integers(1, 8),
        st.sampled_from([Entity.PATIENT, Entity.DATE, Entity.CITY]),
    ),
    max_size=8,
)


@st.composite
def disjoint_spans(draw):
    cuts = sorted(draw(st.sets(st.integers(0, 50), max_size=12)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return [Span(a, b, draw(st.sampled_from([Entity.PATIENT, Entity.DATE, Entity.CITY]))) for a, b in pairs]


@pytest.mark.parametrize(
    ("first", "second", "agreed", "conflicts"),
    [
        ([(0, 4, "DATE")], [(0, 4, "DATE")], [(0, 4, "DATE")], []),
        ([(0, 4, "DATE")], [], [], [(0, 4, "presence")]),
        ([(0, 4, "CITY")], [(0, 4, "STATE")], [], [(0, 4, "entity")]),
        ([(0, 9, "PROVIDER")], [(4, 9, "PROVIDER")], [], [(0, 9, "boundary")]),
        ([(0, 9, "PROVIDER")], [(4, 12, "FACILITY")], [], [(0, 12, "boundary")]),
        # One span against two: split or merged.
        ([(0, 9, "PATIENT")], [(0, 4, "PATIENT"), (5, 9, "PATIENT")], [], [(0, 9, "boundary")]),
        # A chain of overlaps is one conflict, although its ends share nothing.
        ([(0, 5, "CITY"), (8, 12, "CITY")], [(4, 9, "CITY")], [], [(0, 12, "boundary")]),
        # Spans that only touch are apart.
        ([(0, 4, "CITY"), (4, 6, "STATE")], [(0, 4, "CITY")], [(0, 4, "CITY")], [(4, 6, "presence")]),
        # An agreed span that another overlaps is not agreed.
        ([(0, 4, "CITY")], [(0, 4, "CITY"), (2, 8, "FACILITY")], [], [(0, 8, "boundary")]),
        # Nor is what both overlap in the same way: a gold note's spans are disjoint.
        ([(0, 9, "PROVIDER"), (5, 9, "INITIALS")], [(0, 9, "PROVIDER"), (5, 9, "INITIALS")], [], [(0, 9, "entity")]),
        # The same span twice is one span.
        ([(0, 4, "DATE"), (0, 4, "DATE")], [(0, 4, "DATE")], [(0, 4, "DATE")], []),
    ],
)
def test_agreement_and_conflicts(first, second, agreed, conflicts):
    comparison = compare(spans(*first), spans(*second))
    assert plain(comparison.agreed) == agreed
    assert [(c.start, c.end, str(c.dispute)) for c in comparison.conflicts] == conflicts


FIRST = spans((0, 4, "PATIENT"), (10, 20, "PROVIDER"), (30, 34, "DATE"), (40, 44, "CITY"))
SECOND = spans((0, 4, "PATIENT"), (14, 20, "PROVIDER"), (40, 44, "STATE"), (50, 54, "DATE"))


def test_the_adjudicator_is_shown_what_either_marked():
    assert plain(compare(FIRST, SECOND).proposals()) == [
        (0, 4, "PATIENT"),
        (10, 20, "PROVIDER"),
        (14, 20, "PROVIDER"),
        (30, 34, "DATE"),
        (40, 44, "CITY"),
        (40, 44, "STATE"),
        (50, 54, "DATE"),
    ]


def test_every_conflict_gets_an_answer_and_a_name():
    decided = spans((0, 4, "PATIENT"), (14, 20, "PROVIDER"), (40, 44, "CITY"))
    settled = settle(compare(FIRST, SECOND), WHO, decided, "cy")
    assert settled.spans == decided
    assert told(settled) == [
        (0, 4, "PATIENT", "agreement", "ana+ben"),
        (14, 20, "PROVIDER", "adjudication", "cy"),
        (30, 34, "", "adjudication", "cy"),
        (40, 44, "CITY", "adjudication", "cy"),
        (50, 54, "", "adjudication", "cy"),
    ]


def test_the_adjudicator_may_mend_what_was_agreed_and_it_is_written_down():
    decided = spans((60, 64, "PHONE"), (42, 44, "CITY"))
    settled = settle(compare(FIRST, SECOND), WHO, decided, "cy")
    assert told(settled) == [
        (0, 4, "", "adjudication", "cy"),
        (10, 20, "", "adjudication", "cy"),
        (30, 34, "", "adjudication", "cy"),
        (42, 44, "CITY", "adjudication", "cy"),
        (50, 54, "", "adjudication", "cy"),
        (60, 64, "PHONE", "adjudication", "cy"),
    ]


def test_a_note_that_is_not_settled_cannot_be():
    with pytest.raises(InputError, match="4 conflicts are not decided"):
        settle(compare(FIRST, SECOND), WHO)
    with pytest.raises(InputError, match="10-20 and 14-20 overlap"):
        settle(compare(FIRST, SECOND), WHO, compare(FIRST, SECOND).proposals(), "cy")


@given(disjoint_spans())
def test_equal_annotators_settle_on_themselves(marked):
    comparison = compare(marked, list(reversed(marked)))
    assert not comparison.conflicts
    settled = settle(comparison, WHO)
    assert sorted(settled.spans) == sorted(marked)
    assert {decision.basis for decision in settled.decisions} <= {"agreement"}


@given(any_spans, any_spans, disjoint_spans())
def test_nothing_is_lost_and_all_is_disjoint(first, second, decided):
    comparison = compare(first, second)
    assert set(comparison.proposals()) == {*first, *second}
    stretches = sorted(
        [*((s.start, s.end) for s in comparison.agreed), *((c.start, c.end) for c in comparison.conflicts)]
    )
    assert all(before[1] <= after[0] for before, after in pairwise(stretches))
    assert compare(second, first).agreed == comparison.agreed
    settled = settle(comparison, WHO, decided, "cy")
    check_spans(settled.spans, 60)
    assert set(settled.spans) == set(decided)
    # Every span and every conflict is covered by a decision.
    for start, end in [*((s.start, s.end) for s in settled.spans), *stretches]:
        assert any(d.start < end and start < d.end for d in settled.decisions)
