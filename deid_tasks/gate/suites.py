"""The suites: what each checks, and in whose words a failure is told.

Great Expectations sees one row of figures and no note: nothing it keeps, prints or renders can hold an identifier.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deid_tasks.settings.model import GateSettings


@dataclass(frozen=True, slots=True)
class Check:
    """One figure and the bounds it must keep; ``meaning`` completes the sentence 'failed: …'."""

    figure: str
    meaning: str
    minimum: float | None = None
    maximum: float | None = None


def evaluation_checks(gate: GateSettings) -> tuple[Check, ...]:
    """What an evaluation on the gold set must reach for a certificate."""
    return (
        Check(
            "recall_lower_bound",
            f"lower {gate.confidence:.0%} confidence bound of word recall on the gold set",
            minimum=gate.recall_min,
        ),
        Check("precision", "word precision on the gold set", minimum=gate.precision_min),
        Check("gold_words", "identifying words in the gold set", minimum=1),
    )


def run_checks(gate: GateSettings) -> tuple[Check, ...]:
    """What one run must keep before its slice is published."""
    return (
        Check("unaccounted_notes", "notes read that were neither published nor quarantined", minimum=0, maximum=0),
        Check("audit_findings", "identifiers of the patient's own record standing in a published note", maximum=0),
        Check("quarantined_share", "share of the run's notes in quarantine", maximum=gate.max_quarantined_share),
        Check("certified", "a passing certificate for the running fingerprint (1 = yes)", minimum=1),
    )


def check_figures(suite: str, checks: Sequence[Check], figures: Mapping[str, float]) -> tuple[str, ...]:
    """Run ``checks`` as a Great Expectations suite over ``figures``; one line for each that failed, empty where all hold.

    Raises:
        KeyError: a check names a figure that is not given; nothing passes for want of a figure.
    """
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    import pandas as pd
    from great_expectations.data_context.types.base import ProgressBarsConfig

    frame = pd.DataFrame([{check.figure: float(figures[check.figure]) for check in checks}])
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    batch = (
        context.data_sources.add_pandas(suite)
        .add_dataframe_asset("figures")
        .add_batch_definition_whole_dataframe("run")
        .get_batch({"dataframe": frame})
    )
    expectations = gx.ExpectationSuite(name=suite)
    for check in checks:
        expectations.add_expectation(
            gx.expectations.ExpectColumnValuesToBeBetween(
                column=check.figure, min_value=check.minimum, max_value=check.maximum
            )
        )
        expectations.add_expectation(gx.expectations.ExpectColumnValuesToNotBeNull(column=check.figure))
    result = batch.validate(context.suites.add(expectations))
    failed = {
        outcome.expectation_config.kwargs["column"]
        for outcome in result.results
        if outcome.expectation_config and not outcome.success
    }
    return tuple(_sentence(check, figures[check.figure]) for check in checks if check.figure in failed)


def _sentence(check: Check, value: float) -> str:
    bounds = []
    if check.minimum is not None:
        bounds.append(f"at least {check.minimum:g}")
    if check.maximum is not None:
        bounds.append(f"at most {check.maximum:g}")
    return f"{check.figure} is {value:.4f}, must be {' and '.join(bounds)}: {check.meaning}"
