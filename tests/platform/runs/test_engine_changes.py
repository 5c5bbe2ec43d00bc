"""What a changed policy lets come out differently, told from what is stored of two promoted engines."""

import datetime

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.platform.runs import engine_changes
from deid_tasks.platform.warehouse.promoted_engines import PromotedEngine
from deid_tasks.settings import PolicySettings

DAY = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)


def engine(**policy):
    section = PolicySettings(**policy).model_dump_json()
    return PromotedEngine(str(policy), str(policy), "lexicon", "people", "", DAY, "c", DAY, "same", section)


def change(before, after):
    return engine_changes._change(None, None, engine(**before), engine(**after))


@pytest.mark.parametrize("preset", ["expert", "safe-harbor", "gdpr"])
def test_where_dates_begin_to_stay_every_note_is_read_again_for_its_time_was_moved(preset):
    for pair in ((preset, "limited-dataset"), ("limited-dataset", preset)):
        assert change(*({"preset": name} for name in pair)).whole is engine_changes.StaleCause.POLICY


def test_where_they_do_not_the_entities_decide():
    found = change({"preset": "safe-harbor"}, {"preset": "safe-harbor", "forms": {"clinician": "keep"}})
    assert (found.whole, found.entities) == (None, {Entity.PROVIDER})


def test_a_policy_of_an_earlier_release_is_read():
    former = engine()
    stored = '{"group": "C", "keep": ["TIME"], "max_kept_age_years": 89}'
    old = PromotedEngine("old", "old", "lexicon", "people", "", DAY, "c", DAY, "same", stored)
    assert engine_changes._change(None, None, old, former).entities == frozenset()
