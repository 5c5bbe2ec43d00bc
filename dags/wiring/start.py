"""The tasks with which a run begins: the tables are upgraded, notes are complete, and the engine is pinned."""

import datetime
import logging
from typing import Any

from airflow.providers.standard.sensors.time_delta import TimeDeltaSensor
from airflow.sdk import PokeReturnValue, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException

from deid_tasks.core.errors import DictionariesTooOldError
from deid_tasks.settings import InstitutionSettings
from wiring.placement import REMOVAL_PRIORITY
from wiring.policy import PIN_HOURS, Kind
from wiring.steps import run_step

logger = logging.getLogger(__name__)

_POKE_SECONDS = 5 * 60
_SPARE_SECONDS = 3_600
"""Time that a sensor has beyond what it waits for."""


@task(multiple_outputs=False)
def upgrade_tables(institution: str) -> dict[str, str]:
    """Create or upgrade the tables that the engine writes; return the revision of each schema."""
    from deid_tasks.platform import runs

    return run_step(runs.upgrade_tables, institution)


def wait_for_late_notes(settings: InstitutionSettings) -> TimeDeltaSensor:
    """Return a task that waits until ``notes.lag_hours`` after the end of the data interval; it holds no worker."""
    return TimeDeltaSensor(
        task_id="wait_for_late_notes",
        delta=datetime.timedelta(hours=settings.notes.lag_hours),
        # Rescheduled rather than deferred: it needs no triggerer, and holds no worker either.
        deferrable=False,
        mode="reschedule",
        poke_interval=_POKE_SECONDS,
        timeout=settings.notes.lag_hours * 3_600 + _SPARE_SECONDS,
        execution_timeout=None,
    )


def pin_engine(institution: str, kind: Kind) -> Any:
    """Return the task that pins a run's engine; it waits as long as runs of this kind may."""
    return _pin_engine.override(task_id="pin_engine", timeout=PIN_HOURS[kind] * 3_600)(institution)


@task.sensor(mode="reschedule", poke_interval=_POKE_SECONDS)
def _pin_engine(institution: str) -> PokeReturnValue:
    """Return the promoted engine that the run uses; fail before a note is read where there is none.

    Where its dictionaries are older than the settings allow, wait until newer ones are promoted.
    """
    from deid_tasks.platform import runs

    try:
        return PokeReturnValue(is_done=True, xcom_value=run_step(runs.pin_engine, institution))
    except DictionariesTooOldError as error:
        logger.warning("%s", error)
        return PokeReturnValue(is_done=False)


@task(multiple_outputs=False)
def announce_requests(institution: str) -> dict[str, int]:
    """Tell people of the requests that were made since the last successful run and wait for another person's approval.

    Skipped where there are none; the callbacks of success send the messages.
    """
    from deid_tasks.platform import runs

    waiting = run_step(runs.waiting_requests, institution, get_current_context().get("prev_start_date_success"))
    if not waiting:
        raise AirflowSkipException("no new request waits")
    return {"requests": waiting}


@task(multiple_outputs=False, priority_weight=REMOVAL_PRIORITY)
def purge_removed(institution: str) -> dict[str, Any]:
    """Delete former snapshots and working files that hold removed notes, where their time has come."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.purge_removed, institution))
