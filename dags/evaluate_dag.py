"""``evaluate__<institution>``: gold sets to scores and a signed certificate (one Airflow DAG each)."""

from typing import Any

from airflow.sdk import DAG, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import dictionaries_asset, gold_asset, harvest_asset, quality_asset
from wiring.institutions import usable_institutions
from wiring.people import current_person
from wiring.placement import evidence_engine_task
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


@task(multiple_outputs=False)
def evaluate_and_certify(institution: str) -> dict[str, Any]:
    """Score the engine on the gold sets and issue the certificate; fail where a threshold is missed."""
    from deid_tasks.platform import runs

    return run_step(runs.evaluate_and_certify, institution, current_person())


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    figures = settings.gate.model_dump() | {"shown_designs": " and ".join(settings.gate.designs)}
    with DAG(
        **dag_arguments(Kind.EVALUATE, settings, **figures),
        schedule=dictionaries_asset(name) | harvest_asset(name) | gold_asset(name),
        max_active_runs=1,
    ) as dag:
        evaluate_and_certify.override(**evidence_engine_task(settings), outlets=[quality_asset(name)])(name)
    return dag


for _settings in usable_institutions():
    globals()[f"evaluate__{_settings.institution}"] = build(_settings)
