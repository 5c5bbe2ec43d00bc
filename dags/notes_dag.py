"""``notes__<institution>``: one day of notes, de-identified, checked and published (one Airflow DAG each)."""

from typing import TYPE_CHECKING, Any, cast

from airflow.sdk import DAG, CronDataIntervalTimetable, TriggerRule, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import notes_asset
from wiring.institutions import usable_institutions
from wiring.paths import DBT_CONTRACT
from wiring.policy import Kind, Pool, dag_arguments
from wiring.run_review import RunReview
from wiring.steps import current_run, run_step

if TYPE_CHECKING:
    from deid_tasks.platform.runs.reports import GateReport, PublicationReport, ShardPlan, ShardReport

_SHARD = "notes of {{ data_interval_start | ds }}, shard {{ task.op_kwargs['shard']['index'] }}"


@task(multiple_outputs=False)
def verify_certificate(institution: str) -> dict[str, Any]:
    """Verify that the engine as it is now may publish; fail before a note is read where it may not."""
    from deid_tasks.platform import runs

    return run_step(runs.verify_current_certificate, institution)


@task(multiple_outputs=False)
def plan_shards(institution: str) -> "list[ShardPlan]":
    """Return the descriptors of the shards of the data interval."""
    from deid_tasks.platform import runs

    run = current_run()
    return run_step(runs.plan_shards, institution, run.start, run.end)


@task(multiple_outputs=False, map_index_template=_SHARD)
def detect_and_obfuscate(institution: str, shard: "ShardPlan") -> "ShardReport":
    """De-identify one shard into one file; return counts."""
    from deid_tasks.platform import runs

    return run_step(runs.process_shard, institution, *current_run(), shard)


# Every shard or none: a run that lacks a shard must not reach the gate or the table.
@task(multiple_outputs=False, trigger_rule=TriggerRule.ALL_SUCCESS)
def reconcile_and_gate(institution: str, shards: "list[ShardReport]") -> "GateReport":
    """Check counts, audit, certificate and drift of the whole run; fail where a figure falls short."""
    from deid_tasks.platform import runs

    return run_step(runs.reconcile_run, institution, *current_run(), list(shards))


@task(multiple_outputs=False)
def publish(institution: str, released: "GateReport") -> "PublicationReport":
    """Replace the run's slice of the published table in one commit."""
    from deid_tasks.platform import runs

    return run_step(runs.publish_notes, institution, *current_run(), released)


@task(multiple_outputs=False)
def publish_tables(institution: str, published: "PublicationReport") -> dict[str, Any]:  # noqa: ARG001
    """Replace each structured table whose content has changed; the notes are published before."""
    from deid_tasks.platform import runs

    return run_step(runs.publish_tables, institution, current_run().run_id, DBT_CONTRACT)


@task(multiple_outputs=False)
def store_vault(institution: str, released: "GateReport", published: "PublicationReport") -> dict[str, Any]:
    """Replace the sealed originals of the published slice in the vault."""
    from deid_tasks.platform import runs

    return run_step(runs.store_vault, institution, *current_run(), released, published)


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(Kind.NOTES, settings, hours=RunReview.HOURS, **settings.publish.model_dump()),
        # A plain cron string has no data interval in Airflow 3, and a backfill needs one.
        schedule=CronDataIntervalTimetable(settings.notes.schedule, timezone="UTC"),
        max_active_runs=3,
    ) as dag:
        plan = plan_shards(name)
        shards = detect_and_obfuscate.override(pool=Pool.GPU).partial(institution=name).expand(shard=plan)
        gated = reconcile_and_gate(name, cast("list[ShardReport]", shards))
        released = cast("GateReport", gated)
        committed = publish.override(outlets=[notes_asset(name)])(name, released)
        published = cast("PublicationReport", committed)
        verify_certificate(name) >> plan
        gated >> RunReview(institution=name, gate_task="reconcile_and_gate") >> committed
        if settings.publish.tables:
            publish_tables(name, published)
        if settings.vault:
            store_vault(name, released, published)
    return dag


for _settings in usable_institutions():
    globals()[f"notes__{_settings.institution}"] = build(_settings)
