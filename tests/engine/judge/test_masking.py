"""The sentence that is asked about shows one span, and masks everything else that was found."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.judge import uncertain_note
from deid_tasks.engine.judge.masking import NoteMask
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.sentences import split_sentences

TEXT = "Ms. Brennock called on 02/11/2019. Dr. Okafor placed a Foley for Ms. Brennock at noon. Plan: walk with Hope."
BAND = (0.05, 0.9)


def span(word, score=1.0, entity=Entity.PATIENT, detector="transformer", occurrence=0, text=TEXT):
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(word, start + 1)
    return Span(start, start + len(word), entity, detector, score)


FOUND = [
    span("Brennock", 0.99),
    span("02/11/2019", 1.0, Entity.DATE, "patterns"),
    span("Okafor", 0.97, Entity.PROVIDER),
    span("Foley", 0.4, Entity.PROVIDER),
    span("Brennock", 0.99, occurrence=1),
    span("noon", 0.5, Entity.TIME),
    span("Hope", 0.3),
]


def question(asked, found=FOUND, text=TEXT, limit=600):
    return NoteMask(text, split_sentences(text), found, limit).question(asked)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (FOUND[3], "Dr. [NAME] placed a <<Foley>> for Ms. [NAME] at [DATE]."),
        (FOUND[5], "Dr. [NAME] placed a [NAME] for Ms. [NAME] at <<noon>>."),
        (FOUND[6], "Plan: walk with <<Hope>>."),
        (FOUND[0], "Ms. <<Brennock>> called on [DATE]."),
    ],
)
def test_a_question_is_one_sentence_with_one_span_unmasked(asked, expected):
    assert question(asked) == expected


def test_a_span_beyond_its_sentence_takes_in_the_next():
    asked = Span(TEXT.index("noon"), TEXT.index("Plan") + 4, Entity.PATIENT, "transformer", 0.5)
    assert question(asked, [asked]) == ("Dr. Okafor placed a Foley for Ms. Brennock at <<noon. Plan>>: walk with Hope.")


@pytest.mark.parametrize(("limit", "expected"), [(600, None), (50, "d e f g h i j k l <<Foley>> m n o p q r s t u v")])
def test_a_long_sentence_is_cut_at_words(limit, expected):
    text = "a b c d e f g h i j k l Foley m n o p q r s t u v w x y z"
    asked = span("Foley", 0.5, text=text)
    cut = question(asked, [asked], text, limit)
    if expected is None:
        assert cut == text.replace("Foley", "<<Foley>>")
    else:
        assert len(cut) <= limit + 4
        assert "<<Foley>>" in cut
        assert set(cut.replace("<<Foley>>", "").split()) <= set(text.split())


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (Span(10, 19, Entity.PATIENT, "patterns"), "Seen with [NAME]<<Hope>> today"),
        (Span(15, 25, Entity.PATIENT, "patterns"), "Seen with Will <<Hope>>[NAME]"),
        (Span(10, 25, Entity.PATIENT, "patterns"), "Seen with [NAME]<<Hope>>[NAME]"),
        (Span(15, 19, Entity.CITY, "patterns"), "Seen with Will <<Hope>> today"),
        (Span(16, 18, Entity.CITY, "patterns"), "Seen with Will <<Hope>> today"),
    ],
)
def test_what_overlaps_the_span_is_masked_outside_it(other, expected):
    text = "Seen with Will Hope today"
    asked = Span(15, 19, Entity.PATIENT, "transformer", 0.5)
    assert NoteMask(text, [(0, len(text))], [asked, other], 600).question(asked) == expected


def uncertain(spans, by_detector, recovered=()):
    note = uncertain_note(Document("n", TEXT), spans, recovered, by_detector, BAND)
    return [TEXT[one.start : one.end] for one in note.uncertain], note


def test_only_spans_of_models_in_the_band_are_uncertain():
    words, note = uncertain(FOUND, {"transformer": FOUND})
    assert words == ["Foley", "noon", "Hope"]
    assert list(note.found) == FOUND


@pytest.mark.parametrize(
    ("detector", "score", "expected"),
    [
        ("patterns", 1.0, ["noon", "Hope"]),
        ("patient", 1.0, ["noon", "Hope"]),
        ("lexicon", 0.5, ["noon", "Hope"]),
        ("transformer:second", 0.95, ["noon", "Hope"]),
        ("transformer:second", 0.6, ["Foley", "noon", "Hope"]),
    ],
)
def test_a_span_that_anything_else_supports_is_certain(detector, score, expected):
    other = [span("Foley for", score, Entity.PROVIDER, detector)]
    assert uncertain(FOUND, {"transformer": FOUND, detector: other})[0] == expected


def test_a_name_that_propagation_marked_is_certain():
    spread = Span(FOUND[6].start, FOUND[6].end, Entity.PATIENT, "propagation", 0.5)
    assert uncertain([FOUND[3], spread], {"transformer": [FOUND[3]]})[0] == ["Foley"]


def test_what_a_vote_dropped_is_masked_and_a_medical_term_is_not():
    outvoted, term = span("Plan", 0.6), span("Foley", 0.6)
    spans = [FOUND[5], FOUND[6]]
    words, note = uncertain(spans, {"transformer": [*spans, outvoted, term]}, recovered=[term])
    assert words == ["noon", "Hope"]
    questions = [question(one, note.found) for one in note.uncertain]
    assert questions == ["Dr. Okafor placed a Foley for Ms. Brennock at <<noon>>.", "[NAME]: walk with <<Hope>>."]


def test_a_long_note_with_many_spans_takes_a_moment():
    """Questions look at their own sentence alone: 20,000 of them end."""
    text = "Walks with Hope. " * 20_000
    found = [Span(start + 11, start + 15, Entity.PATIENT, "transformer", 0.5) for start in range(0, len(text), 17)]
    note = uncertain_note(Document("n", text), found, (), {"transformer": found}, BAND)
    mask = NoteMask(text, note.sentences, note.found, 600)
    assert {mask.question(one) for one in note.uncertain} == {"Walks with <<Hope>>."}


def test_no_text_is_in_a_repr():
    assert "Brennock" not in repr(uncertain(FOUND, {"transformer": FOUND})[1])
