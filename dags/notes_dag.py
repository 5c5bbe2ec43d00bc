"""``notes__<institution>``: one day of notes, de-identified, checked and published (one Airflow DAG each)."""

import logging
from typing import TYPE_CHECKING, Any, cast

from airflow.sdk import DAG, CronDataIntervalTimetable, PokeReturnValue, TriggerRule, task

from deid_tasks.core.errors import DictionariesTooOldError
from deid_tasks.settings import InstitutionSettings
from wiring.assets import notes_asset
from wiring.institutions import usable_institutions
from wiring.paths import DBT_CONTRACT
from wiring.policy import Kind, Pool, dag_arguments
from wiring.run_review import RunReview
from wiring.steps import current_run, run_step

if TYPE_CHECKING:
    from deid_tasks.platform.runs.reports import EnginePin, GateReport, PublicationReport, ShardPlan, ShardReport

logger = logging.getLogger(__name__)

_POKE_SECONDS = 5 * 60
_PATIENCE_SECONDS = 12 * 3_600
_SHARD = "notes of {{ data_interval_start | ds }}, shard {{ task.op_kwargs['shard']['index'] }}"


@task.sensor(mode="reschedule", poke_interval=_POKE_SECONDS, timeout=_PATIENCE_SECONDS)
def pin_engine(institution: str) -> PokeReturnValue:
    """Return the promoted engine that the run uses; fail before a note is read where there is none.

    Where its dictionaries are older than the settings allow, wait until newer ones are promoted.
    """
    from deid_tasks.platform import runs

    try:
        return PokeReturnValue(is_done=True, xcom_value=run_step(runs.pin_engine, institution))
    except DictionariesTooOldError as error:
        logger.warning("%s", error)
        return PokeReturnValue(is_done=False)


@task(multiple_outputs=False)
def plan_shards(institution: str) -> "list[ShardPlan]":
    """Return the descriptors of the shards of the data interval."""
    from deid_tasks.platform import runs

    run = current_run()
    return run_step(runs.plan_shards, institution, run.start, run.end)


@task(multiple_outputs=False, map_index_template=_SHARD)
def detect_and_obfuscate(institution: str, pin: "EnginePin", shard: "ShardPlan") -> "ShardReport":
    """De-identify one shard into one file; return counts."""
    from deid_tasks.platform import runs

    run = current_run()
    return run_step(runs.process_shard, institution, run.run_id, pin, run.start, run.end, shard)


# Every shard or none: a run that lacks a shard must not reach the gate or the table.
@task(multiple_outputs=False, trigger_rule=TriggerRule.ALL_SUCCESS)
def reconcile_and_gate(institution: str, pin: "EnginePin", shards: "list[ShardReport]") -> "GateReport":
    """Check counts, audit, certificate and drift of the whole run; fail where a figure falls short."""
    from deid_tasks.platform import runs

    run = current_run()
    return run_step(runs.reconcile_run, institution, run.run_id, pin, run.start, run.end, list(shards))


@task(multiple_outputs=False)
def publish(institution: str, pin: "EnginePin", released: "GateReport") -> "PublicationReport":
    """Replace the run's slice of the published table in one commit."""
    from deid_tasks.platform import runs

    run = current_run()
    return run_step(runs.publish_notes, institution, run.run_id, pin, run.start, run.end, released)


@task(multiple_outputs=False)
def publish_tables(institution: str, pin: "EnginePin", published: "PublicationReport") -> dict[str, Any]:  # noqa: ARG001
    """Replace each structured table whose content has changed; the notes are published before."""
    from deid_tasks.platform import runs

    return run_step(runs.publish_tables, institution, current_run().run_id, DBT_CONTRACT, pin=pin)


@task(multiple_outputs=False)
def store_vault(
    institution: str, pin: "EnginePin", released: "GateReport", published: "PublicationReport"
) -> dict[str, Any]:
    """Replace the sealed originals of the published slice in the vault."""
    from deid_tasks.platform import runs

    run = current_run()
    return run_step(runs.store_vault, institution, run.run_id, pin, run.start, run.end, released, published)


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(Kind.NOTES, settings, hours=RunReview.HOURS, **settings.publish.model_dump()),
        # A plain cron string has no data interval in Airflow 3, and a backfill needs one.
        schedule=CronDataIntervalTimetable(settings.notes.schedule, timezone="UTC"),
        max_active_runs=3,
    ) as dag:
        pinned = pin_engine(name)
        pin = cast("EnginePin", pinned)
        plan = plan_shards(name)
        shards = detect_and_obfuscate.override(pool=Pool.GPU).partial(institution=name, pin=pin).expand(shard=plan)
        gated = reconcile_and_gate(name, pin, cast("list[ShardReport]", shards))
        released = cast("GateReport", gated)
        committed = publish.override(outlets=[notes_asset(name)])(name, pin, released)
        published = cast("PublicationReport", committed)
        pinned >> plan
        gated >> RunReview(institution=name, gate_task="reconcile_and_gate") >> committed
        if settings.publish.tables:
            publish_tables(name, pin, published)
        if settings.vault:
            store_vault(name, pin, released, published)
    return dag


for _settings in usable_institutions():
    globals()[f"notes__{_settings.institution}"] = build(_settings)
