"""What holds for every note, whatever stands in it."""

import pytest
from conftest import MARIA, WRITTEN_AT, obfuscator, parse
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.entities import Entity
from deid_tasks.span import Span
from deid_tasks.text import Document

NOTE = "[PATIENT:Maria Okafor], [AGE:92]-year-old, seen [DATE:3/14/2021] [TIME:08:35] at [FACILITY:Mercy], [CITY:Boston], [STATE:MA] by [PROVIDER:Ann Lee]"


@pytest.mark.parametrize(
    ("age", "made"),
    [
        ("[AGE:92]-year-old", "89+-year-old"),
        ("[AGE:45]yo", "45yo"),
        ("[AGE:89] years", "89 years"),
        ("[AGE:92yo]", "89+yo"),
        ("in her [AGE:90s]", "in her 89+"),
        ("[AGE:ninety-two] years old", "89+ years old"),
        ("[AGE:100 days] old", "100 days old"),
    ],
)
def test_only_ages_of_safe_harbor_are_capped(rewrite, age, made):
    assert rewrite(age) == made


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        ({"group": "C"}, {"08:35"}),
        ({"group": "B"}, {"08:35", "Mercy", "MA"}),
        ({"group": "A"}, {"08:35", "Mercy", "MA", "Ann Lee"}),
        ({"group": "C", "keep": ("DATE",)}, {"3/14/2021"}),
    ],
)
def test_the_policy_decides_what_is_transformed(rewrite, policy, kept):
    made = rewrite(NOTE, maker=obfuscator(**policy))
    for part in ("Maria Okafor", "3/14/2021", "08:35", "Mercy", "Boston", "MA", "Ann Lee"):
        assert (part in made.replace(", ", " , ").split(" , ") or f"{part} " in made or f" {part}" in made) == (
            part in kept
        ), part


def test_spans_out_of_order_or_overlapping_are_refused():
    document = Document("n", "Maria Okafor", "p1")
    for spans in (
        [Span(6, 12, Entity.PATIENT), Span(0, 5, Entity.PATIENT)],
        [Span(0, 8, Entity.PATIENT), Span(6, 12, Entity.PATIENT)],
    ):
        with pytest.raises(ValueError, match="span"):
            obfuscator().obfuscate(document, spans, MARIA, WRITTEN_AT)
    with pytest.raises(ValueError, match="outside"):
        obfuscator().obfuscate(document, [Span(0, 99, Entity.PATIENT)], MARIA, WRITTEN_AT)


def test_another_key_gives_other_surrogates():
    from deid_tasks.obfuscate import Obfuscator
    from deid_tasks.settings.model import ObfuscateSettings, PolicySettings

    text, spans = parse(NOTE)
    made = {
        Obfuscator(bytes([i]) * 32, "riverside", PolicySettings(), ObfuscateSettings(key="key"))
        .obfuscate(Document("n", text, "p1"), spans, MARIA, WRITTEN_AT)
        .text
        for i in range(5)
    }
    assert len(made) == 5


@st.composite
def marked_notes(draw):
    pieces = draw(
        st.lists(
            st.tuples(st.text(max_size=8), st.text(min_size=1, max_size=14), st.sampled_from(list(Entity))), max_size=6
        )
    )
    text, spans = "", []
    for between, value, entity in pieces:
        text += between
        spans.append(Span(len(text), len(text) + len(value), entity))
        text += value
    return text + draw(st.text(max_size=5)), spans


@settings(max_examples=300, deadline=None)
@given(marked_notes(), st.booleans())
def test_any_text_in_any_span(note, is_known):
    text, spans = note
    record = MARIA if is_known else None
    document = Document("n", text, "p1")
    made = obfuscator().obfuscate(document, spans, record, WRITTEN_AT)
    assert made == obfuscator().obfuscate(Document("other", text, "p1"), spans, record, WRITTEN_AT)
    # What lies between the surrogates is what lay between the spans, in order and to the byte.
    kept, position = [], 0
    for start, end in made.replaced:
        kept.append(made.text[position:start])
        position = end
    kept.append(made.text[position:])
    remainder = text
    for piece in kept:
        assert piece in remainder
        remainder = remainder[remainder.index(piece) + len(piece) :]
    assert sum(map(len, kept)) >= len(text) - sum(map(len, spans))
