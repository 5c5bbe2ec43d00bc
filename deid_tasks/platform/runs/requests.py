"""Requests of one person that another approves, and that the first may then carry out once."""

import datetime
import json
import secrets as randomness
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import ApprovalError
from deid_tasks.core.identity import Identity
from deid_tasks.platform.audit_log import AuditEvent, AuditLogRow, AuditWriter, audited, is_trusted_row
from deid_tasks.platform.audit_log.approvals import ALONE
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.approval_requests import (
    ApprovalRequest,
    RequestedAct,
    add_request,
    read_requests,
)
from deid_tasks.platform.warehouse.audit_log import audit_rows_of, newest_audit_row
from deid_tasks.settings import DatabaseTask, InstitutionSettings, Secrets

RequestState = Literal["waiting", "approved", "rejected", "used", "expired"]
_WRITERS: Mapping[RequestedAct, DatabaseTask] = {
    "retraction": "publish",
    "readmission": "publish",
    "reidentification": "reidentify",
}
"""The kind of task that carries out each act, and asks for it."""
_DONE: Mapping[RequestedAct, str] = {
    "retraction": "exclusion",
    "readmission": "readmission",
    "reidentification": "reidentification",
}
"""The event that the audit log has once an act was carried out."""


@dataclass(frozen=True, slots=True)
class RequestStatus:
    """A request, and how far it is."""

    request: ApprovalRequest
    state: RequestState
    decided_by: str


def file_request(
    settings: InstitutionSettings,
    secrets: Secrets,
    act: RequestedAct,
    requested_by: Identity,
    reason: str,
    *,
    note_keys: Sequence[str] = (),
    patient_ids: Sequence[str] = (),
    note_ids: Sequence[str] = (),
) -> ApprovalRequest:
    """Store a request and its row of the audit log; return the request, which another person must approve.

    Raises:
        SettingsError: the log is signed, and the audit key is not here: nobody could approve the request.
    """
    now = datetime.datetime.now(datetime.UTC)
    request = ApprovalRequest(
        randomness.token_hex(6),
        act,
        now,
        requested_by.name,
        reason.strip(),
        list(note_keys),
        list(patient_ids),
        list(note_ids),
        now + datetime.timedelta(hours=settings.approvals.request_hours),
    )
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of(_WRITERS[act]))) as audit:
        audit.check_signing()
        record = add_request(audit.connection, settings, request)
        details = {"for": act, "record": record, "patients": len(patient_ids)}
        details |= {"notes": len(note_keys) + len(note_ids)}
        audit.append(AuditEvent("request", "prepared", requested_by, request.request_id, details))
    return request


def read_request_states(settings: InstitutionSettings, secrets: Secrets) -> list[RequestStatus]:
    """Return every request with its state, the oldest first."""
    with connect(secrets.text(settings.warehouse.connection_of("audit"))) as connection:
        return [
            RequestStatus(request, *_state(connection, settings, request))
            for request, _ in read_requests(connection, settings).values()
        ]


@logged_step
def waiting_requests(settings: InstitutionSettings, secrets: Secrets, since: datetime.datetime | None = None) -> int:
    """Return how many requests that were made after ``since`` wait for another person's approval."""
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        return sum(
            _state(connection, settings, request)[0] == "waiting"
            for request, _ in read_requests(connection, settings).values()
            if since is None or request.requested_at > since
        )


@logged_step
def decide_request(
    settings: InstitutionSettings,
    secrets: Secrets,
    request_id: str,
    decision: Literal["approved", "rejected"],
    decided_by: Identity,
) -> dict[str, Any]:
    """Record what a person decided about another person's request.

    Raises:
        ApprovalError: there is no such request, it waits no longer, or the person made it. An approval of one's own
            request is recorded as refused.
        SettingsError: the log is signed, and the audit key is not here: the answer would count for nothing.
    """
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("audit"))) as audit:
        audit.lock()
        audit.check_signing()
        request, prepared = _request(audit.connection, settings, secrets, request_id)
        state, _ = _state(audit.connection, settings, request)
        is_own = decision == "approved" and decided_by.is_same_person(_person(prepared))
        if state == "waiting":
            role: Any = "refused" if is_own else decision
            audit.append(AuditEvent("request", role, decided_by, request_id, {"for": request.act}))
    if state != "waiting":
        raise ApprovalError(f"request {request_id} waits for no answer: it is {state}; make a new one")
    if is_own:
        raise ApprovalError(f"request {request_id} was made by {prepared.actor}: another person must approve it")
    return {"request": request_id, "for": request.act, "decision": decision, "decided_by": decided_by.name}


