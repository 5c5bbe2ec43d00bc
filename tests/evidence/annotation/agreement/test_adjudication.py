from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span, check_spans
from deid_tasks.evidence.annotation import adjudicate_note, compare_annotators

WHO = ("ana", "ben")


def spans(*given):
    return tuple(Span(start, end, Entity(entity)) for start, end, entity in given)


def plain(found):
    return [(span.start, span.end, str(span.entity)) for span in found]


def decisions_of(note):
    return [(d.start, d.end, str(d.entity or ""), str(d.basis), d.decided_by) for d in note.decisions]


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
    comparison = compare_annotators(spans(*first), spans(*second))
    assert plain(comparison.agreed) == agreed
    assert [(c.start, c.end, str(c.kind)) for c in comparison.conflicts] == conflicts


FIRST = spans((0, 4, "PATIENT"), (10, 20, "PROVIDER"), (30, 34, "DATE"), (40, 44, "CITY"))
SECOND = spans((0, 4, "PATIENT"), (14, 20, "PROVIDER"), (40, 44, "STATE"), (50, 54, "DATE"))


def test_the_adjudicator_is_shown_what_either_marked():
    assert plain(compare_annotators(FIRST, SECOND).proposals()) == [
        (0, 4, "PATIENT"),
        (10, 20, "PROVIDER"),
        (14, 20, "PROVIDER"),
        (30, 34, "DATE"),
        (40, 44, "CITY"),
        (40, 44, "STATE"),
        (50, 54, "DATE"),
    ]


def test_every_conflict_has_a_decision_with_a_name():
    decided = spans((0, 4, "PATIENT"), (14, 20, "PROVIDER"), (40, 44, "CITY"))
    note = adjudicate_note(compare_annotators(FIRST, SECOND), WHO, decided, "cy")
    assert note.spans == decided
    assert decisions_of(note) == [
        (0, 4, "PATIENT", "agreement", "ana+ben"),
        (14, 20, "PROVIDER", "adjudication", "cy"),
        (30, 34, "", "adjudication", "cy"),
        (40, 44, "CITY", "adjudication", "cy"),
        (50, 54, "", "adjudication", "cy"),
    ]


def test_the_adjudicator_may_change_agreed_spans_and_the_change_is_recorded():
    decided = spans((60, 64, "PHONE"), (42, 44, "CITY"))
    note = adjudicate_note(compare_annotators(FIRST, SECOND), WHO, decided, "cy")
    assert decisions_of(note) == [
        (0, 4, "", "adjudication", "cy"),
        (10, 20, "", "adjudication", "cy"),
        (30, 34, "", "adjudication", "cy"),
        (42, 44, "CITY", "adjudication", "cy"),
        (50, 54, "", "adjudication", "cy"),
        (60, 64, "PHONE", "adjudication", "cy"),
    ]


def test_open_conflicts_and_overlapping_decisions_are_refused():
    with pytest.raises(InputError, match="4 conflicts have no decision"):
        adjudicate_note(compare_annotators(FIRST, SECOND), WHO)
    with pytest.raises(InputError, match="10-20 and 14-20 overlap"):
        adjudicate_note(compare_annotators(FIRST, SECOND), WHO, compare_annotators(FIRST, SECOND).proposals(), "cy")


@given(disjoint_spans())
def test_equal_annotators_need_no_adjudication(marked):
    comparison = compare_annotators(marked, list(reversed(marked)))
    assert not comparison.conflicts
    note = adjudicate_note(comparison, WHO)
    assert sorted(note.spans) == sorted(marked)
    assert {decision.basis for decision in note.decisions} <= {"agreement"}


@given(any_spans, any_spans, disjoint_spans())
def test_every_span_is_kept_and_the_result_is_disjoint(first, second, decided):
    comparison = compare_annotators(first, second)
    assert set(comparison.proposals()) == {*first, *second}
    stretches = sorted(
        [*((s.start, s.end) for s in comparison.agreed), *((c.start, c.end) for c in comparison.conflicts)]
    )
    assert all(before[1] <= after[0] for before, after in pairwise(stretches))
    assert compare_annotators(second, first).agreed == comparison.agreed
    note = adjudicate_note(comparison, WHO, decided, "cy")
    check_spans(note.spans, 60)
    assert set(note.spans) == set(decided)
    # Every span and every conflict is covered by a decision.
    for start, end in [*((s.start, s.end) for s in note.spans), *stretches]:
        assert any(d.start < end and start < d.end for d in note.decisions)
