"""``sample__<institution>``: notes for people to annotate, and their task lists (one Airflow DAG each)."""

from typing import Any, cast

from airflow.sdk import DAG, task
from pydantic import Field

from deid_tasks.settings import DESIGNS, Design, InstitutionSettings, SamplingSettings
from wiring.forms import current_form, form_params
from wiring.institutions import usable_institutions
from wiring.people import current_person
from wiring.placement import evidence_engine_task
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


class SampleForm(SamplingSettings):
    """What the trigger form asks: the settings of sampling, and which samples to draw."""

    designs: tuple[Design, ...] = Field(
        default=DESIGNS, description="Samples to draw; a sample whose size is 0 is left out."
    )


@task(multiple_outputs=False)
def draw(institution: str) -> list[dict[str, Any]]:
    """Draw a sample of each design; return versions, counts and groups."""
    from deid_tasks.platform import runs

    form = current_form(SampleForm)
    overrides = form.model_dump(mode="json", exclude={"designs"})
    return run_step(runs.draw_samples, institution, overrides=overrides, designs=form.designs)


@task(multiple_outputs=False)
def export_tasks(institution: str, drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write the annotators' task lists of the samples that were drawn."""
    from deid_tasks.platform import runs

    return run_step(runs.export_tasks, institution, [sample["sample_version"] for sample in drawn], current_person())


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(Kind.SAMPLE, settings),
        schedule=None,
        max_active_runs=1,
        params=form_params(SampleForm.model_validate(settings.sampling.model_dump())),
    ) as dag:
        # Only pre-annotation and disagreement samples run the detectors.
        draw_pool = evidence_engine_task(settings) if settings.sampling.disagreement_size else {}
        export_pool = evidence_engine_task(settings) if settings.annotation.preannotate else {}
        drawn = cast("list[dict[str, Any]]", draw.override(**draw_pool)(name))
        export_tasks.override(**export_pool)(name, drawn)
    return dag


for _settings in usable_institutions():
    globals()[f"sample__{_settings.institution}"] = build(_settings)
