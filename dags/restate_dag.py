"""``restate__<institution>``: published notes that a newly promoted engine may read differently."""

from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable

from deid_tasks.settings import InstitutionSettings, RestatementRequest
from wiring.forms import form_params
from wiring.institutions import usable_institutions
from wiring.placement import restatement_plan
from wiring.policy import REVIEW_HOURS, Kind, dag_arguments
from wiring.run_tasks import plan_restatement, process_and_publish
from wiring.start import pin_engine


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(
            Kind.RESTATE,
            settings,
            hours=REVIEW_HOURS[Kind.RESTATE],
            **settings.publish.model_dump(),
            **settings.changes.model_dump(),
        ),
        # Half an hour after the changes of that hour, which are never behind a restatement.
        schedule=CronTriggerTimetable("30 * * * *", timezone=settings.notes.timezone),
        max_active_runs=1,
        params=form_params(RestatementRequest()),
    ) as dag:
        pin: Any = pin_engine(name, Kind.RESTATE)
        # The plan reads a sample of the notes that it carries over.
        plan = plan_restatement.override(**restatement_plan(settings))(name, pin)
        process_and_publish(settings, Kind.RESTATE, pin, plan)
    return dag


for _settings in usable_institutions():
    globals()[f"restate__{_settings.institution}"] = build(_settings)
