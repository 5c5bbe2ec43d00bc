"""Spans of one note agree: what is joined, what changes its kind, and that the policy's differences hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span, check_spans
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.obfuscate.span_agreement import agree_spans
from deid_tasks.engine.text import Document
from deid_tasks.settings import ObfuscateSettings, PolicySettings
from tests.support.markup import read_markup
from tests.support.surrogate_cases import WRITTEN_AT

WORDS = (
    *("Prairie", "Rose", "Pediatrics", "Robert", "Bob", "Moss", "FT", "LANGDON", "ST", "Royal", "Ave", "Men", "s", "Clinic"),
    *("Wis", "53590", "Monday", "1st", "January", "2024", "Fri", "resident", "in", "Co", "Cork", "SA", "0141", "496 0128"),
)  # fmt: skip
GAPS = (" ", ". ", ", ", "'", " (", ") ", ' "', '" ', "\n", " im ")
ENTITIES = (
    *(Entity.PATIENT, Entity.PROVIDER, Entity.FACILITY, Entity.ORGANIZATION, Entity.CITY, Entity.STATE, Entity.ZIP),
    *(Entity.DATE, Entity.AGE, Entity.LOCATION_OTHER, Entity.PROFESSION, Entity.PHONE, Entity.MRN, Entity.COUNTRY, None),
)  # fmt: skip
PIECES = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS), st.sampled_from(ENTITIES)), max_size=14)


def marked(pieces):
    text, spans = "It was so. ", []
    for word, gap, entity in pieces:
        if entity is not None:
            spans.append(Span(len(text), len(text) + len(word), entity))
        text += word + gap
    return text, spans


@settings(max_examples=600)
@given(PIECES)
def test_agreed_spans_are_spans(pieces):
    text, spans = marked(pieces)
    check_spans(agree_spans(text, spans, lambda one, other: True), len(text))


@settings(max_examples=600)
@given(PIECES, st.sets(st.sampled_from([entity for entity in ENTITIES if entity])))
def test_nothing_gets_a_kind_that_the_policy_treats_otherwise(pieces, kept):
    """Characters of entities that are replaced stay inside such entities."""
    text, spans = marked(pieces)
    agreed = agree_spans(text, spans, lambda one, other: (one in kept) == (other in kept))
    for span in spans:
        if span.entity in kept:
            continue
        over = [one for one in agreed if one.start < span.end and span.start < one.end]
        assert all(one.entity not in kept for one in over)
        covered = {index for one in over for index in range(one.start, one.end)}
        left = "".join(text[index] for index in range(span.start, span.end) if index not in covered)
        assert not any(map(str.isalnum, left))


@pytest.mark.parametrize(
    ("note", "entities"),
    [
        ("[PROVIDER:Prairie Rose] Pediatrics", ["ORGANIZATION"]),
        ("Dr. [PROVIDER:Prairie Rose] Pediatrics", ["PROVIDER"]),
        ("[PROVIDER:Kelly Rose] Pediatrics", ["PROVIDER"]),
        ("[FACILITY:Royal Ave]", ["STREET"]),
        ("[FACILITY:Royal Ave Clinic]", ["FACILITY"]),
        ("[CITY:Sun Prairie Wis]. [MRN:53590]", ["CITY", "STATE", "ZIP"]),
        ("[CITY:Frankfurt am Main]", ["CITY"]),
        ("[PATIENT:Easter] ate", ["PATIENT"]),
        ("[DATE:Monday 1st] [DATE:January] [DATE:2024]", ["DATE"]),
        ("[COUNTRY:Kerala]", ["STATE"]),
        ("[CITY:Orange] [STATE:TX], at [FACILITY:Orange]", ["CITY", "STATE", "FACILITY"]),
    ],
)
def test_kinds(note, entities):
    text, spans = read_markup(note)
    agreed = agree_spans(text, spans, lambda one, other: True)
    assert [str(span.entity) for span in agreed] == [str(Entity[name]) for name in entities]


def test_an_entity_that_the_policy_keeps_takes_no_name():
    """Where organizations stay, a name before "Pediatrics" is still replaced."""
    text, spans = read_markup("[PROVIDER:Prairie Rose] Pediatrics")
    made = ObfuscateSettings(key="key", date_shift_days=(-15, -15), modes={"ORGANIZATION": "keep", "FACILITY": "keep"})
    maker = Obfuscator(bytes(range(32)), "riverside", PolicySettings(), made)
    assert "Prairie" not in maker.obfuscate(Document("n1", text, None), spans, None, WRITTEN_AT).text
