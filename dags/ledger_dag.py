"""``ledger__<institution>``: source, ledger and published table, reconciled every night (one Airflow DAG each)."""

from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, TriggerRule, task

from deid_tasks.settings import InstitutionSettings
from wiring.institutions import usable_institutions
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


@task(multiple_outputs=False)
def reconcile_ledger(institution: str) -> dict[str, Any]:
    """Count source, ledger and table by day and note type; fail where they differ or a change is overdue."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.reconcile_ledger, institution))


# A difference keeps nobody from hearing of the rest.
@task(multiple_outputs=False, trigger_rule=TriggerRule.ALL_DONE)
def check_upkeep(institution: str) -> dict[str, Any]:
    """Check that the certificate does not end soon and that restatement keeps pace; fail where they do not."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.check_upkeep, institution))


@task(multiple_outputs=False)
def check_audit_log(institution: str) -> dict[str, int]:
    """Verify the audit log; fail where a row was changed, added or deleted."""
    from deid_tasks.platform import runs

    return run_step(runs.check_audit_log, institution)


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name, changes = settings.institution, settings.changes
    with DAG(
        **dag_arguments(Kind.LEDGER, settings, **changes.model_dump()),
        schedule=CronTriggerTimetable(changes.reconcile_schedule, timezone=settings.notes.timezone),
        max_active_runs=1,
    ) as dag:
        reconcile_ledger(name) >> check_upkeep(name)
        check_audit_log(name)
    return dag


for _settings in usable_institutions():
    globals()[f"ledger__{_settings.institution}"] = build(_settings)
