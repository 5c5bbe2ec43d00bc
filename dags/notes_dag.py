"""``notes__<institution>``: whole days of notes, de-identified, checked and published (one Airflow DAG each)."""

from airflow.sdk import DAG, BaseOperator, CronDataIntervalTimetable, chain

from deid_tasks.settings import InstitutionSettings, NotesRequest
from wiring.dbt import freshness_task
from wiring.forms import form_params
from wiring.institutions import usable_institutions
from wiring.policy import REVIEW_HOURS, Kind, dag_arguments, end_of_notes
from wiring.run_tasks import plan_notes, process_and_publish
from wiring.start import pin_engine, wait_for_late_notes


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(
            Kind.NOTES,
            settings,
            hours=REVIEW_HOURS[Kind.NOTES],
            **settings.publish.model_dump(),
        ),
        # A plain cron string has no data interval in Airflow 3, and a backfill needs one.
        schedule=CronDataIntervalTimetable(settings.notes.schedule, timezone=settings.notes.timezone),
        end_date=end_of_notes(settings),
        max_active_runs=3,
        params=form_params(NotesRequest()),
    ) as dag:
        pin = pin_engine(name, Kind.NOTES)
        plan = plan_notes(name)
        pin >> plan
        # An hour of waiting costs nothing, a task that has nothing to wait for does.
        first: list[BaseOperator] = [wait_for_late_notes(settings)] if settings.notes.lag_hours else []
        if (is_fresh := freshness_task(settings)) is not None:
            first.append(is_fresh)
        if first:
            chain(*first, pin)
        process_and_publish(settings, Kind.NOTES, pin, plan)
    return dag


for _settings in usable_institutions():
    globals()[f"notes__{_settings.institution}"] = build(_settings)
