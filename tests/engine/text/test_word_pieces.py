"""Word pieces: each text is cut as its tokenizer cuts it alone, and each piece is tied to its word."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from deid_tasks.engine.text.shapes import shape_words
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer

MODELS = Path(__file__).parents[3] / "deid_tasks" / "models"
BLANKS = " \t\n\r\x0b\x0c\x1c\x85\xa0\u2003\u2028\u200b\x00"


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer whose pieces include the blank before, and that cuts words by what stands before them."""
    path = tmp_path_factory.mktemp("another") / "tokenizer.json"
    vocabulary = {piece: number for number, piece in enumerate([*pre_tokenizers.ByteLevel.alphabet(), "\u0120a", "ab"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("\u0120", "a"), ("a", "b")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.save(str(path))
    return path


tokenizer_of = cache(WordPieceTokenizer)


@cache
def library_of(path: Path) -> Tokenizer:
    return Tokenizer.from_file(str(path))


def expected(path: Path, text: str) -> list[tuple[int, int]]:
    """The id and the word of each piece, from the tokenizer's own answer for the text."""
    encoding = library_of(path).encode(text, add_special_tokens=False)
    ends = shape_words([text]).ends.tolist()
    found = []
    for piece, (start, _) in zip(encoding.ids, encoding.offsets, strict=True):
        words = [word for word, end in enumerate(ends) if end > start]
        found += [(piece, words[0])] if words else []
    return found


def check(path: Path, texts: list[str]) -> None:
    pieces = tokenizer_of(path).encode(texts)
    assert len(pieces.bounds) == len(texts) + 1
    for number, text in enumerate(texts):
        one = pieces.one(number)
        assert list(zip(one.ids.tolist(), one.word_of_piece.tolist(), strict=True)) == expected(path, text), repr(text)
        assert one.words.ends.tolist() == shape_words([text]).ends.tolist()


@pytest.mark.parametrize("model", ["minilm", "mpnet"])
@given(
    texts=st.lists(
        st.text(st.sampled_from(f"abAB3.,-/()#'{BLANKS}\u0301\u00e9\u0130\u4e2d\u00b2\U0001f691"), max_size=24)
        | st.text(max_size=16).filter(lambda text: text.isprintable())
        | st.lists(st.sampled_from(["<mask>", "[MASK]", "[SEP]", "</s>", " ", "\n", "a", "Dr."]), max_size=6).map(
            "".join
        ),
        max_size=5,
    )
)
@example(
    texts=["", "Seen by Dr. Okafor  on 3/14.", "seen by Dr. Okafor", "Seen", "61Sex\tx", " ", "Okafor <mask>, a<mask>"]
)
@example(texts=[])
def test_texts_are_cut_as_the_tokenizer_cuts_each_alone(model: str, texts: list[str]) -> None:
    check(MODELS / model / "tokenizer.json", texts)


def test_a_tokenizer_that_reads_blanks_cuts_whole_texts(another: Path) -> None:
    check(another, ["ab ab", "ab", " ab", "a\nab  a", "", "ab ab"])
    assert expected(another, "ab ab") != [
        *expected(another, "ab"),
        *((piece, 1) for piece, _ in expected(another, "ab")),
    ]
