"""``changes__<institution>``: notes that were amended, filed late, deleted or excluded since they were published."""

from airflow.sdk import DAG, CronTriggerTimetable

from deid_tasks.settings import InstitutionSettings
from wiring.alarms import request_notifiers
from wiring.institutions import usable_institutions
from wiring.policy import REVIEW_HOURS, Kind, dag_arguments
from wiring.run_tasks import plan_changes, process_and_publish, review_missing
from wiring.start import announce_requests, pin_engine, purge_removed


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(
            Kind.CHANGES,
            settings,
            hours=REVIEW_HOURS[Kind.CHANGES],
            **settings.publish.model_dump(),
            **settings.changes.model_dump(),
        ),
        schedule=CronTriggerTimetable(settings.changes.schedule, timezone=settings.notes.timezone),
        max_active_runs=1,
    ) as dag:
        plan = plan_changes(name)
        pin = pin_engine(name, Kind.CHANGES)
        process_and_publish(settings, Kind.CHANGES, pin, plan)
        review_missing(settings, plan)
        purge_removed(name)
        announce_requests.override(on_success_callback=request_notifiers(settings, Kind.CHANGES))(name)
    return dag


for _settings in usable_institutions():
    globals()[f"changes__{_settings.institution}"] = build(_settings)
