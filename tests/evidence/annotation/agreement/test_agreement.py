import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation import ALL, ERRORS, Agreement, AgreementTally, interval

PUBLISHED = Agreement(185_455, 4_919, 5_411, 1_483_221)

counts = st.integers(0, 10_000)
tables = st.builds(Agreement, counts, counts, counts, counts)


def spans(*given):
    return [Span(start, end, Entity(entity)) for start, end, entity in given]


def test_the_published_matrix():
    assert round(PUBLISHED.kappa, 4) == 0.9694
    assert round(PUBLISHED.observed, 4) == 0.9938
    assert round(PUBLISHED.expected, 4) == 0.7987


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        (Agreement(20, 5, 10, 15), 0.4),
        (Agreement(45, 15, 25, 15), 0.1304),
        (Agreement(25, 35, 5, 35), 0.2593),
        (Agreement(10, 0, 0, 90), 1.0),
        (Agreement(0, 50, 50, 0), -1.0),
        (Agreement(0, 3, 2, 0), -0.9231),
        (Agreement(0, 0, 0, 100), 1.0),
        (Agreement(7, 0, 0, 0), 1.0),
        (Agreement(), 1.0),
        # One marks nothing at all: no better than chance.
        (Agreement(0, 5, 0, 95), 0.0),
    ],
)
def test_kappa_of_hand_made_tables(table, kappa):
    assert table.kappa == pytest.approx(kappa, abs=5e-5)


@given(tables)
def test_kappa_is_bounded_symmetric_and_what_its_definition_says(table):
    assert -1 <= table.kappa <= 1
    mirrored = Agreement(table.both, table.second, table.first, table.neither)
    assert mirrored.kappa == table.kappa
    assert mirrored.standard_error == pytest.approx(table.standard_error)
    if table.expected < 1:
        assert table.kappa == pytest.approx((table.observed - table.expected) / (1 - table.expected), abs=1e-9)


def fleiss(table):
    """The formula as printed by Fleiss, Cohen and Everitt (1969)."""
    n = table.words
    p = [[table.both / n, table.first / n], [table.second / n, table.neither / n]]
    rows, columns = [sum(r) for r in p], [p[0][j] + p[1][j] for j in (0, 1)]
    k, e = table.kappa, table.expected
    a = sum(p[i][i] * (1 - (rows[i] + columns[i]) * (1 - k)) ** 2 for i in (0, 1))
    b = (1 - k) ** 2 * sum(p[i][1 - i] * (columns[i] + rows[1 - i]) ** 2 for i in (0, 1))
    return math.sqrt(max(0.0, a + b - (k - e * (1 - k)) ** 2) / n) / (1 - e)


@pytest.mark.parametrize(
    "table", [PUBLISHED, Agreement(20, 5, 10, 15), Agreement(45, 15, 25, 15), Agreement(88, 12, 9, 500)]
)
def test_standard_error_is_the_published_one(table):
    assert table.standard_error == pytest.approx(fleiss(table), rel=1e-9)


def test_words_of_one_patient_do_not_count_as_many():
    alike = [Agreement(90, 10, 10, 890)] * 20
    unlike = [Agreement(100, 0, 0, 900), Agreement(80, 20, 20, 880)] * 10
    total = sum(alike, Agreement())
    assert sum(unlike, Agreement()) == total
    # The same total; where patients differ from one another, less is known.
    assert interval(alike)[1] - interval(alike)[0] < 1e-9
    lower, upper = interval(unlike)
    assert upper - lower > 2 * 1.96 * total.standard_error
    assert lower < total.kappa < upper


def test_one_word_a_patient_gives_the_error_of_independent_words():
    total = Agreement(40, 6, 9, 345)
    one_each = [
        *[Agreement(both=1)] * 40,
        *[Agreement(first=1)] * 6,
        *[Agreement(second=1)] * 9,
        *[Agreement(neither=1)] * 345,
    ]
    lower, upper = interval(one_each, 0.95)
    assert (upper - lower) / 2 / 1.959964 == pytest.approx(total.standard_error, rel=2e-3)


def test_an_interval_needs_two_patients():
    assert interval([PUBLISHED]) == (-1.0, 1.0)


TEXT = "Seen by Dr. Okafor in Lowell, MA on 3/14."
#       0123456789012345678901234567890123456789


def test_words_are_those_of_the_headline_score():
    tally = AgreementTally()
    tally.add(
        TEXT,
        spans((8, 18, "PROVIDER"), (22, 28, "CITY"), (36, 40, "DATE")),
        spans((12, 18, "PROVIDER"), (22, 28, "STATE"), (30, 32, "STATE"), (36, 40, "DATE")),
        "P1",
    )
    # Seen by | Dr (first) | Okafor (both) | in | Lowell (both) | MA (second) | on | 3 14 (both)
    assert tally.table() == Agreement(both=4, first=1, second=1, neither=4)
    rows = {kappa.what: kappa.table for kappa in tally.kappas()}
    assert list(rows) == [
        ALL, "category:NAME", "category:LOCATION", "category:DATE", "PROVIDER", "CITY", "STATE", "DATE",
    ]  # fmt: skip
    assert rows["PROVIDER"] == Agreement(1, 1, 0, 8)
    assert rows["CITY"] == Agreement(0, 1, 0, 9)
    assert rows["STATE"] == Agreement(0, 0, 2, 8)
    assert rows["category:LOCATION"] == Agreement(1, 0, 1, 8)
    assert rows["DATE"].kappa == 1.0
    assert (tally.notes, tally.notes_alike) == (1, 0)


def test_errors_alone_are_the_words_where_the_engine_and_an_annotator_differ():
    tally = AgreementTally()
    truth = spans((12, 18, "PROVIDER"), (22, 28, "CITY"))
    # The engine misses Okafor, takes Lowell for a facility, and marks "Seen" and MA; the second annotator marks MA too.
    engine = spans((0, 4, "PATIENT"), (22, 28, "FACILITY"), (30, 32, "STATE"))
    tally.add(TEXT, truth, [*truth, *spans((30, 32, "STATE"))], "P1", engine)
    rows = {kappa.what: kappa.table for kappa in tally.kappas()}
    # Both say that Okafor was missed, and that Seen is no name; they do not agree on MA.
    assert rows[ERRORS] == Agreement(both=1, first=0, second=1, neither=1)


def test_notes_alike_whatever_the_order_and_the_detector():
    tally = AgreementTally()
    first = spans((8, 18, "PROVIDER"), (22, 28, "CITY"))
    second = [Span(s.start, s.end, s.entity, "doccano", 0.5) for s in reversed(first)]
    tally.add(TEXT, first, second, "P1")
    assert tally.notes_alike == 1
    assert tally.table().kappa == 1.0
