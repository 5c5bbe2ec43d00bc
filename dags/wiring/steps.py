"""How a task calls a step of ``deid_tasks.platform.runs``.

Settings and secrets are read when the task runs. Errors leave the call without any text that could quote a patient's
record.
"""

import datetime
from collections.abc import Callable
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from airflow.sdk import get_current_context
from airflow.sdk.exceptions import AirflowException

from deid_tasks.core.errors import InputError
from deid_tasks.engine.failures import WithheldTexts
from deid_tasks.settings import InstitutionSettings, Secrets
from wiring.institutions import settings_of
from wiring.secrets import airflow_secrets

P = ParamSpec("P")
R = TypeVar("R")


class CurrentRun(NamedTuple):
    """The DAG run that a task belongs to; the data interval is ``[start, end)`` in UTC."""

    run_id: str
    start: datetime.datetime
    end: datetime.datetime


def current_run() -> CurrentRun:
    """Return the run of the task that calls this.

    Raises:
        InputError: the run has no data interval, because it was triggered without a logical date.
    """
    context = get_current_context()
    start, end = context.get("data_interval_start"), context.get("data_interval_end")
    if start is None or end is None:
        raise InputError(
            f"run {context['run_id']} has no data interval: trigger it with a logical date, or backfill the day"
        )
    return CurrentRun(context["run_id"], start, end)


def run_name(kind: str, run_id: str) -> str:
    """Return the id under which the engine's tables know a run: Airflow's ids repeat from DAG to DAG."""
    return run_id if kind == "notes" else f"{kind}/{run_id}"


def run_step(
    step: Callable[Concatenate[InstitutionSettings, Secrets, P], R],
    institution: str,
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Call a step with the institution's settings and secrets, and return what it returns.

    The texts of our own errors hold no patient data, so these errors pass without their causes. Another exception may
    quote the row that it failed on, so only its class and code location are reported.

    Args:
        step: A function of ``deid_tasks.platform.runs``.
        institution: The institution's name.
        *args: The step's arguments after settings and secrets.
        **kwargs: The step's keyword arguments.

    Raises:
        DeidError: the step failed.
    """
    with WithheldTexts(AirflowException):
        return step(settings_of(institution), airflow_secrets(), *args, **kwargs)
