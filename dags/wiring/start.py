"""The tasks with which a run begins: it waits until its notes are complete, and pins the engine that it uses."""

import datetime
from typing import Any

from airflow.providers.standard.sensors.time_delta import TimeDeltaSensor
from airflow.sdk import task

from deid_tasks.settings import InstitutionSettings
from wiring.steps import run_step


def wait_for_late_notes(settings: InstitutionSettings) -> TimeDeltaSensor:
    """Return a task that waits until ``notes.lag_hours`` after the end of the data interval; it holds no worker."""
    return TimeDeltaSensor(
        task_id="wait_for_late_notes",
        delta=datetime.timedelta(hours=settings.notes.lag_hours),
        deferrable=True,
        execution_timeout=None,
    )


@task(multiple_outputs=False)
def purge_removed(institution: str) -> dict[str, Any]:
    """Delete former snapshots and working files that hold removed notes, where their time has come."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.purge_removed, institution))
