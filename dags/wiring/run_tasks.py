"""The tasks that every kind of run has, from its work list to the published table."""

from typing import TYPE_CHECKING, Any, cast

from airflow.sdk import TriggerRule, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import InstitutionSettings, NotesRequest, RestatementRequest
from wiring.alarms import failure_notifiers, review_notifiers
from wiring.assets import note_days_asset, notes_asset
from wiring.forms import current_form
from wiring.paths import DBT_CONTRACT
from wiring.people import assigned_users
from wiring.placement import REMOVAL_PRIORITY, engine_task
from wiring.policy import REVIEW_HOURS, Kind
from wiring.run_review import HELD, ReadmissionReview, RemovalReview, RunReview
from wiring.steps import current_run, run_name, run_step

if TYPE_CHECKING:
    from deid_tasks.platform.runs.reports import (
        EnginePin,
        GateReport,
        PublicationReport,
        RemovalReport,
        ShardPlan,
        ShardReport,
    )

_SHARD = "shard {{ task.op_kwargs['shard']['index'] }}"


def _run_name(kind: str) -> str:
    return run_name(kind, str(get_current_context()["run_id"]))


@task(multiple_outputs=False)
def plan_notes(institution: str) -> "list[ShardPlan]":
    """List the notes of the days that end in the data interval; return the shards that process them."""
    from deid_tasks.platform import runs

    run, request = current_run(), current_form(NotesRequest)
    name = run_name(Kind.NOTES, run.run_id)
    return run_step(runs.plan_notes_run, institution, name, run.start, run.end, request)["shards"]


@task(multiple_outputs=False)
def plan_changes(institution: str) -> "list[ShardPlan]":
    """List the notes whose source differs from the ledger; return the shards that process them."""
    from deid_tasks.platform import runs

    plan = run_step(runs.plan_changes_run, institution, _run_name(Kind.CHANGES))
    # What is returned is mapped over, and must be a list.
    get_current_context()["ti"].xcom_push(HELD, plan.get("held"))
    return plan["shards"]


@task(multiple_outputs=False)
def plan_restatement(institution: str, pin: "EnginePin") -> "list[ShardPlan]":
    """List the notes that the pinned engine may read differently; return the shards that process them."""
    from deid_tasks.platform import runs

    request = current_form(RestatementRequest)
    return run_step(runs.plan_restate_run, institution, _run_name(Kind.RESTATE), pin, request)["shards"]


@task(multiple_outputs=False)
def remove_notes(institution: str, kind: str) -> "RemovalReport":
    """Remove deleted and excluded notes from the published table, before any note is read."""
    from deid_tasks.platform import runs

    return run_step(runs.remove_notes, institution, _run_name(kind))


@task(multiple_outputs=False, map_index_template=_SHARD)
def detect_and_obfuscate(institution: str, kind: str, pin: "EnginePin", shard: "ShardPlan") -> "ShardReport":
    """De-identify one shard into one file; return counts."""
    from deid_tasks.platform import runs

    return run_step(runs.process_shard, institution, _run_name(kind), pin, shard)


# Every shard or none: a run that lacks a shard must not reach the gate or the table.
@task(multiple_outputs=False, trigger_rule=TriggerRule.ALL_SUCCESS)
def reconcile_and_gate(institution: str, kind: str, pin: "EnginePin", shards: "list[ShardReport]") -> "GateReport":
    """Check counts, audit, certificate and drift of the whole run; fail where a figure falls short."""
    from deid_tasks.platform import runs

    return run_step(runs.reconcile_run, institution, _run_name(kind), pin, cast("Any", kind), list(shards))


# A run that only removes notes has no gate to pass, and whoever follows the table must hear of it all the same.
@task(multiple_outputs=False, trigger_rule=TriggerRule.NONE_FAILED)
def publish(
    institution: str,
    kind: str,
    pin: "EnginePin",
    removed: "RemovalReport",
    released: "GateReport | None",
) -> "PublicationReport":
    """Write what the run read in place of what was published of the same notes, in one commit."""
    from deid_tasks.platform import runs

    run_id = _run_name(kind)
    if released is not None:
        published = run_step(runs.publish_notes, institution, run_id, pin, released)
    elif removed["removed"]:
        published = run_step(runs.record_removals, institution, run_id, cast("Any", kind), removed)
    else:
        raise AirflowSkipException("no note was processed or removed")
    days = {*removed["days"], *published["days"]}
    if not days:
        raise AirflowSkipException("every note changed while it was read; the next changes run takes them")
    events = get_current_context()["outlet_events"][note_days_asset(institution)]
    events.add_partitions([f"{institution}|{day}" for day in sorted(days)])
    return published


