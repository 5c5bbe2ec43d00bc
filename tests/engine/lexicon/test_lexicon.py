import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.lexicon import Lexicon, LexiconTerm, compile_lexicon, default_lexicon, mask_of

ROWS = [
    LexiconTerm("patient_name", "full", "Maria de la Quintana"),
    LexiconTerm("patient_name", "last", "O'Hallorin"),
    LexiconTerm("provider", "full", "Teshome, Abel K"),
    LexiconTerm("provider", "phone", "(415) 555-0133"),
    LexiconTerm("facility", "name", "St. Brendan Clinic"),
    LexiconTerm("address", "street", "12 North Quail Street"),
    LexiconTerm("medical", "harvested", "quail protocol"),
]


def terms(lexicon: Lexicon, text: str, mask: int) -> set[str]:
    scan = lexicon.scan([text])
    matches, _ = lexicon.match(scan)
    found = matches.only(mask)
    pairs = zip(found.first.tolist(), found.tokens.tolist(), strict=True)
    return {text[scan.starts[first] : scan.ends[first + count - 1]] for first, count in pairs}


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    return compile_lexicon(ROWS, tmp_path_factory.mktemp("lexicon"))


@pytest.mark.parametrize(
    ("table", "text", "expected"),
    [
        ("provider", "seen by Abel Teshome, then TESHOME, ABEL", {"Abel Teshome", "TESHOME, ABEL"}),
        ("provider", "A. Teshome and A.K. Teshome", {"A. Teshome", "A.K. Teshome"}),
        ("provider", "Abel\n\nTeshome", set()),
        ("provider", "call 415.555.0133 or 4155550133", {"415.555.0133", "4155550133"}),
        ("patient_name", "Mr O’Hallorin, O'HALLORIN's, OHallorin", {"O’Hallorin", "O'HALLORIN", "OHallorin"}),
        ("patient_name", "Hallorin", set()),
        ("facility", "at Saint Brendan Clinic", {"Saint Brendan Clinic"}),
        ("address", "12 N. Quail St, 12 North Quail St", {"12 N. Quail St", "12 North Quail St"}),
        ("address", "12 North Quail Lane", set()),
        ("medical", "Quail protocol", {"Quail protocol"}),
        (
            "medical",
            "Crohn's disease; Crohns disease; Crohn disease",
            {"Crohn's disease", "Crohns disease", "Crohn disease", "Crohn", "Crohns"},
        ),
    ],
)
def test_match(lexicon: Lexicon, table: str, text: str, expected: set[str]) -> None:
    found = {term for term in terms(lexicon, text, mask_of(table)) if term != "disease"}
    assert found == expected


def test_same_rows_in_any_order_give_the_same_version(tmp_path: Path, lexicon: Lexicon) -> None:
    assert compile_lexicon(reversed(ROWS), tmp_path).version == lexicon.version
    assert compile_lexicon(ROWS[1:], tmp_path).version != lexicon.version


def test_folder_opens_at_its_newest_version_and_at_a_named_one(tmp_path: Path) -> None:
    old = compile_lexicon(ROWS[:1], tmp_path)
    new = compile_lexicon(ROWS, tmp_path)
    assert Lexicon.open(tmp_path).version == new.version
    assert Lexicon.open(tmp_path / old.version).version == old.version
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["CURRENT", old.version, new.version])


def test_artefact_holds_counts_and_no_term(tmp_path: Path) -> None:
    path = compile_lexicon(ROWS, tmp_path) and next(tmp_path.glob("*/metadata.json"))
    assert json.loads(path.read_text())["counts"]["provider/full"] == 1
    content = b"".join(file.read_bytes() for file in path.parent.iterdir()).lower()
    assert not [row.term for row in ROWS if row.term.lower().encode() in content]
    assert "Teshome" not in repr(ROWS)


@pytest.mark.parametrize("name", ["hashes", "payload", "buckets", "metadata.json"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_damaged_files_are_refused(tmp_path: Path, name: str, damage: str) -> None:
    folder = tmp_path / compile_lexicon(ROWS, tmp_path).version
    file = folder / name
    content = bytearray(file.read_bytes())
    if damage == "remove":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    else:
        content[10] ^= 0xFF
        content[-9] ^= 0xFF
        file.write_bytes(content)
    with pytest.raises(LexiconError):
        Lexicon.open(folder)


def test_other_format_and_other_key_are_refused(tmp_path: Path) -> None:
    version = compile_lexicon(ROWS, tmp_path, key=b"secret").version
    with pytest.raises(LexiconError, match="another key"):
        Lexicon.open(tmp_path)
    opened = Lexicon.open(tmp_path, key=b"secret")
    assert terms(opened, "Abel Teshome", mask_of("provider")) == {"Abel Teshome"}
    metadata = tmp_path / version / "metadata.json"
    metadata.write_text(metadata.read_text().replace('"format": 2', '"format": 0'))
    with pytest.raises(LexiconError, match="format"):
        Lexicon.open(tmp_path, key=b"secret")


def test_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match="'shoe'"):
        compile_lexicon([LexiconTerm("provider", "shoe", "x")], tmp_path)
    assert not list(tmp_path.iterdir())


WORDS = st.lists(st.text("abcé", min_size=1, max_size=3), min_size=1, max_size=4).map(" ".join)


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, min_size=1, max_size=4))
def test_finds_exactly_the_terms_that_stand_there(dictionary: list[str], texts: list[str]) -> None:
    from collections import Counter

    from deid_tasks.engine.lexicon.build import build_table
    from deid_tasks.engine.lexicon.scan import Hasher

    hasher = Hasher()
    table = build_table((LexiconTerm("address", "city", term) for term in dictionary), hasher, Counter())
    fold = str.maketrans("é", "e")
    known = {tuple(term.translate(fold).split()) for term in dictionary}
    scan = hasher.scan(texts)
    matches, _ = table.match(scan, hasher)
    words = [word for text in texts for word in text.translate(fold).split()]
    owners = [number for number, text in enumerate(texts) for _ in text.split()]
    expected = {
        (first, count)
        for first in range(len(words))
        for count in range(1, 5)
        if tuple(words[first : first + count]) in known and len(set(owners[first : first + count])) == 1
        if first + count <= len(words)
    }
    assert set(zip(matches.first.tolist(), matches.tokens.tolist(), strict=True)) == expected


def test_default_lexicon_needs_no_institution() -> None:
    assert terms(default_lexicon(), "Glasgow Coma Scale 15", mask_of("medical")) >= {"Glasgow Coma Scale"}
