"""Where sentences of notes begin and end, and that nothing is lost."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.engine.text import split_sentences, tokenize
from deid_tasks.engine.text.sentences import MAX_CHARACTERS


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She is well. No pain.", ["She is well.", "No pain."]),
        ("Seen by Dr. Okafor. Well.", ["Seen by Dr. Okafor.", "Well."]),
        ("Lives on Oak St. Louisa came.", ["Lives on Oak St. Louisa came."]),
        ("Maria T. Okafor called.", ["Maria T. Okafor called."]),
        ("INR 2.5 today", ["INR 2.5 today"]),
        ("PLAN:\nrest\n\nHOME: well", ["PLAN:", "rest", "HOME: well"]),
        ("- aspirin\n- rest", ["- aspirin", "- rest"]),
        ("1. aspirin\n2) rest", ["1. aspirin", "2) rest"]),
        ("Maria Okafor\n12 Oak Street\nBoston", ["Maria Okafor", "12 Oak Street", "Boston"]),
        ("Name: Maria\nDOB: 4/5/61", ["Name: Maria", "DOB: 4/5/61"]),
        ("INR | 2.5 | 3 mg", ["INR", "2.5", "3 mg"]),
        ("Okafor, Maria     RH123", ["Okafor, Maria", "RH123"]),
        (
            "The patient was seen again in the clinic this morning by\nMaria Okafor, who agreed",
            ["The patient was seen again in the clinic this morning by\nMaria Okafor, who agreed"],
        ),
        ("short line\nand its rest", ["short line\nand its rest"]),
        ("He was seen 1/2/93.He was well.Then left.", ["He was seen 1/2/93.", "He was well.", "Then left."]),
        ("Seen on Jan. 5 and Sept. 3.", ["Seen on Jan. 5 and Sept. 3."]),
        ("12 Oak Ave. Apt. 4B, Boston, Mass. 02114.", ["12 Oak Ave. Apt. 4B, Boston, Mass. 02114."]),
        ("Seen by Dr.\nOkafor today", ["Seen by Dr.\nOkafor today"]),
        ("Seen by Dr.\r\nOkafor today", ["Seen by Dr.\r\nOkafor today"]),
        ("Meds: 1. Aspirin daily. 2. Rest", ["Meds: 1. Aspirin daily.", "2. Rest"]),
        ("INR was 2. He left", ["INR was 2.", "He left"]),
        ('"I feel well." She left. (See note.) OK', ['"I feel well."', "She left.", "(See note.)", "OK"]),
        ("a) aspirin\n(1) rest\n#2 walk\n+ eat\n# HTN", ["a) aspirin", "(1) rest", "#2 walk", "+ eat", "# HTN"]),
        ("o aspirin\no rest\n>> walk", ["o aspirin", "o rest", ">> walk"]),
        ("page one\fpage two", ["page one", "page two"]),
        ("BP 120/80\r\nHR 72\r\n\r\nWell", ["BP 120/80", "HR 72", "Well"]),
        ("mail Maria.Okafor@x.org now", ["mail Maria.Okafor@x.org now"]),
        ("St.Mary's and Dr.Okafor came", ["St.Mary's and Dr.Okafor came"]),
        ("Plan... Will call! OK? Yes", ["Plan...", "Will call!", "OK?", "Yes"]),
        ("Ca 9.1, K 4.5. Mg 2", ["Ca 9.1, K 4.5.", "Mg 2"]),
        ("", []),
        (" \n\t\n ", []),
    ],
)
def test_splitting(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(st.sampled_from("aB1.:|- \n\t\u00a0é\"'(•\U0001f600"), max_size=300))
@settings(max_examples=300)
def test_every_word_lies_in_one_sentence(text: str) -> None:
    spans = split_sentences(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    covered = {i for start, end in spans for i in range(start, end)}
    assert {i for i, character in enumerate(text) if character.isalnum()} <= covered


@pytest.mark.parametrize("piece", [" ", "\n", "\n ", ". ", "a", ": ", ".'", "| ", "A\n", "a.A ", "1. ", "o \n", "\f"])
def test_long_runs_end(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    assert all(end - start <= MAX_CHARACTERS for start, end in split_sentences(text))


@given(st.text(max_size=100))
def test_tokens_are_words_and_marks_in_order(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(text[a:b] for a, b in tokens) == "".join(text.split())
    assert all(one.end <= other.start for one, other in itertools.pairwise(tokens))