def usable_request(
    audit: AuditWriter,
    settings: InstitutionSettings,
    secrets: Secrets,
    request_id: str,
    act: RequestedAct,
    asked_by: Identity,
) -> ApprovalRequest:
    """Return an approved request that this person may carry out now, and that nobody has.

    The log stays locked until the caller's transaction ends, so that a request is carried out once.

    Raises:
        ApprovalError: the request is not this person's, is for something else, is not approved, has expired, was used,
            or is not what was approved.
    """
    audit.lock()
    request, prepared = _request(audit.connection, settings, secrets, request_id)
    state, _ = _state(audit.connection, settings, request)
    if request.act != act:
        raise ApprovalError(f"request {request_id} is for a {request.act}, not for a {act}")
    if not asked_by.is_same_person(_person(prepared)):
        raise ApprovalError(f"request {request_id} was made by {prepared.actor}, who alone may carry it out")
    if state != "approved":
        remedy = f"let another person run `deid audit approve {request_id}`" if state == "waiting" else "make a new one"
        raise ApprovalError(f"request {request_id} is {state}, not approved; {remedy}")
    approved = newest_audit_row(audit.connection, settings, "request", subject=request_id, role="approved")
    if approved is None or not is_trusted_row(audit.connection, settings, secrets, approved):
        raise ApprovalError(
            f"the approval of request {request_id} is not what was written; run `deid audit verify"
            f" --institution {settings.institution}`"
        )
    return request


def check_alone(connection: Connection, settings: InstitutionSettings, asked_by: Identity, notes: int) -> None:
    """Check that a person may re-identify so many notes without another person's approval.

    Raises:
        ApprovalError: with those of the last 24 hours they are more than ``approvals.reidentify_max_notes``.
    """
    if "reidentification" not in settings.approvals.two_people:
        return
    since = datetime.datetime.now(datetime.UTC) - ALONE
    rows = audit_rows_of(
        connection,
        settings,
        "reidentification",
        {"actor": asked_by.name, "role": "performed", "request": ""},
        since=since,
    )
    before = sum(int(json.loads(row.details)["notes"]) for row in rows)
    limit = settings.approvals.reidentify_max_notes
    if before + notes > limit:
        raise ApprovalError(
            f"{settings.institution}: {notes} notes, after {before} within 24 hours, are more than the {limit} that one"
            " person may re-identify alone (approvals.reidentify_max_notes); make a request with `deid reidentify"
            " --request`, and let another person approve it"
        )


def _request(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, request_id: str
) -> tuple[ApprovalRequest, AuditLogRow]:
    """Return a request and the row of the log that says who made it."""
    request, record = read_requests(connection, settings).get(request_id, (None, ""))
    prepared = newest_audit_row(connection, settings, "request", subject=request_id, role="prepared")
    if request is None or prepared is None:
        raise ApprovalError(f"there is no request {request_id!r}; `deid audit requests` lists them")
    is_written = is_trusted_row(connection, settings, secrets, prepared)
    if not is_written or json.loads(prepared.details)["record"] != record:
        raise ApprovalError(
            f"request {request_id} is not what was asked for: it was changed; run `deid audit verify"
            f" --institution {settings.institution}`"
        )
    return request, prepared


def _state(connection: Connection, settings: InstitutionSettings, request: ApprovalRequest) -> tuple[RequestState, str]:
    """Return the state of a request, and who decided about it."""
    if used := newest_audit_row(connection, settings, _DONE[request.act], request=request.request_id):
        return "used", used.actor
    rows = audit_rows_of(connection, settings, "request", {"subject": request.request_id})
    decided = next((row for row in rows if row.role in {"approved", "rejected"}), None)
    if decided is not None and decided.role == "rejected":
        return "rejected", decided.actor
    if datetime.datetime.now(datetime.UTC) >= request.expires_at:
        return "expired", decided.actor if decided else ""
    return ("approved", decided.actor) if decided else ("waiting", "")


def _person(row: AuditLogRow) -> Identity:
    return Identity(row.actor, row.actor_source, row.actor_origin)
