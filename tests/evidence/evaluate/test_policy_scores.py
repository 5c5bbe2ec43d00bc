"""Scores under a policy: what it leaves in the text is neither missed nor wrong, and finds nothing."""

import pytest

from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.evidence.evaluate.span_views import SPAN_VIEWS
from deid_tasks.settings import PolicySettings
from tests.support.markup import both

STRICT = SPAN_VIEWS[0]
GOLD = (
    "[PATIENT:Maria Okafor], [AGE:54], of [CITY:Springfield], [STATE:OH] [ZIP:45502], seen in [DATE:2019]"
    " and on [DATE:3/14/2021] at [TIME:14:35]."
)
FOUND = (
    "[PATIENT:Maria Okafor], 54, of [CITY:Springfield], OH [ZIP:45502], seen in 2019 and on [DATE:3/14/2021] at 14:35."
)


def scored(gold, predicted, preset="safe-harbor", **policy):
    text, truth, found = both(gold, predicted)
    scorer = Scorer(resamples=100, policy=PolicySettings(preset=preset, **policy))
    scorer.add(text, truth, found, "p1")
    return scorer.finish()


@pytest.mark.parametrize(
    ("preset", "missed"),
    [("expert", 5), ("safe-harbor", 2), ("limited-dataset", 0), ("i2b2-2014", 3), ("i2b2-2006", 1), ("gdpr", 5)],
)
def test_missed_words_by_policy(preset, missed):
    evaluation = scored(GOLD, FOUND, preset)
    assert evaluation.find().counts.false_negatives == missed
    assert evaluation.policy == evaluation.document()["policy"] == preset


def test_finding_what_a_policy_leaves_is_not_wrong():
    evaluation = scored(GOLD, GOLD)
    assert (evaluation.recall, evaluation.precision) == (1.0, 1.0)
    for view in SPAN_VIEWS:
        assert evaluation.find(view).counts.false_positives == 0
        assert evaluation.find(view).value == 1.0
    assert scored("in 2019", "in [DATE:2019]").find().counts.false_positives == 0
    assert scored("in 3/14", "in [DATE:3/14]").find().counts.false_positives == 2


def test_an_identifier_found_as_something_that_stays_is_missed():
    evaluation = scored("in [CITY:Ohio]", "in [STATE:Ohio]")
    assert evaluation.find().counts.false_negatives == 1
    assert scored("in [CITY:Ohio]", "in [STATE:Ohio]", "expert").find().counts.false_negatives == 0


def test_titles_and_units_out_of_spans_make_guides_agree():
    gold, predicted = "[PROVIDER:Dr. Lee], [AGE:54-year-old]", "Dr. [PROVIDER:Lee], [AGE:54]-year-old"
    assert scored(gold, predicted, "expert").find(STRICT).value == 0.0
    assert scored(gold, predicted, "expert", titles="out", age_units="out").find(STRICT).value == 1.0
    assert scored(gold, predicted, "expert", titles="in", age_units="in").find(STRICT).value == 1.0
    assert scored(gold, predicted, "i2b2-2014").find(STRICT).value == 1.0


def test_a_fresh_scorer_has_the_same_policy():
    assert Scorer(resamples=100, policy=PolicySettings(preset="gdpr")).fresh().finish().policy == "gdpr"
