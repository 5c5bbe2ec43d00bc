"""The prefilter matches every text with initials or last four digits."""

from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.engine.detect.patient_initials import _INITIALS, _LAST_FOUR, prefilter
from deid_tasks.engine.text.ascii import fold_to_ascii

PIECES = st.sampled_from(
    ["Initials", "signed", "Patient", ": ", " ", "A", "B.", "J. K.", " is ", "xxx-xx-", "1234", "last four", "SSN",
    "ending in", "é", "\n", "name"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_the_prefilter_misses_nothing(text: str) -> None:
    if _INITIALS.search(text) or _LAST_FOUR.search(text):
        assert prefilter().search(fold_to_ascii(text).encode("ascii"))
