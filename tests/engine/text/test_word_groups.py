"""Word groups: which words form one, which slot each word piece gets, and how values return to words."""

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
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer(MODEL / "tokenizer.json")


def read(tokenizer: WordPieceTokenizer, text: str) -> WordGroups:
    return group_words(tokenizer.encode([text]), PADDING)


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
def test_word_groups_of_clinical_text(tokenizer: WordPieceTokenizer, text: str, expected: list[str]) -> None:
    words = tokenizer.encode([text]).words
    groups = read(tokenizer, text)
    parts = [np.flatnonzero(groups.group_of_word == group) for group in range(len(groups.main_words))]
    assert [text[words.starts[part[0]] : words.ends[part[-1]]] for part in parts] == expected


def test_slots_are_first_three_last_before_and_after(tokenizer: WordPieceTokenizer) -> None:
    text = '"Kowalczykowskiewicz".'
    pieces = tokenizer.encode([text])
    [row] = read(tokenizer, text).ids.tolist()
    core = pieces.ids.tolist()[1:-2]
    assert len(core) > 4
    assert row == [*core[:3], core[-1], pieces.ids[0], pieces.ids[-2]]


def test_a_mark_between_groups_has_the_lower_probability_and_one_at_an_end_none(tokenizer: WordPieceTokenizer) -> None:
    groups = read(tokenizer, '"J. Smith."')
    found = broadcast_to_words(np.array([[0.9, 0.1], [0.4, 0.6]], np.float32), groups)
    np.testing.assert_allclose(found, [[0, 0], [0.9, 0.1], [0.4, 0.1], [0.4, 0.6], [0, 0], [0, 0]])


@given(texts=st.lists(st.text("aB3 ./,-#()\n'é中_", max_size=20), max_size=5))
def test_a_texts_groups_do_not_depend_on_the_others(tokenizer: WordPieceTokenizer, texts: list[str]) -> None:
    together = group_words(tokenizer.encode(texts), PADDING)
    values = np.random.default_rng(1).random((len(together.main_words), 2), np.float32)
    of_words = broadcast_to_words(values, together)
    word = 0
    for number, text in enumerate(texts):
        pieces, groups = tokenizer.encode([text]), read(tokenizer, text)
        one = together.one(number)
        assert all((getattr(one, name) == getattr(groups, name)).all() for name in WordGroups.__slots__)
        count = len(pieces.words.starts)
        values_of_one = values[together.bounds[number] : together.bounds[number + 1]]
        assert (of_words[word : word + count] == broadcast_to_words(values_of_one, groups)).all()
        word += count
        assert groups.ids.shape == (len(groups.main_words), SLOTS)
        assert len(groups.group_of_word) == count
        assert groups.group_of_word.tolist() == sorted(groups.group_of_word)
        assert set(groups.group_of_word.tolist()) == set(range(len(groups.main_words)))
        assert (groups.group_of_word[groups.main_words] == np.arange(len(groups.main_words))).all()
        assert (~groups.is_attached[groups.main_words]).all()
        assert set(groups.ids.ravel().tolist()) <= {PADDING, *pieces.ids.tolist()}
    assert word == len(of_words)
