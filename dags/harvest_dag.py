"""``harvest__<institution>``: sentences free of PHI and templates, approved by a person (one Airflow DAG each)."""

import datetime
from typing import Any, cast

from airflow.sdk import DAG, task
from pydantic import BaseModel, ConfigDict, Field

from deid_tasks.core.identity import Identity
from deid_tasks.settings import InstitutionSettings
from wiring.assets import harvest_asset
from wiring.forms import form_params
from wiring.harvest_review import HarvestReview
from wiring.institutions import usable_institutions
from wiring.people import assigned_users, current_person
from wiring.placement import evidence_engine_task
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


class HarvestForm(BaseModel):
    """What the trigger form asks."""

    model_config = ConfigDict(extra="forbid")

    ask: bool = Field(
        default=True,
        description="Wait for an answer in Airflow; otherwise only write the tables, for `deid harvest approve`.",
    )


@task(multiple_outputs=False)
def harvest(institution: str) -> dict[str, Any]:
    """Write the candidates to files; return counts and the folder."""
    from deid_tasks.platform import runs

    return run_step(runs.harvest_candidates, institution, current_person())


@task(multiple_outputs=False)
def approve(institution: str, harvested: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Freeze the tables as they are now, for the next engines."""
    from deid_tasks.platform import runs

    approved_at = datetime.datetime.fromisoformat(answer["approved_at"])
    person = Identity(answer["approved_by"], "airflow", answer["approved_from"])
    return run_step(runs.approve_harvest, institution, person, approved_at, harvested["harvest"])


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(Kind.HARVEST, settings, hours=HarvestReview.HOURS, **settings.harvest.model_dump()),
        schedule=None,
        max_active_runs=1,
        params=form_params(HarvestForm()),
    ) as dag:
        harvested = harvest.override(**evidence_engine_task(settings))(name)
        review = HarvestReview(institution=name, harvest_task="harvest", assigned_users=assigned_users(settings))
        report, answer = cast("dict[str, Any]", harvested), cast("dict[str, Any]", review.output)
        frozen = approve.override(outlets=[harvest_asset(name)])(name, report, answer)
        harvested >> review >> frozen
    return dag


for _settings in usable_institutions():
    globals()[f"harvest__{_settings.institution}"] = build(_settings)
