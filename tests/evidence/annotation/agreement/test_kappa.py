import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.evidence.annotation import AgreementTable, kappa_interval

PUBLISHED = AgreementTable(185_455, 4_919, 5_411, 1_483_221)

counts = st.integers(0, 10_000)
tables = st.builds(AgreementTable, counts, counts, counts, counts)


def observed(table):
    """Share of words on which the two agree."""
    return (table.both + table.neither) / table.words


def expected(table):
    """Share of words on which two annotators with these totals would agree at random."""
    marked = (table.both + table.first) * (table.both + table.second)
    unmarked = (table.second + table.neither) * (table.first + table.neither)
    return (marked + unmarked) / table.words**2


def test_the_published_matrix():
    assert round(PUBLISHED.kappa, 4) == 0.9694
    assert round(observed(PUBLISHED), 4) == 0.9938
    assert round(expected(PUBLISHED), 4) == 0.7987


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        (AgreementTable(20, 5, 10, 15), 0.4),
        (AgreementTable(45, 15, 25, 15), 0.1304),
        (AgreementTable(25, 35, 5, 35), 0.2593),
        (AgreementTable(10, 0, 0, 90), 1.0),
        (AgreementTable(0, 50, 50, 0), -1.0),
        (AgreementTable(0, 3, 2, 0), -0.9231),
        (AgreementTable(0, 0, 0, 100), 1.0),
        (AgreementTable(7, 0, 0, 0), 1.0),
        (AgreementTable(), 1.0),
        # One marks nothing at all: no better than chance.
        (AgreementTable(0, 5, 0, 95), 0.0),
    ],
)
def test_kappa_of_hand_made_tables(table, kappa):
    assert table.kappa == pytest.approx(kappa, abs=5e-5)


@given(tables)
def test_kappa_is_bounded_symmetric_and_what_its_definition_says(table):
    assert -1 <= table.kappa <= 1
    mirrored = AgreementTable(table.both, table.second, table.first, table.neither)
    assert mirrored.kappa == table.kappa
    if table.words and expected(table) < 1:
        chance = expected(table)
        assert table.kappa == pytest.approx((observed(table) - chance) / (1 - chance), abs=1e-9)


def fleiss(table):
    """The standard error of kappa over independent words, as printed by Fleiss, Cohen and Everitt (1969)."""
    n = table.words
    p = [[table.both / n, table.first / n], [table.second / n, table.neither / n]]
    rows, columns = [sum(r) for r in p], [p[0][j] + p[1][j] for j in (0, 1)]
    k, e = table.kappa, expected(table)
    a = sum(p[i][i] * (1 - (rows[i] + columns[i]) * (1 - k)) ** 2 for i in (0, 1))
    b = (1 - k) ** 2 * sum(p[i][1 - i] * (columns[i] + rows[1 - i]) ** 2 for i in (0, 1))
    return math.sqrt(max(0.0, a + b - (k - e * (1 - k)) ** 2) / n) / (1 - e)


def test_words_of_one_patient_do_not_count_as_many():
    alike = [AgreementTable(90, 10, 10, 890)] * 20
    unlike = [AgreementTable(100, 0, 0, 900), AgreementTable(80, 20, 20, 880)] * 10
    total = sum(alike, AgreementTable())
    assert sum(unlike, AgreementTable()) == total
    # The same total; where patients differ from one another, less is known.
    assert kappa_interval(alike)[1] - kappa_interval(alike)[0] < 1e-9
    lower, upper = kappa_interval(unlike)
    assert upper - lower > 2 * 1.96 * fleiss(total)
    assert lower < total.kappa < upper


@pytest.mark.parametrize(
    "total", [AgreementTable(40, 6, 9, 345), AgreementTable(20, 5, 10, 15), AgreementTable(45, 15, 25, 15)]
)
def test_one_word_a_patient_gives_the_published_error_of_independent_words(total):
    one_each = [
        *[AgreementTable(both=1)] * total.both,
        *[AgreementTable(first=1)] * total.first,
        *[AgreementTable(second=1)] * total.second,
        *[AgreementTable(neither=1)] * total.neither,
    ]
    lower, upper = kappa_interval(one_each, 0.95)
    # The sample variance of n patients is n / (n - 1) times the asymptotic one.
    error = fleiss(total) * math.sqrt(total.words / (total.words - 1))
    assert (upper - lower) / 2 / 1.959964 == pytest.approx(error, rel=1e-6)


def test_an_interval_needs_two_patients():
    assert kappa_interval([PUBLISHED]) == (-1.0, 1.0)
