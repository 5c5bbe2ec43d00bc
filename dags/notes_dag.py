"""``notes__<institution>``: one day of notes through detection, obfuscation, the gate and publishing (an Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, CronDataIntervalTimetable, TriggerRule, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import notes_asset
from wiring.engine import CONTRACT, engine
from wiring.institutions import usable_institutions
from wiring.policy import Kind, Pool, policy
from wiring.review import Review

DOC = """
### {title}: one day of notes, de-identified and published

**When.** Daily; one data interval is one day of notes. Backfill days from the UI or with
`airflow backfill create --dag-id {dag_id} --from-date 2024-01-02 --to-date 2024-01-04`.

**What.** The certificate of the engine as it is now is verified. The day's notes are cut into shards by patient; each shard is detected
and obfuscated in the pool `gpu`; then counts, audit, certificate and drift are checked, and only then does the day's slice of
`{table}` in `{bucket}` change, in one commit. A run whose figures lie outside the band of the certified evaluation, or that would be
the first under a fingerprint that a person must approve, waits at *review* (see *Required Actions*) for {hours} hours.

**When it fails.** *verify_certificate*: run `evaluate__{institution}`, then clear the task. *detect_and_obfuscate*: clear the failed
shard; a shard may run any number of times, anywhere. *reconcile_and_gate*: the log names the figure that fell short, and nothing was
published. *review*: somebody rejected the run, or nobody answered; clear it to ask again. *publish*: clear it; the slice is replaced whole.
*publish_tables* (where structured tables are named): its log names the column without a rule, or the table; clear it, no harm is done twice.
*store_vault* (where the institution keeps one): the notes are published, and cannot be brought back until it is cleared and succeeds.
Quarantined notes and their reasons are rows of `{institution}_results.note_outcome`.
"""


@task(multiple_outputs=False)
def verify_certificate(institution: str) -> dict[str, Any]:
    """Whether the engine as it is now may publish; fails before a note is read where it may not."""
    with engine(institution) as (runs, *who):
        return runs.verify_current_certificate(*who)


@task
def plan_shards(
    institution: str, data_interval_start: datetime.datetime, data_interval_end: datetime.datetime
) -> list[dict[str, Any]]:
    """Descriptors of the shards of the data interval."""
    with engine(institution) as (runs, *who):
        return runs.plan_shards(*who, data_interval_start, data_interval_end)


@task(multiple_outputs=False, map_index_template="shard {{ task.op_kwargs['shard']['index'] }}")
def detect_and_obfuscate(
    institution: str,
    shard: dict[str, Any],
    run_id: str,
    data_interval_start: datetime.datetime,
    data_interval_end: datetime.datetime,
) -> dict[str, Any]:
    """One shard, to one file; returns counts."""
    with engine(institution) as (runs, *who):
        return runs.process_shard(*who, run_id, data_interval_start, data_interval_end, shard)


# Every shard or none: a run that lacks one must not reach the gate, let alone the table.
@task(multiple_outputs=False, trigger_rule=TriggerRule.ALL_SUCCESS)
def reconcile_and_gate(
    institution: str,
    shards: list[dict[str, Any]],
    run_id: str,
    data_interval_start: datetime.datetime,
    data_interval_end: datetime.datetime,
) -> dict[str, Any]:
    """Counts, audit, certificate and drift of the whole run; fails where a figure falls short."""
    with engine(institution) as (runs, *who):
        return runs.reconcile_run(*who, run_id, data_interval_start, data_interval_end, list(shards))


@task(multiple_outputs=False)
def publish(
    institution: str,
    released: dict[str, Any],
    run_id: str,
    data_interval_start: datetime.datetime,
    data_interval_end: datetime.datetime,
) -> dict[str, Any]:
    """The run's slice of the published table, replaced in one commit; ``released`` is what the gate let through."""
    with engine(institution) as (runs, *who):
        return runs.publish_notes(*who, run_id, data_interval_start, data_interval_end, released)


@task(multiple_outputs=False)
def publish_tables(institution: str, published: dict[str, Any], run_id: str) -> dict[str, Any]:  # noqa: ARG001
    """The institution's structured tables beside its notes, each replaced whole, and left alone where nothing has changed."""
    with engine(institution) as (runs, *who):
        return runs.publish_tables(*who, run_id, CONTRACT)


@task(multiple_outputs=False)
def store_vault(
    institution: str,
    released: dict[str, Any],
    published: dict[str, Any],
    run_id: str,
    data_interval_start: datetime.datetime,
    data_interval_end: datetime.datetime,
) -> dict[str, Any]:
    """The sealed originals of the published slice, in the place of its former ones."""
    with engine(institution) as (runs, *who):
        return runs.store_vault(*who, run_id, data_interval_start, data_interval_end, released, published)


def build(settings: InstitutionSettings) -> DAG:
    """The DAG of one institution."""
    name = settings.institution
    start = datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC)
    common = policy(Kind.NOTES, settings)
    doc = DOC.format(
        title=settings.title,
        institution=name,
        dag_id=common["dag_id"],
        hours=Review.HOURS,
        **settings.publish.model_dump(),
    )
    # A plain cron string has no data interval in Airflow 3, and a backfill needs one.
    schedule = CronDataIntervalTimetable(settings.notes.schedule, timezone="UTC")
    with DAG(**common, schedule=schedule, start_date=start, max_active_runs=3, doc_md=doc) as dag:
        plan = plan_shards(name)
        shards = detect_and_obfuscate.override(pool=Pool.GPU).partial(institution=name).expand(shard=plan)
        released = reconcile_and_gate(name, shards)
        review = Review(institution=name, released_by="reconcile_and_gate")
        published = publish.override(outlets=[notes_asset(name)])(name, released)
        verify_certificate(name) >> plan
        released >> review >> published
        if settings.publish.tables:
            publish_tables(name, published)
        if settings.vault:
            store_vault(name, released, published)
    return dag


for _settings in usable_institutions():
    globals()[f"notes__{_settings.institution}"] = build(_settings)
