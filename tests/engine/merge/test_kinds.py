"""A person's name and an organization's agree: who is named in full is a person, and what begins a clinic's name none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span, check_spans
from deid_tasks.engine.merge.kinds import follow_credentials, follow_lists, follow_places, join_divided_organizations
from tests.support.markup import read_markup

PERSON, CLINIC = Entity.PROVIDER, Entity.FACILITY


def two_spans(marked: str) -> tuple[str, list[Span]]:
    """Return the text of "a [b] [c]", and a person and an organization at the brackets."""
    spans, text = [], ""
    for piece in marked.replace("]", "[").split("["):
        if len(spans) < 2 and text and marked[len(text) + 2 * len(spans)] == "[":
            spans.append(Span(len(text), len(text) + len(piece), (PERSON, CLINIC)[len(spans)], "transformer", 0.9))
        text += piece
    return text, spans


@pytest.mark.parametrize(
    "marked",
    [
        "From: [Torrens Vale] [Hospital], Adelaide",
        "at (the [Bharat Gramin] [Bank])",
        "to [Kelly Rose] [Pediatrics]",
    ],
)
def test_an_organization_in_two_pieces_is_one(marked):
    text, spans = two_spans(marked)
    (joined,) = join_divided_organizations(text, spans)
    assert joined.entity is CLINIC
    assert (joined.start, joined.end) == (spans[0].start, spans[1].end)


@pytest.mark.parametrize(
    "marked",
    [
        "per Dr. [Torrens Vale] [Hospital] called",
        "by [Maria Okafor] [Mercy Clinic]",
        "by [Vale, Torrens] [Hospital]",
        "by [Torrens Vale], [Hospital]",
        "by [Torrens Vale] [hospital]",
    ],
)
def test_a_person_beside_an_organization_stays(marked):
    text, spans = two_spans(marked)
    assert join_divided_organizations(text, spans) == spans


@given(st.lists(st.tuples(st.sampled_from(["Vale", "Dr. ", "Clinic", "x", ", "]), st.sampled_from([*Entity, None]))))
def test_joined_spans_are_spans(pieces):
    text, spans = "", []
    for word, entity in pieces:
        if entity is not None:
            spans.append(Span(len(text), len(text) + len(word), entity, "transformer", 0.9))
        text += f"{word} "
    joined = join_divided_organizations(text, spans)
    check_spans(joined, len(text))
    covered = {i for span in joined for i in range(span.start, span.end)}
    assert all(covered.issuperset(range(span.start, span.end)) for span in spans)


@pytest.mark.parametrize(
    ("marked", "entity"),
    [
        ("off [CITY:Ketchikan], [STATE:AK]. Disembark [PROVIDER:Ketchikan]", Entity.CITY),
        ("([PROVIDER:macon]) lives in [CITY:macon] [ZIP:31201]. To [PROVIDER:macon]", Entity.CITY),
        ("born in [CITY:Ketchikan]. Seen by [PROVIDER:Ketchikan]", Entity.PROVIDER),
        ("off [CITY:Lincoln], [STATE:NE]. Dr. [PROVIDER:Lincoln] and [PROVIDER:Lincoln]", Entity.PROVIDER),
        ("off [CITY:Lincoln], [STATE:NE]. [PROVIDER:Amy Lincoln] and [PROVIDER:Lincoln]", Entity.PROVIDER),
    ],
)
def test_a_name_that_is_a_town_of_the_note_is_that_town(marked, entity):
    text, spans = read_markup(marked)
    assert follow_places(text, spans)[-1].entity is entity


@pytest.mark.parametrize(
    ("marked", "entity"),
    [
        ("home health = [FACILITY:Lemhi Home Nursing], [CITY:Bev], [PHONE:208-555-0187]", Entity.PROVIDER),
        ("lives in [CITY:Bev]", Entity.CITY),
        ("home: [CITY:Bev], [STATE:WA]", Entity.CITY),
        ("home: [CITY:Chester]", Entity.CITY),
    ],
)
def test_a_town_that_no_list_has_is_a_person_who_is_called_so(marked, entity):
    text, spans = read_markup(marked)
    index = next(i for i, span in enumerate(spans) if span.entity is Entity.CITY)
    assert follow_lists(text, spans)[index].entity is entity


def test_a_hospital_that_is_named_after_a_person_is_one():
    text, spans = read_markup("To: [FACILITY:Dr] [PROVIDER:Mackessack]'[FACILITY:s Hospital], [CITY:Elgin]")
    joined = join_divided_organizations(text, spans)
    assert [text[span.start : span.end] for span in joined] == ["Dr Mackessack's Hospital", "Elgin"]


def test_a_town_of_a_saint_is_one():
    text, spans = read_markup("lives in [CITY:St]. [PATIENT:Louis Park], saw [CITY:Wells] [PATIENT:Louis]")
    joined = join_divided_organizations(text, spans)
    assert [text[span.start : span.end] for span in joined] == ["St. Louis Park", "Wells", "Louis"]


@pytest.mark.parametrize(
    ("marked", "entity"),
    [
        ("Blood bank, [FACILITY:Mariam Khachatryan] MLS: check OK", Entity.PROVIDER),
        ("per [ORGANIZATION:Ann Beth Cole], RN", Entity.PROVIDER),
        ("at [FACILITY:Cedar Hospital] RN desk", Entity.FACILITY),
        ("Pool: [FACILITY:Tidewater Family Med] RN", Entity.FACILITY),
        ("Pool: [PROVIDER:Tidewater Family Med] desk", Entity.FACILITY),
        ("at [FACILITY:Khachatryan] MLS", Entity.FACILITY),
        ("at [FACILITY:Mariam Khachatryan] today", Entity.FACILITY),
    ],
)
def test_an_organization_with_a_credential_is_a_clinician(marked, entity):
    text, spans = read_markup(marked)
    assert follow_credentials(text, spans)[0].entity is entity


JOINED = [
    "cook at [ORGANIZATION:Pearl]'s [ORGANIZATION:Oyster House]. Lives",
    "cook at [PATIENT:Pearl]'s [ORGANIZATION:Oyster House]. Lives",
    "AT [FACILITY:EASTERN SNAKE] [FACILITY:RIVER MED CTR] NOW",
    "Brother at [ORGANIZATION:Univ. of Western] [STATE:Nevada].",
    "in [CITY:Scoil Naomh] [ORGANIZATION:Cormac] now",
    "ID we have is [PATIENT:WAX] [OTHER_ID:40917722].",
    "Scribe: [PROVIDER:HPATEL]7",
]
APART = [
    "in [RELATIVE:Pearl]'s [FACILITY:Riverside Clinic] room",
    "AT [FACILITY:SNAKE HOSPITAL] [FACILITY:RIVER CLINIC] NOW",
    "at [FACILITY:Snake] [FACILITY:River Clinic] now",
    "at [ORGANIZATION:University of] [STATE:South Dakota]",
    "Pt: [PATIENT:LEE] [OTHER_ID:40917722]",
    "[PROVIDER:HER]2 negative",
]


@pytest.mark.parametrize("marked", JOINED)
def test_pieces_of_one_name_or_number_are_joined(marked):
    text, spans = read_markup(marked)
    [joined] = join_divided_organizations(text, spans)
    assert joined.start == spans[0].start
    assert joined.end >= spans[-1].end


@pytest.mark.parametrize("marked", APART)
def test_what_is_no_piece_stays_apart(marked):
    text, spans = read_markup(marked)
    assert join_divided_organizations(text, spans) == spans
