"""``maintain__<institution>``: published table in few files, and nothing old in bucket, database and work folder."""

from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, TriggerRule, task

from deid_tasks.settings import InstitutionSettings
from wiring.institutions import usable_institutions
from wiring.placement import evidence_task
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


@task(multiple_outputs=False)
def compact_table(institution: str) -> dict[str, Any]:
    """Merge small files of the published notes, and the lists of files."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.compact_table, institution))


# What a compaction could not finish is no reason to keep former snapshots.
@task(multiple_outputs=False, trigger_rule=TriggerRule.ALL_DONE)
def expire_snapshots(institution: str) -> dict[str, Any]:
    """Expire former snapshots, and delete the files that no snapshot names."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.expire_snapshots, institution))


@task(multiple_outputs=False)
def prune_files(institution: str) -> dict[str, Any]:
    """Delete versions of engines, files of runs, cached answers and evaluation reports that no run needs."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.prune_files, institution))


@task(multiple_outputs=False)
def prune_outcomes(institution: str) -> dict[str, Any]:
    """Delete which notes former runs took up, and what became of each."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.prune_outcomes, institution))


@task(multiple_outputs=False)
def delete_old_texts(institution: str) -> dict[str, Any]:
    """Delete texts of notes in the work folder that nothing needs any more."""
    from deid_tasks.platform import runs

    return dict(run_step(runs.delete_old_texts, institution))


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name, wanted = settings.institution, settings.maintenance
    with DAG(
        **dag_arguments(Kind.MAINTAIN, settings, **wanted.model_dump()),
        schedule=CronTriggerTimetable(wanted.schedule, timezone=settings.notes.timezone),
        max_active_runs=1,
    ) as dag:
        compacted: Any = compact_table(name)
        compacted >> expire_snapshots(name)
        prune_files(name)
        prune_outcomes(name)
        # It reads which samples are frozen, as the tasks do that froze them.
        delete_old_texts.override(**evidence_task(settings))(name)
    return dag


for _settings in usable_institutions():
    globals()[f"maintain__{_settings.institution}"] = build(_settings)
