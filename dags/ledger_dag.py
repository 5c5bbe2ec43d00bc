"""``ledger__<institution>``: source, ledger and published table, reconciled every night (one Airflow DAG each)."""

from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, TriggerRule, task

from deid_tasks.settings import InstitutionSettings
from wiring.alarms import failure_notifiers
from wiring.institutions import usable_institutions
from wiring.placement import dbt_task
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


@task(multiple_outputs=False)
def reconcile_ledger(institution: str) -> dict[str, Any]:
    """Count source, ledger and table by day and note type; fail where they differ or a change is overdue."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.reconcile_ledger, institution))


# A difference keeps nobody from hearing of the rest.
@task(multiple_outputs=False, trigger_rule=TriggerRule.ALL_DONE)
def check_stale_notes(institution: str) -> dict[str, Any]:
    """Check that restatement keeps pace; fail where too many published notes are stale."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.check_stale_notes, institution))


@task(multiple_outputs=False)
def check_certificate(institution: str) -> dict[str, Any]:
    """Check that the promoted engine's certificate does not end soon."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.check_certificate, institution))


@task(multiple_outputs=False)
def check_roles(institution: str) -> dict[str, int]:
    """Check the rights of the database roles; fail where one has more or less than it should."""
    from deid_tasks.platform import runs

    return run_step(runs.check_roles, institution)


@task(multiple_outputs=False)
def check_audit_log(institution: str) -> dict[str, int]:
    """Verify the audit log; fail where a row was changed, added or deleted."""
    from deid_tasks.platform import runs

    return run_step(runs.check_audit_log, institution)


_FAILED = {
    "reconcile_ledger": "Source, ledger and published table differ, or a change is overdue. Nothing was changed.",
    "check_stale_notes": "Many published notes may come out differently under the promoted engine.",
    "check_certificate": "The promoted engine's certificate ends soon, or none is valid: then nothing is published.",
    "check_audit_log": "The audit log, or a row that it names, was changed, added or deleted.",
    "check_roles": "A database role has more or fewer rights than its tasks need.",
}
"""What follows from the failure of each task."""


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name, changes = settings.institution, settings.changes
    with DAG(
        **dag_arguments(Kind.LEDGER, settings, **changes.model_dump()),
        schedule=CronTriggerTimetable(changes.reconcile_schedule, timezone=settings.notes.timezone),
        max_active_runs=1,
    ) as dag:

        def checked(check: Any, **arguments: Any) -> Any:
            notifiers = failure_notifiers(settings, Kind.LEDGER, _FAILED[check.function.__name__])
            return check.override(on_failure_callback=notifiers, **arguments)(name)

        checked(reconcile_ledger) >> checked(check_stale_notes)
        checked(check_certificate)
        checked(check_audit_log)
        # The login of the tables' owner is where dbt runs.
        checked(check_roles, **dbt_task(settings))
    return dag


for _settings in usable_institutions():
    globals()[f"ledger__{_settings.institution}"] = build(_settings)
