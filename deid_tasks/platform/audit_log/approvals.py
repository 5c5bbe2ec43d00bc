"""Compares the re-identifications in the audit log with what one person may do alone, and with the requests it has."""

import datetime
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from deid_tasks.core.identity import Identity
from deid_tasks.platform.audit_log.chain import LogFinding, details_of
from deid_tasks.platform.warehouse.audit_log import AuditLogRow
from deid_tasks.settings import ApprovalsSettings

ALONE = datetime.timedelta(hours=24)
"""The time over which ``approvals.reidentify_max_notes`` counts."""


def check_reidentifications(
    approvals: ApprovalsSettings, rows: Iterable[AuditLogRow], notes: Mapping[str, int]
) -> Iterator[LogFinding]:
    """Yield the re-identifications that lacked another person's approval.

    The command refuses them by the settings of the machine it runs on. This holds the log against the settings of the
    machine that verifies. Rows from before the log are left out: nobody was asked then.

    Args:
        approvals: What one person may do alone.
        rows: The log, the oldest row first.
        notes: Number of notes of each row of ``reidentification``, by its hash.
    """
    if "reidentification" not in approvals.two_people:
        return
    requests: dict[str, list[AuditLogRow]] = defaultdict(list)
    used: dict[str, int] = {}
    alone: dict[str, deque[tuple[datetime.datetime, int]]] = defaultdict(deque)
    for row in rows:
        if row.event == "request":
            requests[row.subject].append(row)
        if (row.event, row.role) != ("reidentification", "performed") or row.actor_source == "unverified":
            continue
        details = details_of(row)
        request = str(details.get("request") or "")
        problem = ""
        if not request:
            before = alone[row.actor]
            while before and before[0][0] <= row.occurred_at - ALONE:
                before.popleft()
            before.append((row.occurred_at, _notes(details, notes)))
            if (total := sum(number for _, number in before)) > approvals.reidentify_max_notes:
                problem = (
                    f"{row.actor} re-identified {total} notes within 24 hours without another person's approval;"
                    f" approvals.reidentify_max_notes is {approvals.reidentify_max_notes}"
                )
        elif request in used:
            problem = f"request {request} was used before, by row {used[request]}"
        else:
            used[request] = row.seq
            problem = _problem_of(request, requests[request], row)
        if problem and _is_compared(approvals, row):
            yield LogFinding(row.seq, "not approved", problem)


def _notes(details: Mapping[str, Any], notes: Mapping[str, int]) -> int:
    """Return how many notes an act was about: what its row holds, where the details say less."""
    said = details.get("notes")
    return max(said if isinstance(said, int) else 0, notes.get(str(details.get("record")), 0))


def _problem_of(request: str, rows: list[AuditLogRow], use: AuditLogRow) -> str:
    """Return what is wrong with a request that an act names; empty if it is approved, and its maker carried it out."""
    prepared = next((row for row in rows if row.role == "prepared"), None)
    decided = next((row for row in reversed(rows) if row.role in {"approved", "rejected"}), None)
    if prepared is None:
        return f"the log has no request {request}"
    if not _person(use).is_same_person(_person(prepared)):
        return f"request {request} was made by {prepared.actor}, and not by {use.actor}"
    if decided is None or decided.role == "rejected" or _person(decided).is_same_person(_person(prepared)):
        return f"request {request} was not approved by another person"
    return ""


def _person(row: AuditLogRow) -> Identity:
    return Identity(row.actor, row.actor_source, row.actor_origin)


def _is_compared(approvals: ApprovalsSettings, row: AuditLogRow) -> bool:
    first = approvals.compared_from
    return first is None or row.occurred_at.astimezone(datetime.UTC).date() >= first
