"""WordGroups hold every piece of a text that they have room for, and each word knows its unit."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.engine.text.word_groups import SLOTS, WordGroups, broadcast_to_words, group_words
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer

MODEL = Path(__file__).parents[3] / "deid_tasks" / "models" / "minilm"
PADDING = 0


@pytest.fixture(scope="module")
def encoder() -> WordPieceTokenizer:
    return WordPieceTokenizer(MODEL / "tokenizer.json")


def read(encoder: WordPieceTokenizer, text: str) -> WordGroups:
    [units] = group_words([text], encoder.encode([text]), PADDING)
    return units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seen by Dr. Smith, MD", ["seen", "by", "Dr.", "Smith", ",", "MD"]),
        ("on 12/03/2019.", ["on", "12/", "03/", "2019."]),
        ("call (555) 123-4567;", ["call", "(", "555", ")", "123-", "4567", ";"]),
        ("cost $1,234.50 each", ["cost", "$1,234.50", "each"]),
        ("at 10:30, 98.6", ["at", "10:30", ",", "98.6"]),
        ("O'Brien-Smith", ["O'", "Brien-", "Smith"]),
        ("61Sex: M/F", ["61", "Sex:", "M/", "F"]),
        ('say "Bud" now', ["say", '"Bud"', "now"]),
        ("- item #4", ["-", "item", "#4"]),
        ("**Name**: x", ["**", "Name**:", "x"]),
        ("...", ["..."]),
        ("", []),
        (" \n", []),
    ],
)
def test_units_of_clinical_text(encoder: WordPieceTokenizer, text: str, expected: list[str]) -> None:
    [pieces] = encoder.encode([text])
    units = read(encoder, text)
    parts = [np.flatnonzero(units.group_of_word == unit) for unit in range(len(units.words))]
    assert [text[pieces.starts[part[0]] : pieces.ends[part[-1]]] for part in parts] == expected


def test_slots_are_first_three_last_before_and_behind(encoder: WordPieceTokenizer) -> None:
    text = '"Kowalczykowskiewicz".'
    [pieces] = encoder.encode([text])
    [row] = read(encoder, text).ids.tolist()
    core = pieces.ids.tolist()[1:-2]
    assert len(core) > 4
    assert row == [*core[:3], core[-1], pieces.ids[0], pieces.ids[-2]]


def test_a_mark_between_units_has_the_lower_chance_and_one_at_an_end_none(encoder: WordPieceTokenizer) -> None:
    units = read(encoder, '"J. Smith."')
    found = broadcast_to_words(np.array([[0.9, 0.1], [0.4, 0.6]], np.float32), units)
    np.testing.assert_allclose(found, [[0, 0], [0.9, 0.1], [0.4, 0.1], [0.4, 0.6], [0, 0], [0, 0]])


@given(texts=st.lists(st.text("aB3 ./,-#()\n'é中_", max_size=20), max_size=5))
def test_a_texts_units_do_not_depend_on_the_others(encoder: WordPieceTokenizer, texts: list[str]) -> None:
    pieces = encoder.encode(texts)
    for text, one, units in zip(texts, pieces, group_words(texts, pieces, PADDING), strict=True):
        [alone] = group_words([text], [one], PADDING)
        assert all((getattr(units, name) == getattr(alone, name)).all() for name in WordGroups.__slots__)
        assert units.ids.shape == (len(units.words), SLOTS)
        assert len(units.group_of_word) == len(one.starts)
        assert units.group_of_word.tolist() == sorted(units.group_of_word)
        assert set(units.group_of_word.tolist()) == set(range(len(units.words)))
        assert (units.group_of_word[units.words] == np.arange(len(units.words))).all()
        assert (~units.is_attached[units.words]).all()
        assert set(units.ids.ravel().tolist()) <= {PADDING, *one.ids.tolist()}
        assert broadcast_to_words(np.ones((len(units.words), 2), np.float32), units).shape == (len(one.starts), 2)
