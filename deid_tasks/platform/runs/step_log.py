"""One log line, one metric and one span for each run step: institution, outcome, counts, seconds, and never text."""

import functools
import inspect
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Concatenate, ParamSpec, TypeVar, cast

import structlog

from deid_tasks.engine.failures import Failure
from deid_tasks.platform.telemetry import record_step
from deid_tasks.platform.tracing import StepOfRun, traced_step
from deid_tasks.settings import InstitutionSettings, Secrets

P = ParamSpec("P")
R = TypeVar("R")
Step = Callable[Concatenate[InstitutionSettings, Secrets, P], R]


def logged_step(step: Step[P, R]) -> Step[P, R]:
    """Return the step with one line in its module's log when it ends, whether it succeeds or fails.

    The line has the fields ``step``, ``institution``, ``outcome``, ``seconds``, and ``counts`` or ``error``. Where the
    process logs JSON, as a task of Airflow does, they are keys of the line; else they are in its text, and attributes
    of the log record. Counts are the whole numbers of the step's report; an error is its class and code location,
    without its text.
    """
    name = step.__name__
    names = list(inspect.signature(step).parameters)[2:]

    @functools.wraps(step)
    def run(settings: InstitutionSettings, secrets: Secrets, *args: P.args, **kwargs: P.kwargs) -> R:
        began, worked = time.monotonic(), time.process_time()

        def log(outcome: str, field: str, value: object, shown: str) -> None:
            seconds = round(time.monotonic() - began, 3)
            record_step(settings.institution, name, outcome, seconds, time.process_time() - worked)
            fields = {"step": name, "institution": settings.institution, "outcome": outcome, "seconds": seconds}
            _write_line(step.__module__, fields, field, value, shown)

        try:
            with traced_step(settings, secrets, name, _step_of_run(names, args, kwargs)) as traced:
                report = step(settings, secrets, *args, **kwargs)
                counts = counts_of(report)
                traced.counts(counts)
        except BaseException as error:
            failure = Failure.of(error)
            shown = f"{failure.error_class} at {failure.location}"
            log("failed", "error", shown, f"error={shown}")
            raise
        log("succeeded", "counts", counts, " ".join(f"{key}={value}" for key, value in counts.items()))
        return report

    return cast("Step[P, R]", run)


def _write_line(module: str, fields: Mapping[str, object], field: str, value: object, shown: str) -> None:
    """Write the line with ``fields``, and with ``value``, which is formatted as ``shown`` in a text, as ``field``."""
    if _is_json_logged():
        # Airflow's formatter for the standard library's records drops their extra attributes.
        structlog.get_logger(module).info("step ended", **fields, **{field: value})
        return
    logging.getLogger(module).info(
        "step=%s institution=%s outcome=%s seconds=%.3f%s",
        *fields.values(),
        f" {shown}" if shown else "",
        extra={**fields, field: value},
    )


def _is_json_logged() -> bool:
    """Whether the process writes its log as JSON; Airflow configures structlog so."""
    return isinstance(structlog.get_config()["processors"][-1], structlog.processors.JSONRenderer)


def _step_of_run(names: Sequence[str], args: Sequence[object], kwargs: Mapping[str, object]) -> StepOfRun:
    """Return the run and the shard of a call, by the names of the step's arguments."""
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    run_id, shard = given.get("run_id"), given.get("shard")
    index = shard.get("index") if isinstance(shard, Mapping) else None
    return StepOfRun(run_id if isinstance(run_id, str) else "", index if isinstance(index, int) else None)


def counts_of(report: object) -> dict[str, int]:
    """Return the whole numbers of a report by name; of a list of reports the number of items and the sums."""
    if isinstance(report, Mapping):
        return {str(key): value for key, value in report.items() if type(value) is int}
    if not isinstance(report, list):
        return {}
    counts = Counter({"items": len(report)})
    for item in report:
        counts.update(counts_of(item) if isinstance(item, Mapping) else {})
    return dict(counts)
