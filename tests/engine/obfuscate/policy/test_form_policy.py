"""Pieces of spans, and what a policy makes of each."""

import datetime

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.policy import FormPolicy
from deid_tasks.settings import PolicySettings
from tests.support.markup import read_markup


def pieces(marked, preset="safe-harbor", written_at=None, **policy):
    text, spans = read_markup(marked)
    found = FormPolicy(PolicySettings(preset=preset, **policy)).pieces(text, spans, written_at)
    return [(text[one.span.start : one.span.end], str(one.span.entity), str(one.form), one.action) for one in found]


@pytest.mark.parametrize(
    ("marked", "parts"),
    [
        ("[CITY:Springfield, OH 45502]", ["CITY Springfield", "STATE OH", "ZIP 45502"]),
        (
            "[STREET:12 Elm St, Springfield, OH 45502-1234, USA]",
            ["STREET 12 Elm St", "CITY Springfield", "STATE OH", "ZIP 45502-1234", "COUNTRY USA"],
        ),
        ("[STATE:OH 45502]", ["STATE OH", "ZIP 45502"]),
        ("[LOCATION_OTHER:Cook County, Illinois]", ["LOCATION_OTHER Cook County", "STATE Illinois"]),
        ("[STREET:12 Main Street, Ohio]", ["STREET 12 Main Street", "STATE Ohio"]),
        ("[STREET:12345 Ohio]", ["STREET 12345 Ohio"]),
        ("[CITY:Kansas City]", ["CITY Kansas City"]),
        ("[CITY:Virginia Beach]", ["CITY Virginia Beach"]),
        ("[CITY:Ohio]", ["CITY Ohio"]),
        ("[FACILITY:Mercy Hospital, Springfield, OH]", ["FACILITY Mercy Hospital, Springfield, OH"]),
    ],
)
def test_an_address_in_one_span_is_divided_into_its_parts(marked, parts):
    assert [f"{entity} {text}" for text, entity, _, _ in pieces(marked)] == parts
    [whole] = pieces(marked, "expert")
    assert whole[0] == read_markup(marked)[0]


@pytest.mark.parametrize(
    ("marked", "entities"),
    [
        ("moved to [STATE:New York]", ["CITY"]),
        ("[CITY:Buffalo], [STATE:New York]", ["CITY", "STATE"]),
        ("[STATE:New York] [ZIP:14201]", ["STATE", "ZIP"]),
        ("moved to [STATE:Ohio]", ["STATE"]),
        ("moved to [STATE:NY]", ["STATE"]),
    ],
)
def test_a_state_that_may_be_a_town_is_one_outside_of_an_address(marked, entities):
    assert [entity for _, entity, _, _ in pieces(marked)] == entities


def test_a_later_note_judges_birth_years_by_its_own_year():
    later = datetime.datetime(2040, 5, 1)
    assert pieces("born [DATE:1945]")[0][3] == "keep"
    assert pieces("born [DATE:1945]", written_at=later)[0][3] == "surrogate"


def test_departures_from_a_preset():
    changed = PolicySettings(preset="safe-harbor", forms={"clinician": "keep", "year": "mask"})
    assert changed.name == "safe-harbor with changes"
    assert [one[3] for one in pieces("[PROVIDER:Lee] in [DATE:2019]", **changed.model_dump(include={"forms"}))] == [
        "keep",
        "mask",
    ]
    assert PolicySettings(preset="safe-harbor", forms={"year": "keep"}).name == "safe-harbor"


def test_identifiers_are_what_does_not_stay_and_under_expert_all():
    text, spans = read_markup("[DATE:2019], [TIME:14:35], [AGE:54], [CITY:Springfield, OH]")

    def found(preset):
        policy = FormPolicy(PolicySettings(preset=preset))
        return [text[one.span.start : one.span.end] for one in policy.identifiers(text, spans)]

    assert found("expert") == ["2019", "14:35", "54", "Springfield, OH"]
    assert found("safe-harbor") == ["14:35", "Springfield"]
    assert found("limited-dataset") == []
    assert found("i2b2-2006") == ["Springfield", "OH"]
    assert found("gdpr") == ["2019", "14:35", "54", "Springfield", "OH"]


def test_without_forms_nothing_is_left_out_of_scores():
    text, spans = read_markup("[TIME:14:35]")
    assert FormPolicy(PolicySettings()).kept(text, spans) == []
    assert [span.entity for span in FormPolicy(PolicySettings(preset="i2b2-2014")).kept(text, spans)] == [Entity.TIME]
