"""Notations are found by candidates first, and recovery reads documents in batches; both must change nothing."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import text_batches
from deid_tasks.engine.recover import recover, recover_all
from deid_tasks.engine.recover.syntax import SYNTAX, find_notations, without_conditions
from deid_tasks.engine.text import Document
from tests.support.small_notes import small_notes

PIECES = st.sampled_from(["T2N1M0", "BP ", "132/78", " ", "c.35delG", "HLA-B*27:05", "G2P1", "L4-L5", "grade 2/6", "é",
"AST 45", "C6 level", "."])  # fmt: skip


def all_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in SYNTAX.finditer(text)]


def test_opening_hours_are_a_notation_with_their_weekdays() -> None:
    text = "open 7-4 Mon to Fri, hours: 8-5, open 7-4-24"
    assert [text[start:end] for start, end in find_notations(text)] == ["open 7-4 Mon to Fri", "hours: 8-5"]


def test_candidates_give_what_the_whole_expression_finds_in_notes() -> None:
    assert all(find_notations(note.text) == all_of(note.text) for note in small_notes(60))


@settings(max_examples=100)
@given(st.lists(st.one_of(PIECES, st.text(string.printable + "éß２", max_size=5)), max_size=12).map("".join))
def test_candidates_give_what_the_whole_expression_finds_in_any_text(text: str) -> None:
    assert find_notations(text) == all_of(text)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a(?=b(c|d))e", "ae"),
        (r"(?<![\w.])x(?!\()y", "xy"),
        (r"[(?=]\(?=\)", r"[(?=]\(?=\)"),
        ("(?:a|b(?= (?:c)))d", "(?:a|b)d"),
    ],
)
def test_conditions_are_taken_out_whole(expression: str, expected: str) -> None:
    assert without_conditions(expression) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "([M0040]) Name: ESPINOZA",
        "M1860 conflicts with [GG0170I]",
        "[ePatient.15] age",
        "OBX|3|NM|[33914-3]^EGFR CKD-EPI^LN||20",
        "L breast mass [2:00], BI-RADS 5",
        "HST at [12:30]; laser scars",
        "CYP2D6 *4/*[4 PM], CYP2C19 *1/*17",
        "trunk searched by [PD], bottles to security",
        "came by [EMS] on Sunday",
        "FXTAS and FXPOI reviewed by [GC]",
        "Fulminant by [KCC]: INR 7.1",
        "CVF full to [FC] OD.",
        "Rx sent, [PA] needed for Ozempic.",
        "murmur, [AR] PHT 190",
        "fall from ladder hanging [Christmas] lights",
        "[Christmas] factor normal",
    ],
)
def test_codes_of_forms_and_places_on_a_clock_face_are_notations(marked: str) -> None:
    text = marked.replace("[", "").replace("]", "")
    start, end = marked.index("["), marked.index("]") - 1
    assert any(first <= start and end <= last for first, last in find_notations(text))


@pytest.mark.parametrize(
    "text",
    [
        "reviewed by GC, RN",
        "results signed by GC",
        "seen by PD and discharged",
        "lives in Erie, PA pending placement",
        "admitted over Christmas with CHF",
        "seen by FC OD",
    ],
)
def test_letters_of_people_states_and_holidays_are_no_notation(text: str) -> None:
    assert not find_notations(text)


@pytest.mark.parametrize("text", ["seen at 2:00 today", "mass excised, 2:00 pm start", "OKPARA^NGOZI^^^DR"])
def test_times_and_numbers_of_people_are_no_notation(text: str) -> None:
    assert not [text[a:b] for a, b in find_notations(text) if "2:00" in text[a:b] or "OKPARA" in text[a:b]]


def test_many_documents_are_read_as_each_is_alone() -> None:
    documents = [Document(note.note_id, note.text) for note in small_notes(60)]
    spans = [
        [Span(a, b, Entity.PATIENT, "transformer") for a, b in one.tokens[:: 3 + number % 3]]
        for number, one in enumerate(documents)
    ]
    together = recover_all(documents, spans)
    assert together == [recover(document, found) for document, found in zip(documents, spans, strict=True)]
    assert sum(len(result.recovered) for result in together) > 100


def test_batches_hold_every_text_once_in_order() -> None:
    texts = ["x" * 100_000] * 7
    assert list(text_batches(texts)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(text_batches([])) == []
