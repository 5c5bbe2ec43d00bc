"""The words of texts: where they are, and the classes of their case and of the gap before them."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.engine.text.shapes import ShapedWords, shape_words

WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
EVERY_CHARACTER = "".join(map(chr, range(sys.maxunicode + 1)))
Word = tuple[int, int, int, int]


def case_of(word: str) -> int:
    """The case class as the methods of ``str`` define it."""
    if word.islower():
        return 1
    if word.isupper():
        return 4 if len(word) == 1 else 3
    if word[0].isupper() and word[1:].islower():
        return 2
    if word.isdigit() or word.isnumeric():
        return 5
    return 6 if word.isalpha() else 7


def expected(text: str) -> list[Word]:
    """Start, end, case class and gap class of each word, word by word."""
    found: list[Word] = []
    for match in WORD.finditer(text):
        start, end = match.span()
        previous = found[-1][1] if found else None
        if previous is None:
            gap = 2
        elif previous == start:
            gap = 1
        else:
            gap = 3 if re.search(r"[\n\r\t]", text[previous:start]) else 2
        found.append((start, end, case_of(match.group()), gap))
    return found


def words_of(shaped: ShapedWords, text: int) -> list[Word]:
    part = slice(shaped.bounds[text], shaped.bounds[text + 1])
    columns = (shaped.starts[part], shaped.ends[part], shaped.cases[part], shaped.gaps[part])
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "DOB:4/5/61Sex:M",
        "Seen by Dr. O'Neil\r\n\tBP 120/80,  stable.",
        "McDonald NASA x X 7 \u00b2\u00bd _a_b \u01c5 \u01c5a A\u01c5 a\u0345 \u24b6 \u24d0b",
        "cafe\u0301 \ud83d \U0001f691 \u4e2d\u6587 \u0663\u0664",
        "",
        " \n",
    ],
)
def test_words_have_offsets_cases_and_gaps(text: str) -> None:
    assert words_of(shape_words([text]), 0) == expected(text)


@pytest.mark.parametrize("before", ["", "a", "A", "7", "\u01c5"])
def test_every_character_is_read_as_str_and_re_read_it(before: str) -> None:
    # Each character in a word of its own, and behind a letter or digit.
    text = " ".join(before + character for character in EVERY_CHARACTER)
    assert words_of(shape_words([text]), 0) == expected(text)


@given(
    texts=st.lists(st.text(max_size=30) | st.text("aAbB3 ._\n\u00df\u0130\u01c5\u00b2\u0301", max_size=30), max_size=5)
)
def test_words_of_a_text_do_not_depend_on_the_others(texts: list[str]) -> None:
    shaped = shape_words(texts)
    assert [words_of(shaped, number) for number in range(len(texts))] == [expected(text) for text in texts]
    first = [text[start] for text in texts for start, _, _, _ in expected(text)]
    assert list(map(chr, shaped.characters)) == first
    assert shaped.text_of_word.tolist() == [number for number, text in enumerate(texts) for _ in expected(text)]
    chosen = np.arange(0, len(texts), 2)
    taken = shaped.take(chosen)
    assert [words_of(taken, number) for number in range(len(chosen))] == [expected(text) for text in texts[::2]]
