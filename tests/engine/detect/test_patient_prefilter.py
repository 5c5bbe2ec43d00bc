"""What spares most notes the patient's initials and last four digits must let every note through that holds them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.engine.detect.patient_detector import _INITIALS, _LAST_FOUR, _maybe_told
from deid_tasks.engine.text.ascii import fold_to_ascii

PIECES = st.sampled_from(
    ["Initials", "signed", "Patient", ": ", " ", "A", "B.", "J. K.", " is ", "xxx-xx-", "1234", "last four", "SSN", "ending in", "é", "\n", "name"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_nothing_is_kept_back(text: str) -> None:
    if _INITIALS.search(text) or _LAST_FOUR.search(text):
        assert _maybe_told().search(fold_to_ascii(text).encode("ascii"))
