"""``evaluate__<institution>``: gold sets to scores and a signed certificate (one Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, task

from deid_tasks.settings import InstitutionSettings
from wiring.alarms import failure_notifiers
from wiring.assets import dictionaries_asset, gold_asset, harvest_asset, quality_asset
from wiring.institutions import usable_institutions
from wiring.people import current_person
from wiring.placement import comparison_task, evidence_engine_task
from wiring.policy import COMPARISON_PRIORITY, Kind, dag_arguments
from wiring.steps import run_step

_INSTALLATION_MINUTES = 45
"""In which one system is installed and started, at the slowest."""
_RUNS_AT_ONCE = 4
"""Runs of the DAG where a comparison follows the evaluation, of which one evaluates and one compares."""
_AFTER_FAILURE = "The engine is evaluated and has its certificate; the figures of other systems beside it are missing."
_LONGEST_COMPARISON = datetime.timedelta(hours=20)


@task(multiple_outputs=False)
def evaluate_and_certify(institution: str) -> dict[str, Any]:
    """Score the engine on the gold sets and issue the certificate; fail where a threshold is missed."""
    from deid_tasks.platform import runs

    return run_step(runs.evaluate_and_certify, institution, current_person())


@task(multiple_outputs=False)
def compare_systems(institution: str, evaluation: dict[str, Any]) -> dict[str, Any]:
    """Run other systems on the gold notes of the evaluation; one that cannot run is a row that says so."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.compare_after_evaluation, institution, evaluation))


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    is_compared = bool(settings.compare.systems)
    figures = settings.gate.model_dump() | {"shown_designs": " and ".join(settings.gate.designs)}
    with DAG(
        **dag_arguments(Kind.EVALUATE, settings, **figures),
        schedule=dictionaries_asset(name) | harvest_asset(name) | gold_asset(name),
        # The next evaluation does not wait for the comparison of this one.
        max_active_runs=_RUNS_AT_ONCE if is_compared else 1,
    ) as dag:
        evaluated: Any = evaluate_and_certify.override(
            **evidence_engine_task(settings), outlets=[quality_asset(name)], max_active_tis_per_dag=1
        )(name)
        if is_compared:
            compare_systems.override(
                **comparison_task(settings),
                priority_weight=COMPARISON_PRIORITY,
                on_failure_callback=failure_notifiers(settings, Kind.EVALUATE, _AFTER_FAILURE),
                execution_timeout=_time_to_compare(settings),
                max_active_tis_per_dag=1,
            )(name, evaluated)
    return dag


def _time_to_compare(settings: InstitutionSettings) -> datetime.timedelta:
    """Return the time after which a comparison is ended: every system may be installed, started, and read."""
    minutes = _INSTALLATION_MINUTES + settings.compare.system_minutes
    return min(datetime.timedelta(hours=1, minutes=len(settings.compare.systems) * minutes), _LONGEST_COMPARISON)


for _settings in usable_institutions():
    globals()[f"evaluate__{_settings.institution}"] = build(_settings)
