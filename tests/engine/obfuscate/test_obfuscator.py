"""What holds for every note, whatever stands in it."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text import Document
from tests.support.markup import read_markup
from tests.support.surrogate_cases import MARIA, WRITTEN_AT, obfuscator

NOTE = (
    "[PATIENT:Maria Okafor], [AGE:92]-year-old, seen [DATE:3/14/2021] [TIME:08:35] at [FACILITY:Mercy], [CITY:Boston],"
    " [STATE:MA] by [PROVIDER:Ann Lee]"
)


@pytest.mark.parametrize(
    ("age", "made"),
    [
        ("[AGE:92]-year-old", "89+-year-old"),
        ("[AGE:95yrs 2 months]", "89+yrs 2 months"),
        ("[AGE:85-95]", "85-89+"),
        ("[AGE:92 or 93]", "89+"),
        ("[AGE:103 weeks]", "103 weeks"),
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
    from deid_tasks.engine.obfuscate import Obfuscator
    from deid_tasks.settings import ObfuscateSettings, PolicySettings

    text, spans = read_markup(NOTE)
    made = {
        Obfuscator(bytes([i]) * 32, "riverside", PolicySettings(), ObfuscateSettings(key="key"))
        .obfuscate(Document("n", text, "p1"), spans, MARIA, WRITTEN_AT)
        .text
        for i in range(5)
    }
    assert len(made) == 5


@pytest.mark.parametrize(
    ("earlier", "note"),
    [
        ("Home 3/2. [PROVIDER:Milos] (PA) to see her.", "Lab critical. Called [PROVIDER:Milos] at 18:50."),
        ("Lab critical. Called [PROVIDER:Milos] at 18:50.", "Home 3/2. [PROVIDER:Milos] (PA) to see her."),
        ("Seen by [PROVIDER:Rosa Milos].", "Ask [PROVIDER:Milos], or [PROVIDER:Milos Vega]."),
    ],
)
def test_a_note_reads_the_same_whatever_notes_came_before(earlier, note):
    def rewrite(maker, marked):
        text, spans = read_markup(marked)
        return maker.obfuscate(Document("n", text, "p1"), spans, MARIA, WRITTEN_AT).text

    maker = obfuscator()
    rewrite(maker, earlier)
    assert rewrite(maker, note) == rewrite(obfuscator(), note)
