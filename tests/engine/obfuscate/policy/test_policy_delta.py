"""Which entities a changed policy touches."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.policy import touched_entities
from deid_tasks.settings import PolicySettings


def touched(before, after):
    return touched_entities(PolicySettings(**before), PolicySettings(**after))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({}, set()),
        ({"keep": ("TIME", "PROVIDER")}, {Entity.PROVIDER}),
        ({"max_kept_age_years": 80}, {Entity.AGE}),
        ({"titles": "out", "as_of_year": 2030}, set()),
    ],
)
def test_without_forms_entities_decide(after, expected):
    assert touched({}, after) == expected


def test_a_form_touches_its_entity_and_those_that_depend_on_it():
    sh = {"preset": "safe-harbor"}
    assert touched(sh, sh) == set()
    assert touched(sh, {**sh, "forms": {"clinician": "keep"}}) == {Entity.PROVIDER}
    assert touched(sh, {**sh, "forms": {"year": "surrogate"}}) == {Entity.DATE, Entity.TIME}
    assert touched(sh, {**sh, "as_of_year": 2030}) == {Entity.DATE, Entity.TIME}
    assert touched(sh, {**sh, "age_form": "plus"}) == {Entity.AGE}


def test_from_expert_to_safe_harbor_dates_places_ages_and_times_are_touched():
    found = touched({}, {"preset": "safe-harbor"})
    assert {Entity.DATE, Entity.TIME, Entity.AGE, Entity.STATE, Entity.CITY, Entity.ZIP} <= found
    assert Entity.PATIENT not in found
