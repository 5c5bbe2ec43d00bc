"""Models that vote, detectors that rank by entity, and names that are found wherever else they stand."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span, check_spans
from deid_tasks.engine.merge import merge_spans
from deid_tasks.engine.merge.propagate import propagate
from deid_tasks.engine.merge.votes import elect
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings, PropagationSettings
from tests.support.markup import read_markup


def written(text: str, spans: list[Span]) -> str:
    for span in reversed(spans):
        text = f"{text[: span.start]}[{span.entity}:{text[span.start : span.end]}]{text[span.end :]}"
    return text


def merge(marked: dict[str, str], chosen: MergeSettings) -> str:
    read = {name: read_markup(value) for name, value in marked.items()}
    text = next(iter(read.values()))[0]
    return written(text, merge_spans(Document("n", text), {name: spans for name, (_, spans) in read.items()}, chosen))


ONE, TWO, THREE = "transformer:one", "transformer:two", "transformer:three"


@pytest.mark.parametrize(
    ("marked", "chosen", "expected"),
    [
        ({ONE: "[CITY:Lima] a", TWO: "Lima [CITY:a]"}, {}, "[CITY:Lima] [CITY:a]"),
        ({ONE: "[CITY:Lima] a", TWO: "Lima [CITY:a]"}, {"votes": 2}, "Lima a"),
        ({ONE: "[CITY:Lima] b", TWO: "[PATIENT:Lima] b"}, {"votes": 2}, "[PATIENT:Lima] b"),
        ({ONE: "[CITY:San Lima] b", TWO: "San [CITY:Lima b]"}, {"votes": 2}, "San [CITY:Lima] b"),
        ({ONE: "[CITY:Lima] b", TWO: "Lima b", THREE: "[CITY:Lima b]"}, {"votes": 2}, "[CITY:Lima] b"),
        ({ONE: "[CITY:Lima] b", TWO: "Lima b", THREE: "[CITY:Lima b]"}, {"votes": 3}, "Lima b"),
        # one model cannot be outvoted, and other detectors need no vote
        ({ONE: "[CITY:Lima] b"}, {"votes": 2}, "[CITY:Lima] b"),
        ({ONE: "Lima b", TWO: "Lima b", "patterns": "[CITY:Lima] b"}, {"votes": 2}, "[CITY:Lima] b"),
        # by entity
        ({ONE: "[CITY:Lima] [AGE:9]", TWO: "Lima 9"}, {"votes_by_entity": {"CITY": 2}}, "Lima [AGE:9]"),
        ({ONE: "[CITY:Lima] [AGE:9]", TWO: "Lima 9"}, {"votes": 2, "votes_by_entity": {"CITY": 1}}, "[CITY:Lima] 9"),
        # a rank of its own for one entity of a detector
        ({"patterns": "[SSN:078-05-1120]", "patient": "[OTHER_ID:078-05-1120]"}, {}, "[OTHER_ID:078-05-1120]"),
        (
            {"patterns": "[SSN:078-05-1120]", "patient": "[OTHER_ID:078-05-1120]"},
            {"priority": ["patterns:SSN", "patient", "patterns"]},
            "[SSN:078-05-1120]",
        ),
        (
            {"patterns": "[SSN:078-05-1120]", ONE: "[DATE:078-05-1120]"},
            {"priority": ["transformer:DATE", "patterns", "transformer"]},
            "[DATE:078-05-1120]",
        ),
        (
            {"patterns": "[SSN:078-05-1120]", ONE: "[PHONE:078-05-1120]"},
            {"priority": ["transformer:DATE", "patterns", "transformer"]},
            "[SSN:078-05-1120]",
        ),
        # among models as the settings list the categories
        ({ONE: "[CITY:Lima]", TWO: "[PATIENT:Lima]"}, {"category_priority": ["LOCATION", "NAME"]}, "[CITY:Lima]"),
    ],
)
def test_votes_and_ranks(marked: dict[str, str], chosen: dict[str, object], expected: str) -> None:
    assert merge(marked, MergeSettings.model_validate(chosen)) == expected


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"priority": ["patterns", "magic"]}, "'magic' is neither a detector"),
        ({"priority": ["patterns:DRAGON"]}, "'patterns:DRAGON' is neither a detector"),
        ({"priority": ["patterns", "patterns"]}, "twice"),
        ({"votes": 0}, "greater than or equal to 1"),
        ({"votes_by_entity": {"CITY": 0}}, "CITY must need at least 1 vote"),
    ],
)
def test_settings_that_mean_nothing_are_refused(chosen: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        MergeSettings.model_validate(chosen)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("[PATIENT:Okafor] came. Okafor left.", "[PATIENT:Okafor] came. [PATIENT:Okafor] left."),
        ("Dr. [PROVIDER:Ana Okafor]; OKAFOR, A", "Dr. [PROVIDER:Ana Okafor]; [PROVIDER:OKAFOR], A"),
        ("[PATIENT:OKAFOR] okafor Okafor's", "[PATIENT:OKAFOR] okafor [PATIENT:Okafor]'s"),
        ("[RELATIVE:O'Brien-Lee] and O'BRIEN-LEE", "[RELATIVE:O'Brien-Lee] and [RELATIVE:O'BRIEN-LEE]"),
        # everyday words, short words, parts of words, other entities, small letters
        ("[PATIENT:Rose Young]. Rose is young. Young", "[PATIENT:Rose Young]. Rose is young. Young"),
        ("[PATIENT:Violet Rue]\nViolet  ext. 4", "[PATIENT:Violet Rue]\n[PATIENT:Violet]  ext. 4"),  # a rare word
        ("[PATIENT:Two Elk, Ann]. TWO ELK", "[PATIENT:Two Elk, Ann]. [PATIENT:TWO ELK]"),
        ("[PATIENT:Lee Ng] Lee Ng", "[PATIENT:Lee Ng] Lee Ng"),
        ("[PATIENT:Okafor] Okaforia xOkafor Okafor_1", "[PATIENT:Okafor] Okaforia xOkafor Okafor_1"),
        ("[CITY:Quito] Quito", "[CITY:Quito] Quito"),
        ("[PATIENT:okafor] Okafor", "[PATIENT:okafor] Okafor"),
        # nicknames in quotes, which are words too; not a word at the head of a sentence, nor another name
        (
            '[PATIENT:Ostby, Alf] "[PATIENT:Spud" R]. Spud oriented 1/4. A spud',
            '[PATIENT:Ostby, Alf] "[PATIENT:Spud" R]. [PATIENT:Spud] oriented 1/4. A spud',
        ),
        (
            '[PATIENT:OSTBY, Alf]   "[PATIENT:Red]" M. He was "80% Red". Red rash. RED. See Red Lake Inn',
            '[PATIENT:OSTBY, Alf]   "[PATIENT:Red]" M. He was "80% [PATIENT:Red]". Red rash. RED. See Red Lake Inn',
        ),
        ('he said "[PATIENT:Rusty]" twice. Rusty sputum', 'he said "[PATIENT:Rusty]" twice. Rusty sputum'),
        # organizations by their first word, behind "the" or a preposition
        (
            "[FACILITY:Lowcountry Internal Med]; he has the Lowcountry number. Lowcountry is flat",
            "[FACILITY:Lowcountry Internal Med]; he has the [FACILITY:Lowcountry] number. Lowcountry is flat",
        ),
        ("[FACILITY:Valley Medical Group]. In the Valley", "[FACILITY:Valley Medical Group]. In the Valley"),
        # what is covered stays as it is
        ("[PATIENT:Okafor] [FACILITY:Okafor Clinic]", "[PATIENT:Okafor] [FACILITY:Okafor Clinic]"),
        ("", ""),
    ],
)
def test_mentions_of_a_name(marked: str, expected: str) -> None:
    text, spans = read_markup(marked)
    assert written(text, propagate(text, spans, PropagationSettings())) == expected


def test_a_name_that_is_not_sure_stays_where_it_is() -> None:
    text = "Okafor came. Okafor left."
    doubtful = [Span(0, 6, Entity.PATIENT, "transformer", 0.7)]
    assert propagate(text, doubtful, PropagationSettings()) == doubtful
    assert len(propagate(text, doubtful, PropagationSettings(min_score=0.6))) == 2
    found = merge_spans(Document("n", text), {"patterns": [Span(0, 6, Entity.PATIENT)]}, MergeSettings())
    assert [span.detector for span in found] == ["patterns", "propagation"]
    off = MergeSettings(propagation=PropagationSettings(enabled=False))
    assert len(merge_spans(Document("n", text), {"patterns": [Span(0, 6, Entity.PATIENT)]}, off)) == 1


@st.composite
def _found(draw: st.DrawFn) -> tuple[str, dict[str, list[Span]]]:
    text = draw(st.text(st.sampled_from("Okafr LeeX.-'\n"), min_size=1, max_size=60))
    found: dict[str, list[Span]] = {ONE: [], TWO: [], THREE: [], "patterns": []}
    for _ in range(draw(st.integers(0, 10))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        entity = draw(st.sampled_from([Entity.PATIENT, Entity.PROVIDER, Entity.CITY]))
        found[draw(st.sampled_from(sorted(found)))].append(Span(start, end, entity))
    return text, found


@given(_found(), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=200)
def test_votes_and_mentions_keep_order_and_bounds(
    drawn: tuple[str, dict[str, list[Span]]], votes: int, seed: int
) -> None:
    text, found = drawn
    chosen = MergeSettings(votes=votes, propagation=PropagationSettings(min_letters=2))
    merged = merge_spans(Document("n", text), found, chosen)
    check_spans(merged, len(text))
    shuffled = {name: random.Random(seed).sample(spans, len(spans)) for name, spans in reversed(found.items())}
    assert merge_spans(Document("n", text), shuffled, chosen) == merged
    counts = [
        sum(any(s.start <= i < s.end for s in found[name]) for name in (ONE, TWO, THREE)) for i in range(len(text))
    ]
    for name, spans in elect(found, chosen).items():
        for span in spans:
            if name != "patterns":
                assert all(counts[i] >= min(votes, 3) for i in range(span.start, span.end))


def test_mentions_cost_little_in_a_long_note() -> None:
    text = "Okafor and Adeyemi came to see Marchetti. " * 5_000
    spans = [Span(0, 6, Entity.PATIENT), Span(11, 18, Entity.PROVIDER), Span(31, 40, Entity.PROVIDER)]
    found = propagate(text, spans, PropagationSettings())
    check_spans(found, len(text))
    assert len(found) == 15_000
