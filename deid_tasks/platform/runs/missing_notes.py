"""Published notes that the warehouse lacks: a few of them leave the table at once, and many wait for a person.

A warehouse that is being loaded again looks like one whose notes were deleted, and originals that leave the vault do
not come back. What a person or a law takes out is excluded, and never waits.
"""

import datetime
import json
from collections import Counter

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.runs.pseudonyms import digest_seed
from deid_tasks.platform.runs.reports import ReviewReason
from deid_tasks.platform.runs.reviews import newest_decision
from deid_tasks.platform.warehouse.missing_notes import count_missing, count_published, missing_removed_since
from deid_tasks.platform.warehouse.work_list import Cause, plan_changes
from deid_tasks.settings import InstitutionSettings, Secrets

_WINDOW = datetime.timedelta(hours=24)
"""Time over which removals are added up, and in which an approved removal must begin."""


def plan_permitted_changes(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, *, only_removals: bool = False
) -> tuple[Counter[str], ReviewReason | None]:
    """Begin a list of the notes that differ from the ledger, without missing notes where these wait for a person.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        secrets: Its secrets.
        only_removals: Whether only notes that must leave the published table are listed.

    Returns:
        The counts by cause, and why missing notes wait; ``None`` where none does.

    Raises:
        GateError: the row of the audit log that approves a removal was changed or forged.
    """
    seed, most = digest_seed(settings, secrets), settings.changes.max_notes
    causes = plan_changes(connection, settings, seed, most, only_removals=only_removals)
    # A list that is full does not say how many notes are missing.
    listed = most if causes.total() >= most else causes[Cause.DELETED]
    held = held_removals(connection, settings, secrets, listed)
    if held is not None:
        causes = plan_changes(connection, settings, seed, most, only_removals=only_removals, with_missing=False)
    return causes, held


def held_removals(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, listed: int
) -> ReviewReason | None:
    """Return why missing notes wait for a person; ``None`` where they may leave the table.

    All missing notes of the institution count, whatever the run has of them, and those that left within 24 hours: many
    small steps take no more than a large one.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        secrets: Its secrets.
        listed: How many notes a run would remove because they are missing.

    Raises:
        GateError: the row of the audit log that approves a removal was changed or forged.
    """
    rules = settings.changes
    if not listed or rules.max_removed_share >= 1:
        return None
    removed, approved = _removed_and_approved(connection, settings, secrets)
    if listed < rules.max_notes and listed + removed <= rules.few_notes + approved:
        return None
    missing, published = count_missing(connection, settings), count_published(connection, settings)
    limit = max(rules.few_notes, int(rules.max_removed_share * (published + removed)))
    if missing + removed <= limit + approved:
        return None
    reason = (
        f"the warehouse does not hold {missing} of {published} published notes any more; {limit} may leave the table"
        f" within 24 hours without a person (changes.max_removed_share), and {removed} have left it"
    )
    return {"kind": "removal", "reason": reason, "notes": missing}


def _removed_and_approved(connection: Connection, settings: InstitutionSettings, secrets: Secrets) -> tuple[int, int]:
    """Return how many missing notes left lately without an approval, and how many more may leave with one."""
    now = datetime.datetime.now(datetime.UTC)
    # What an approval let go stays out of the sum, also in the hours after the approval has ended.
    decision = newest_decision(connection, settings, secrets, {"kind": "removal"}, since=now - 2 * _WINDOW)
    if decision is None or decision.role != "approved":
        return missing_removed_since(connection, settings, now - _WINDOW), 0
    removed = missing_removed_since(connection, settings, decision.occurred_at)
    approved = int(json.loads(decision.details)["notes"])
    left = max(0, approved - removed) if decision.occurred_at > now - _WINDOW else 0
    return max(0, removed - approved), left