@task(multiple_outputs=False)
def publish_tables(
    institution: str,
    kind: str,
    pin: "EnginePin",
    published: "PublicationReport",  # noqa: ARG001
) -> dict[str, Any]:
    """Replace each structured table whose content has changed."""
    from deid_tasks.platform import runs

    return run_step(runs.publish_tables, institution, _run_name(kind), DBT_CONTRACT, pin=pin)


@task(multiple_outputs=False)
def store_vault(
    institution: str,
    kind: str,
    released: "GateReport",
    published: "PublicationReport",  # noqa: ARG001
) -> dict[str, Any]:
    """Replace the sealed originals of the published notes in the vault."""
    from deid_tasks.platform import runs

    return run_step(runs.store_vault, institution, _run_name(kind), released)


@task(multiple_outputs=False, trigger_rule=TriggerRule.NONE_FAILED)
def delete_run_files(institution: str, kind: str) -> None:
    """Delete the working files of the run: nothing reads them any more."""
    from deid_tasks.platform import runs

    run_step(runs.delete_run_files, institution, _run_name(kind))


@task(task_id="detect_and_obfuscate", multiple_outputs=False)
def _refuse_spark(missing: str) -> "list[ShardReport]":
    """Fail: the settings ask for Spark, and Airflow cannot submit anything to it."""
    raise SettingsError(f"notes.engine is spark, and {missing} is not installed: pip install 'palimpsest-deid[spark]'")


def process_shards(settings: InstitutionSettings, kind: Kind, pin: Any, plan: Any) -> Any:
    """Add the tasks that process a run's shards, and return their reports: one a shard, or one that submits to Spark.

    Args:
        settings: The institution.
        kind: The kind of the run.
        pin: The task that returns the engine.
        plan: The task that returns the shards.
    """
    placed = engine_task(settings)
    if settings.notes.engine == "python":
        shards = detect_and_obfuscate.override(**placed)
        return shards.partial(institution=settings.institution, kind=kind.value, pin=pin).expand(shard=plan)
    try:
        from wiring.spark import SparkShards
    except ModuleNotFoundError as error:
        # The other institutions of this file keep their DAGs.
        return plan >> _refuse_spark(str(error.name))
    submitted = SparkShards(
        task_id="detect_and_obfuscate",
        settings=settings,
        kind=kind.value,
        plan_task=plan.operator.task_id,
        pin_task=pin.operator.task_id,
        **placed,
    )
    [pin, plan] >> submitted
    return submitted.output


def review_missing(settings: InstitutionSettings, plan: Any) -> list[RunReview]:
    """Add the tasks that ask a person about what the warehouse lacks: whether notes may leave the published table, and
    whether exclusions may end.

    No other task waits for them: the next run does what was approved.

    Args:
        settings: The institution.
        plan: The task that plans the changes.
    """
    kind = Kind.CHANGES
    reviews: list[RunReview] = []
    for task_id, review, stays in (
        ("review_removals", RemovalReview, "Notes that the warehouse lacks stay published"),
        ("review_readmissions", ReadmissionReview, "Exclusions that the warehouse lacks hold"),
    ):
        said = f"{stays}; everything else of the run goes on."
        reviews.append(
            review(
                task_id=task_id,
                institution=settings.institution,
                gate_task=plan.operator.task_id,
                kind=kind.value,
                hours=REVIEW_HOURS[kind],
                assigned_users=assigned_users(settings),
                notifiers=review_notifiers(settings, kind.value, said),
                on_failure_callback=failure_notifiers(settings, kind.value, said),
            )
        )
    plan >> reviews
    return reviews


def process_and_publish(settings: InstitutionSettings, kind: Kind, pin: Any, plan: Any) -> Any:
    """Add the tasks from a plan to the published table, and return the task that publishes.

    Args:
        settings: The institution.
        kind: The kind of the run.
        pin: The task that returns the engine.
        plan: The task that returns the shards.
    """
    name, value = settings.institution, kind.value
    removed: Any = remove_notes.override(priority_weight=REMOVAL_PRIORITY)(name, value)
    gated: Any = reconcile_and_gate(name, value, pin, process_shards(settings, kind, pin, plan))
    outlets = [notes_asset(name), note_days_asset(name)]
    committed: Any = publish.override(outlets=outlets)(name, value, pin, removed, gated)
    # What must leave the table never waits for what comes in.
    plan >> removed
    review = RunReview(
        institution=name,
        gate_task="reconcile_and_gate",
        kind=value,
        hours=REVIEW_HOURS[kind],
        assigned_users=assigned_users(settings),
        notifiers=review_notifiers(settings, value),
    )
    gated >> review >> committed
    if settings.publish.tables:
        publish_tables(name, value, pin, committed)
    done: Any = store_vault(name, value, gated, committed) if settings.vault else committed
    done >> delete_run_files(name, value)
    return committed
