"""Exclusions that the warehouse lacks: a few of them end at once, and many stay in force until a person approves.

A table of exclusions that was truncated or loaded half looks like one whose exclusions ended, and the notes of patients
who objected would be published. What a person ends by request ends at once.
"""

import datetime
import json

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.runs.reports import ReviewReason
from deid_tasks.platform.runs.reviews import newest_decision
from deid_tasks.platform.warehouse.ended_exclusions import (
    count_ended,
    count_readmitted,
    end_missing,
    end_missing_as_approved,
    record_exclusions,
)
from deid_tasks.settings import InstitutionSettings, Secrets

ENDING_WINDOW = datetime.timedelta(hours=24)
"""Time over which ended exclusions are added up, for which an approval holds, and after which an earlier end counts."""


def end_exclusions_of_warehouse(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets
) -> ReviewReason | None:
    """End the exclusions that the warehouse lacks, where they may end; return why they stay, ``None`` where none does.

    Many small steps end no more than a large one. An approval ends what its question was about: an exclusion that the
    warehouse had again meanwhile, or lost later, was not shown.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        secrets: Its secrets.

    Raises:
        GateError: the row of the audit log that approves a readmission was changed or forged.
    """
    record_exclusions(connection, settings, ENDING_WINDOW)
    found = count_ended(connection, settings, ENDING_WINDOW)
    if not found.missing:
        return None
    since = datetime.datetime.now(datetime.UTC) - ENDING_WINDOW
    decision = newest_decision(connection, settings, secrets, {"kind": "readmission"}, since=since)
    if decision is not None and decision.role == "approved":
        noticed_by = datetime.datetime.fromisoformat(json.loads(decision.details)["noticed_by"])
        end_missing_as_approved(connection, settings, noticed_by)
        found = count_ended(connection, settings, ENDING_WINDOW)
    most = settings.changes.max_ended_exclusions
    if not found.missing:
        return None
    if not found.is_empty and found.missing + found.ended <= most:
        end_missing(connection, settings)
        return None
    notes = count_readmitted(connection, settings)
    left = "has no exclusion left: it lacks" if found.is_empty else "lacks"
    reason = (
        f"the warehouse {left} {found.missing} that it had, which keep {notes} notes of published days out of the"
        f" table; {most} may end within 24 hours without a person (changes.max_ended_exclusions), and {found.ended}"
        " others have ended"
    )
    return {"kind": "readmission", "reason": reason, "notes": notes, "noticed_by": found.noticed_at.isoformat()}
