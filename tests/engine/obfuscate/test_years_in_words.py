"""Years spelled out in words: read, and written in the manner of the original."""

import pytest

from deid_tasks.engine.obfuscate.dates.years_in_words import YEAR_IN_WORDS, year_in_words, year_of


@pytest.mark.parametrize(
    ("words", "year"),
    [
        ("two thousand", 2000),
        ("two thousand and four", 2004),
        ("two thousand twenty-four", 2024),
        ("twenty twenty four", 2024),
        ("Twenty-Nineteen", 2019),
        ("nineteen eighty-two", 1982),
        ("nineteen hundred and eleven", 1911),
        ("nineteen oh five", 1905),
    ],
)
def test_a_year_is_read(words, year):
    assert year_of(YEAR_IN_WORDS.fullmatch(words)) == year


@pytest.mark.parametrize("like", ["two thousand and four", "two thousand twenty-four", "twenty twenty four"])
def test_every_year_that_is_written_is_read_again(like):
    manner = YEAR_IN_WORDS.fullmatch(like)
    for year in range(1901, 2099):
        found = YEAR_IN_WORDS.fullmatch(year_in_words(year, manner))
        assert found is not None
        assert year_of(found) == year


def test_the_manner_of_the_original_stays():
    def like(words: str, year: int) -> str:
        return year_in_words(year, YEAR_IN_WORDS.fullmatch(words))

    assert like("Two thousand and four", 2011) == "Two thousand and eleven"
    assert like("two thousand twenty-four", 2023) == "two thousand twenty-three"
    assert like("twenty twenty four", 2021) == "twenty twenty one"


@pytest.mark.parametrize("text", ["twenty-first", "twenty days", "nineteen", "two thousandths", "twenty-five"])
def test_other_numbers_are_no_years(text):
    assert YEAR_IN_WORDS.search(text) is None
