"""Where a task runs: executor, queue, pod template and pool, from the institution's settings."""

from typing import Any

from deid_tasks.settings import InstitutionSettings
from deid_tasks.settings.placement import TaskPlacement

REMOVAL_PRIORITY = 200
"""Of tasks that take notes out of the table: nothing waits less."""


def engine_task(settings: InstitutionSettings) -> dict[str, Any]:
    """Return the arguments of a task that runs the engine, on the CPU or on a GPU."""
    return {"pool": settings.engine_pool, **_placed(settings.notes)}


def restatement_plan(settings: InstitutionSettings) -> dict[str, Any]:
    """Return the arguments of the task that plans a restatement.

    It runs the engine on a sample and writes what it found to the ledger: the workers that read notes may not write
    there. Where models run on a GPU, it runs there too, since it compares with what a GPU has answered.
    """
    if any(model.backend == "torch" for model in settings.detect.transformers):
        return engine_task(settings)
    return {"pool": settings.engine_pool}


def evidence_engine_task(settings: InstitutionSettings) -> dict[str, Any]:
    """Return the arguments of a task that runs the engine on samples or gold notes."""
    return {"pool": settings.engine_pool, **_placed(settings.evidence or settings.notes)}


def comparison_task(settings: InstitutionSettings) -> dict[str, Any]:
    """Return the arguments of the task that runs other systems on gold notes.

    It runs the engine too, but takes none of its slots: no run and no evaluation waits for a comparison.
    """
    return {"pool": settings.pool, **_placed(settings.evidence or settings.notes)}


def evidence_task(settings: InstitutionSettings) -> dict[str, Any]:
    """Return the arguments of every task of samples, gold sets, harvests, training and evaluation."""
    return {} if settings.evidence is None else _placed(settings.evidence)


def dbt_task(settings: InstitutionSettings) -> dict[str, Any]:
    """Return the arguments of a task that runs dbt."""
    return _placed(settings.dictionaries)


def _placed(placement: TaskPlacement) -> dict[str, Any]:
    arguments: dict[str, Any] = {"queue": placement.queue}
    if placement.executor:
        arguments["executor"] = placement.executor
    if placement.pod_template:
        # Only the Kubernetes executor reads it.
        arguments["executor_config"] = {"pod_template_file": placement.pod_template}
    return arguments
