"""The diagnoses that a text names: of ICD-10-CM and MeSH, and those called after people, and no part of the body."""

import pytest

from deid_tasks.engine.lexicon import Lexicon, LexiconTerm
from deid_tasks.evidence.release import named_diagnoses


@pytest.mark.parametrize(
    ("text", "diagnoses"),
    [
        ("Hx of Kawasaki disease and GOUT.", {"kawasaki disease", "gout"}),
        ("No psoriasis; mother had breast cancer", {"psoriasis", "breast cancer"}),
        ("Smith-Magenis syndrome", {"smith magenis syndrome"}),
        ("Right knee stable, stage 1, mild swelling. Bruce protocol. Diagnosis: none", set()),
        ("", set()),
    ],
)
def test_a_text_names_its_diagnoses(text: str, diagnoses: set[str]) -> None:
    [found] = named_diagnoses([text])
    assert found == diagnoses


def test_each_text_has_its_own() -> None:
    texts = ["gout", "", "Ménière's disease \U0001f600 gout", "x " * 40_000 + "asthma"]
    found = list(named_diagnoses(texts))
    assert [sorted(one) for one in found] == [["gout"], [], sorted(found[2]), ["asthma"]]
    assert "gout" in found[2]


def test_names_of_an_institution_are_no_diagnoses() -> None:
    lexicon = Lexicon.build([LexiconTerm("patient_name", "last", "Burns"), LexiconTerm("provider", "last", "Asthma")])
    assert list(named_diagnoses(["Mr. Burns came"], lexicon)) == list(named_diagnoses(["Mr. Burns came"]))
