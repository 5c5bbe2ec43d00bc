"""``gold__<institution>``: annotators' work to agreement, adjudication and gold sets (one Airflow DAG each)."""

from typing import Any

from airflow.sdk import DAG, task
from airflow.sdk.exceptions import AirflowSkipException
from pydantic import BaseModel, ConfigDict, Field

from deid_tasks.settings import InstitutionSettings
from wiring.assets import gold_asset
from wiring.forms import current_form, form_params
from wiring.institutions import usable_institutions
from wiring.people import current_person
from wiring.placement import evidence_engine_task
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


class GoldForm(BaseModel):
    """What the trigger form asks."""

    model_config = ConfigDict(extra="forbid")

    sample_version: str = Field(default="", description="One sample's version; empty: the newest of each design.")
    reopen: bool = Field(
        default=False,
        description="Also import changes of notes that the adjudicator has; answers on them are dropped.",
    )

    @property
    def sample_versions(self) -> list[str]:
        """The chosen sample; empty for the newest of each design."""
        return [self.sample_version] if self.sample_version else []


@task(multiple_outputs=False)
def export_tasks(institution: str) -> list[dict[str, Any]]:
    """Write the annotators' task lists that are not there yet."""
    from deid_tasks.platform import runs

    return run_step(runs.export_tasks, institution, current_form(GoldForm).sample_versions, current_person())


@task(multiple_outputs=False)
def import_annotations(institution: str) -> list[dict[str, Any]]:
    """Import what the annotators have finished; return counts."""
    from deid_tasks.platform import runs

    form = current_form(GoldForm)
    return run_step(runs.import_annotations, institution, form.sample_versions, reopen=form.reopen)


@task(multiple_outputs=False)
def adjudicate(institution: str) -> list[dict[str, Any]]:
    """Measure agreement and exchange conflicts with the adjudicator; return counts and figures."""
    from deid_tasks.platform import runs

    reports = run_step(runs.adjudicate_samples, institution, current_form(GoldForm).sample_versions, current_person())
    # `waiting_for` names notes, which Airflow's database does not store; the log of `freeze` shows it.
    return [{name: value for name, value in report.items() if name != "waiting_for"} for report in reports]


@task(multiple_outputs=False)
def freeze(institution: str) -> list[dict[str, Any]]:
    """Freeze the gold sets; skip with the reason while work on one of the samples is open."""
    from deid_tasks.platform import runs

    reports = run_step(runs.freeze_gold_sets, institution, current_form(GoldForm).sample_versions, current_person())
    waiting = [f"{r['design']} sample {r['sample_version']}: {r['waiting_for']}" for r in reports if r["waiting_for"]]
    if waiting:
        raise AirflowSkipException(f"work is open: {' | '.join(waiting)}")
    return reports


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name, annotation = settings.institution, settings.annotation
    who = {"annotators": " and ".join(annotation.annotators), "adjudicator": annotation.adjudicator}
    with DAG(
        **dag_arguments(Kind.GOLD, settings, format=annotation.format, **who),
        schedule=None,
        max_active_runs=1,
        params=form_params(GoldForm()),
    ) as dag:
        # Only pre-annotation runs the detectors.
        pool = evidence_engine_task(settings) if annotation.preannotate else {}
        exported = export_tasks.override(**pool)(name)
        exported >> import_annotations(name) >> adjudicate(name) >> freeze.override(outlets=[gold_asset(name)])(name)
    return dag


for _settings in usable_institutions():
    globals()[f"gold__{_settings.institution}"] = build(_settings)
