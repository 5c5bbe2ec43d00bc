"""The suites pass what is good, and say which figure fell short."""

import math

import pytest

from deid_tasks.gate import check_figures, evaluation_checks, run_checks
from deid_tasks.settings.model import GateSettings

GATE = GateSettings(recall_min=0.98, precision_min=0.9)
GOOD_EVALUATION = {"recall_lower_bound": 0.985, "precision": 0.95, "gold_words": 1000}
GOOD_RUN = {"unaccounted_notes": 0, "audit_findings": 0, "quarantined_share": 0.0, "certified": 1}


def test_good_figures_pass():
    assert check_figures("evaluation", evaluation_checks(GATE), GOOD_EVALUATION) == ()
    assert check_figures("run", run_checks(GATE), GOOD_RUN) == ()


@pytest.mark.parametrize(
    ("figure", "value"),
    [("recall_lower_bound", 0.9799), ("precision", 0.89), ("gold_words", 0), ("recall_lower_bound", math.nan)],
)
def test_an_evaluation_below_its_threshold_names_the_figure(figure, value):
    failures = check_figures("evaluation", evaluation_checks(GATE), {**GOOD_EVALUATION, figure: value})
    assert len(failures) == 1
    assert failures[0].startswith(figure)


@pytest.mark.parametrize(
    ("figure", "value"),
    [
        ("unaccounted_notes", 1),
        ("unaccounted_notes", -1),
        ("audit_findings", 1),
        ("quarantined_share", 0.5),
        ("certified", 0),
    ],
)
def test_a_run_that_breaks_a_rule_names_it(figure, value):
    failures = check_figures("run", run_checks(GATE), {**GOOD_RUN, figure: value})
    assert [failure.split()[0] for failure in failures] == [figure]


def test_a_missing_figure_never_passes():
    with pytest.raises(KeyError):
        check_figures("run", run_checks(GATE), {})
