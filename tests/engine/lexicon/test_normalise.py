import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.engine.lexicon import default_lexicon, normalise


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("Smith", "smith"),
        ("  O'Brien-Núñez, Jr. ", "o brien nunez jr"),
        ("O’Brien", "o brien"),
        ("Jose\u0301", "jose"),
        ("ﬁne", "fine"),
        ("RH-000_42", "rh 000 42"),
        ("Åse Łuk", "ase łuk"),
        ("--", ""),
        ("", ""),
    ],
)
def test_normalise(term: str, expected: str) -> None:
    assert normalise(term) == expected


@given(st.text(max_size=40))
def test_normalise_is_idempotent(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.text(st.characters(max_codepoint=0x24F), max_size=60))
def test_scan_reads_the_words_that_normalise_leaves(text: str) -> None:
    hasher = default_lexicon().hasher
    assert hasher.scan([text]).hashes.tolist() == hasher.scan([normalise(text)]).hashes.tolist()


@given(st.lists(st.text(max_size=30), max_size=6))
def test_offsets_and_hashes_do_not_depend_on_the_batch(texts: list[str]) -> None:
    hasher = default_lexicon().hasher
    whole = hasher.scan(texts)
    for number, text in enumerate(texts):
        alone = hasher.scan([text])
        mine = whole.document == number
        assert whole.hashes[mine].tolist() == alone.hashes.tolist()
        assert (whole.starts[mine] - whole.bases[number]).tolist() == alone.starts.tolist()
        assert all(0 <= start < end <= len(text) for start, end in zip(alone.starts, alone.ends, strict=True))
