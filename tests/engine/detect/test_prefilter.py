"""A trigger that the prefilter leaves out would be an identifier missed in silence."""

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.engine.detect.patterns.detector import RULES
from deid_tasks.engine.detect.patterns.prefilter import Prefilter, compile_trigger
from deid_tasks.engine.text.ascii import fold_to_ascii
from tests.support.small_notes import small_notes

TRIGGERS = [rule.trigger for rule in RULES]
SCANNERS = [compile_trigger(trigger) for trigger in TRIGGERS]
PREFILTER = Prefilter(TRIGGERS)
PIECES = st.sampled_from(
    ["Dr. ", "Okafor", "3/14", "/21", " 2021", "age ", "63", "M", ":", "\n", " - ", "617-555-0123", "MRN ", "Mr ",
    "room ", "signed ", ", MD", "is ", "she "]
)  # fmt: skip
BESIDE = b"Dr. Okafor, 63 M, seen on 3/14/21"
"""A text that stands beside the one that is looked at, and must change nothing there."""


def check(text: str) -> None:
    encoded = fold_to_ascii(text).encode("ascii")
    expected = [(n, [0]) for n, one in enumerate(SCANNERS) if one.search(encoded)]
    assert sorted(PREFILTER.fires([encoded])) == expected
    beside = [(n, [1, *([2] if (n, [0]) in expected else [])]) for n, _ in PREFILTER.fires([BESIDE])]
    beside += [(n, [2]) for n, _ in expected if n not in dict(beside)]
    assert sorted(PREFILTER.fires([b"", BESIDE, encoded])) == sorted(beside)


def test_fires_exactly_where_a_trigger_matches_in_notes() -> None:
    for note in small_notes(60):
        check(note.text)


@settings(max_examples=60)
@given(st.lists(st.one_of(PIECES, st.text(string.printable + "éü’–", max_size=6)), max_size=14).map("".join))
def test_fires_exactly_where_a_trigger_matches_in_any_text(text: str) -> None:
    check(text)
