"""``train__<institution>``: a model trained on the institution's gold notes (one Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, task

from deid_tasks.settings import InstitutionSettings
from wiring.institutions import usable_institutions
from wiring.placement import evidence_engine_task
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


@task(multiple_outputs=False, execution_timeout=datetime.timedelta(hours=20))
def train(institution: str) -> dict[str, Any]:
    """Train and register a model; return counts, scores on held-out notes, and the model's folder."""
    from deid_tasks.platform.runs.own_model import train_on_gold

    return run_step(train_on_gold, institution)


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    with DAG(
        **dag_arguments(Kind.TRAIN, settings, **settings.training.model_dump()), schedule=None, max_active_runs=1
    ) as dag:
        train.override(**evidence_engine_task(settings))(settings.institution)
    return dag


for _settings in usable_institutions():
    globals()[f"train__{_settings.institution}"] = build(_settings)
