"""The table is built from arrays and in parts; it must be the table that one term at a time would give."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.engine.lexicon import LexiconTerm
from deid_tasks.engine.lexicon.build import build_table
from deid_tasks.engine.lexicon.scan import Hasher
from deid_tasks.engine.lexicon.table import TermTable, assemble, entries
from deid_tasks.engine.lexicon.terms import bit_of, variants

HASHER = Hasher(b"key")
NAMES = [
    "Abel Teshome",
    "Teshome, Abel K",
    "de la Quintana, Maria Luz",
    "Mary Anne van der Berg Smith",
    "Bo Li",
    "Li, Bo",
    "O'Hallorin, Sean",
    "Anne-Marie St. Cloud",
    "José Núñez",
    "Abel",
    "Abel.",
    "Teshome,",
    ", Abel",
    "",
    "--",
    "A. K. Teshome",
    "a b c d e f g h i j",
    "Teshome, Abel, Jr",
]


def one_by_one(rows: list[LexiconTerm]) -> TermTable:
    pairs = [
        (form, bit_of(row.table, row.kind) or 0) for row in rows for form in variants(row.table, row.kind, row.term)
    ]
    return assemble(*entries([form for form, _ in pairs], [bit for _, bit in pairs], HASHER))


def check(rows: list[LexiconTerm]) -> None:
    built, expected = build_table(rows, HASHER, Counter()), one_by_one(rows)
    for name in ("hashes", "payload", "buckets"):
        assert np.array_equal(getattr(built, name), getattr(expected, name)), name


@pytest.mark.parametrize("name", NAMES)
def test_a_full_name_has_the_forms_of_name_variants(name: str) -> None:
    check([LexiconTerm("provider", "full", name)])


def test_tables_and_kinds_together() -> None:
    rows = [LexiconTerm(table, "full", name) for name in NAMES for table in ("provider", "patient_name")]  # type: ignore[arg-type]
    rows += [
        LexiconTerm("provider", "phone", "(415) 555-0133"),
        LexiconTerm("address", "street", "12 North Quail Street"),
        LexiconTerm("facility", "name", "The St. Brendan Clinic"),
        LexiconTerm("medical", "eponym", "Crohn's disease"),
        LexiconTerm("patient_name", "last", "O'Hallorin"),
    ]
    check(rows)


WORDS = st.text("aBé", min_size=1, max_size=3)
GLUE = st.sampled_from([" ", ", ", ",", "-", "'", ". ", "  "])


@settings(max_examples=150)
@given(
    st.lists(
        st.lists(st.tuples(WORDS, GLUE), min_size=1, max_size=5).map(lambda p: "".join(w + g for w, g in p)), max_size=6
    )
)
def test_any_names(names: list[str]) -> None:
    check([LexiconTerm("patient_name", "full", name) for name in names])


def test_counts_rows_by_table_and_kind() -> None:
    counts: Counter[str] = Counter()
    build_table([LexiconTerm("provider", "full", name) for name in NAMES], HASHER, counts)
    assert counts == {"provider/full": len(NAMES)}
