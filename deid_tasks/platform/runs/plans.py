"""Plans of runs: which notes a run processes or removes, and in how many shards."""

import datetime
import logging
import math
from collections.abc import Mapping, Sequence

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError, InputError
from deid_tasks.platform.days import days_ending_in
from deid_tasks.platform.runs.content_hashes import amended_without_time
from deid_tasks.platform.runs.institution_engine import institution_obfuscator
from deid_tasks.platform.runs.missing_notes import plan_permitted_changes
from deid_tasks.platform.runs.readmissions import end_exclusions_of_warehouse
from deid_tasks.platform.runs.reports import RunKind, RunPlan, ShardPlan
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.runs.volumes import is_large_change
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.missing_notes import count_published
from deid_tasks.platform.warehouse.shards import save_work_list
from deid_tasks.platform.warehouse.slices import keys_in_use, published_days
from deid_tasks.platform.warehouse.work_list import (
    Cause,
    add_notes,
    count_causes,
    count_work,
    plan_days,
)
from deid_tasks.settings import InstitutionSettings, NotesRequest, Secrets

logger = logging.getLogger(__name__)

SCHEDULED_NOTES = NotesRequest()
"""What a scheduled run takes."""


@logged_step
def plan_notes_run(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    start: datetime.datetime,
    end: datetime.datetime,
    request: NotesRequest = SCHEDULED_NOTES,
) -> RunPlan:
    """List the notes of the days that end in ``(start, end]``, and those that have left these days.

    A run without such a day has nothing to do: with a schedule of hours, one run of the day has.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        start: Start of the data interval.
        end: End of the data interval.
        request: Which notes of the days; a dry run counts them and saves no work list.

    Raises:
        GateError: the request leaves out notes, and published days were made under another surrogate key.
        InputError: the request leaves out notes of a day that is not published yet.
    """
    days = days_ending_in(start, end, settings.notes.timezone)
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        if not request.is_whole:
            check_surrogate_key(connection, settings, secrets)
            _check_published(connection, settings, days)
        refresh_merges(connection, settings)
        causes = plan_days(connection, settings, days, request)
        if request.dry_run:
            logger.info("%s: dry run, nothing is changed", run_id)
            return run_plan(settings, "notes", 0, causes)
        whole = days if request.is_whole else []
        # A day without notes is still published, and reviewed by a person.
        plan = run_plan(settings, "notes", count_work(connection), causes, fewest_shards=min(1, len(whole)))
        save_work_list(connection, settings, run_id, whole, len(plan["shards"]))
    return plan


def _check_published(connection: Connection, settings: InstitutionSettings, days: Sequence[datetime.date]) -> None:
    """Raise ``InputError`` where one of the days has not been published as a whole."""
    missing = sorted(set(days) - published_days(connection, settings))
    if missing:
        raise InputError(
            f"{settings.institution}: {missing[0].isoformat()} is not published yet, so a run cannot take a part of its"
            ' notes: trigger it with only = "all" and without note types first'
        )


@logged_step
def plan_changes_run(settings: InstitutionSettings, secrets: Secrets, run_id: str) -> RunPlan:
    """List the notes of published days whose source is not what the ledger says, at most ``changes.max_notes``.

    Where the source lacks more published notes than ``changes.max_removed_share`` lets go, none of them is on the list,
    and ``held`` of the plan says why. So it does where the source lacks more exclusions than
    ``changes.max_ended_exclusions`` lets end: they stay in force.

    Raises:
        GateError: published days were made under another surrogate key, or the row of the audit log that approves a
            removal or a readmission was changed or forged.
    """
    uri = secrets.text(settings.warehouse.connection_of("publish"))
    with connect(uri) as connection:
        # Runs that publish see exclusions too, and need not wait until the list is made.
        refresh_merges(connection, settings)
        held_end = end_exclusions_of_warehouse(connection, settings, secrets)
    with connect(uri) as connection:
        check_surrogate_key(connection, settings, secrets)
        causes, held = plan_permitted_changes(connection, settings, secrets)
        room = settings.changes.max_notes - sum(causes.values())
        amended = amended_without_time(connection, settings, secrets, room)
        add_notes(connection, Cause.AMENDED, amended)
        causes = count_causes(connection)
        work = count_work(connection)
        published = count_published(connection, settings)
        plan = run_plan(settings, "changes", work, causes)
        save_work_list(connection, settings, run_id, shards=len(plan["shards"]))
    waiting = [one for one in (held, held_end) if one is not None]
    if waiting:
        plan["held"] = {"fingerprint": "", "certificate": "", "review": waiting}
    for one in waiting:
        logger.warning("%s: held until a person answers in review_%ss: %s", run_id, one["kind"], one["reason"])
    if is_large_change(settings, work, published):
        logger.warning(
            "%s: %d notes came or changed, of %d published ones, more than changes.max_changed_share",
            run_id,
            work,
            published,
        )
    if sum(causes.values()) >= settings.changes.max_notes:
        logger.warning("%s: more notes changed than changes.max_notes; the next run takes the others", run_id)
    return plan


def check_surrogate_key(connection: Connection, settings: InstitutionSettings, secrets: Secrets) -> None:
    """Raise ``GateError`` where published days were made under another surrogate key than the present one."""
    key_id = institution_obfuscator(settings, secrets).pseudonym("key", "")
    former = [use for use in keys_in_use(connection, settings, key_id) if not use.is_current]
    if former:
        days = sum(use.slices for use in former)
        raise GateError(
            f"{settings.institution}: {days} published days were made under another surrogate key;"
            f" backfill them with notes__{settings.institution} first, or restore the key"
        )


def count_shards(settings: InstitutionSettings, work: int) -> int:
    """Return in how many shards a run processes ``work`` notes."""
    return min(settings.notes.max_shards, math.ceil(work / settings.notes.shard_notes))


def run_plan(
    settings: InstitutionSettings, kind: RunKind, work: int, causes: Mapping[str, int], fewest_shards: int = 0
) -> RunPlan:
    """Return the plan of a run over ``work`` notes, and log it."""
    count = max(fewest_shards, count_shards(settings, work))
    shards: list[ShardPlan] = [{"index": index, "count": count} for index in range(count)]
    logger.info(
        "%s run: %d notes in %d shards%s",
        kind,
        work,
        count,
        "".join(f", {number} {cause}" for cause, number in sorted(causes.items())),
    )
    return {"kind": kind, "shards": shards, "causes": dict(causes)}
