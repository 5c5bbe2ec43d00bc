"""The hand-written terms: one of a single word is given back wherever a model alone marked it, so nobody and no town
may be called so.
"""

from functools import cache

import pytest

from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.recover.eponyms import is_rare_name

FROM_THE_START = frozenset(
    [
        "ace",
        "ana",
        "asa",
        "braden",
        "doe",
        "echo",
        "foley",
        "gleason",
        "ida",
        "lyme",
        "mi",
        "nash",
        "ng",
        "peg",
        "penrose",
        "tia",
    ]
)
"""Terms that stood here before this was asked of them; take none in."""


@cache
def nicknames() -> frozenset[str]:
    return frozenset(fold(row[part]) for row in read_tsv("nicknames.tsv") for part in ("name", "nickname"))


@cache
def names_beyond() -> frozenset[str]:
    return frozenset(fold(row["name"]) for row in read_tsv("names_beyond.tsv"))


@cache
def towns() -> frozenset[str]:
    return frozenset(fold(row["city"]) for row in read_tsv("places.tsv"))


def single_words() -> list[dict[str, str]]:
    rows = read_tsv("eponyms.tsv")
    return [row for row in rows if len(normalise(row["term"]).split()) == 1]


def test_no_one_word_term_is_somebodys_name_or_a_town() -> None:
    borne = [
        row["term"]
        for row in single_words()
        if fold(row["term"]) not in FROM_THE_START
        and (
            not is_rare_name(row["term"])
            or fold(row["term"]) in nicknames() | names_beyond()
            or fold(row["term"]) in towns()
        )
    ]
    assert borne == []


def test_phrases_are_phrases() -> None:
    assert [row for row in single_words() if row["kind"] == "phrase"] == []


def test_every_term_stands_in_the_medical_terms_once() -> None:
    rows = read_tsv("medical_terms.tsv")
    held = {normalise(row["term"]): row for row in rows}
    assert len(held) == len(rows)
    for row in read_tsv("eponyms.tsv"):
        source = "phrase" if row["kind"] == "phrase" else "own"
        assert (held[normalise(row["term"])]["kind"], held[normalise(row["term"])]["source"]) == (row["kind"], source)


@pytest.mark.parametrize(
    "term", ["Gustilo IIIA", "Brescia-Cimino", "Timothy grass", "R. africae", "Epogen", "APRN", "Faxitron", "Sprotte"]
)
def test_what_clinicians_write_is_there(term: str) -> None:
    assert normalise(term) in {normalise(row["term"]) for row in read_tsv("medical_terms.tsv")}
