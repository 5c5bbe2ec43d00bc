"""Other ways of cutting a text into words."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text import tokenize
from deid_tasks.engine.text.word_labels import label_words, split_words
from deid_tasks.evidence.evaluate.tokenization import TOKENIZERS, at_space, relaxed, treebank


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Seen 08/20/2005, stable.", "Seen|08/20/2005|,|stable|."),
        ("Dr. Lee's wife (Ann) can't come.", "Dr.|Lee|'s|wife|(|Ann|)|ca|n't|come|."),
        ('He said "ok" at 10:30: BP 120/80', 'He|said|"|ok|"|at|10:30|:|BP|120/80'),
        ("e.g. 1,200 mg; then...", "e.g.|1,200|mg|;|then|..."),
        ("Line one.\nOkafor-Lee, M.D. 5%", "Line|one|.|Okafor-Lee|,|M.D.|5|%"),
        ("patients' O'Brien", "patients|'|O'Brien"),
        ("a--b", "a|--|b"),
    ],
)
def test_treebank(text, tokens):
    assert [text[a:b] for a, b in treebank(text)] == tokens.split("|")


def test_relaxed_tokens_have_no_punctuation_at_their_ends():
    text = '"(617) 555-1234," -- M.D.'
    assert [text[a:b] for a, b in relaxed(text, at_space(text))] == ["617", "555-1234", "M.D"]


@given(st.text(max_size=80))
def test_every_character_that_is_no_space_is_in_one_token(text):
    for name, tokenizer in TOKENIZERS.items():
        bounds = tokenizer(text)
        assert all(a < b <= c for (a, b), (c, _) in itertools.pairwise(bounds)), name
        assert "".join(text[a:b] for a, b in bounds) == "".join(text.split()), name


SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)), max_size=5)


@given(st.text(alphabet="ab é1-_.\n", max_size=60), SPANS)
def test_every_word_is_labelled_as_by_looking_at_each_pair(text, spans):
    made = [Span(start, start + size, Entity.DATE) for start, size in spans]
    words = split_words(text)
    assert words == [t for t in tokenize(text) if text[t.start].isalnum()]
    for (start, end), label in zip(words, label_words(words, made), strict=True):
        assert bool(label) == any(s.start < end and start < s.end for s in made)
