"""Reviews: runs that a person must approve before they are published, and what people decided."""

import datetime
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import ApprovalError, GateError
from deid_tasks.core.identity import Identity
from deid_tasks.platform.audit_log import AuditEvent, AuditLogRow, audited, is_trusted_row, reason_hash
from deid_tasks.platform.runs.reports import HeldRun, ReviewReason
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse.audit_log import audit_rows_of
from deid_tasks.platform.warehouse.certificates import Approval, ApprovalKind, engines_like, record_approval
from deid_tasks.platform.warehouse.results import read_review
from deid_tasks.settings import InstitutionSettings, Secrets

Decision = Literal["approved", "rejected"]


def review_reasons(
    connection: Connection,
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    fingerprint: str,
    drift: Sequence[str],
    volume: Sequence[str],
) -> list[ReviewReason]:
    """Return why a person must see this run before it is published, without the reasons that were approved before."""
    reasons: list[ReviewReason] = []
    if settings.gate.approval and not _is_first_approved(connection, settings, secrets, fingerprint):
        reasons.append({"kind": "first_publication", "reason": _first_reason(settings, fingerprint)})
    held: tuple[tuple[Literal["drift", "volume"], Sequence[str]], ...] = (("drift", drift), ("volume", volume))
    for kind, found in held:
        reason = "; ".join(found)
        if found and not _is_approved(connection, settings, secrets, kind, [fingerprint], run_id, reason):
            reasons.append({"kind": kind, "reason": reason})
    return reasons


@logged_step
def record_review(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    held: HeldRun,
    decision: Decision,
    decided_by: Identity,
    decided_at: datetime.datetime,
    prepared_by: Identity | None = None,
) -> dict[str, Any]:
    """Record what a person decided about a run that the gate holds.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        held: Why the run is held: what ``reconcile_run`` returned, or ``held`` of a plan.
        decision: The answer.
        decided_by: The person.
        decided_at: When the person answered.
        prepared_by: Who triggered the run; ``None`` for a run that nobody triggered.

    Raises:
        ApprovalError: the person approved what the same person prepared. The log says so, and the run stays held.
    """
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("publish"))) as audit:
        own = []
        if decision == "approved":
            own = _prepared(audit.connection, settings, held, decided_by, prepared_by)
        for one in held["review"]:
            details: dict[str, Any] = {
                "kind": one["kind"],
                "fingerprint": held["fingerprint"],
                "certificate": held["certificate"],
                "reason_sha256": reason_hash(one["reason"]),
                "prepared_by": prepared_by.name if prepared_by else "",
            }
            details |= {name: value for name, value in one.items() if name in {"notes", "noticed_by"}}
            if own:
                audit.append(AuditEvent("review", "refused", decided_by, run_id, details))
                continue
            approval = Approval(
                one["kind"],
                run_id,
                held["fingerprint"],
                held["certificate"],
                one["reason"],
                decision,
                decided_by.name,
                decided_at,
            )
            details |= {"record": record_approval(audit.connection, settings, approval)}
            audit.append(AuditEvent("review", decision, decided_by, run_id, details))
    if own:
        raise ApprovalError(
            f"{settings.institution}: {decided_by.name} may not approve this run, because the same person triggered"
            f" {' and '.join(own)}; clear the task review, and let another person answer"
        )
    return {"decision": decision, "decided_by": decided_by.name, "kinds": [one["kind"] for one in held["review"]]}


def _prepared(
    connection: Connection,
    settings: InstitutionSettings,
    held: HeldRun,
    person: Identity,
    triggered_by: Identity | None,
) -> list[str]:
    """Return what this person prepared of a held run, where the settings say that it takes two people."""
    needed, own = settings.approvals.two_people, []
    if "review" in needed and triggered_by is not None and person.is_same_person(triggered_by):
        own.append("the run")
    if "promotion" in needed and any(one["kind"] == "first_publication" for one in held["review"]):
        # A later evaluation by somebody else, or by the schedule, takes nothing back.
        wanted = {"fingerprint": held["fingerprint"], "role": "performed"}
        issued = audit_rows_of(connection, settings, "certificate_issued", wanted)
        if any(person.is_same_person(Identity(row.actor, row.actor_source)) for row in issued):
            own.append("the engine's evaluation")
    return own


def check_review(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, run_id: str, fingerprint: str
) -> None:
    """Check that nothing holds the run for a person any more.

    Raises:
        GateError: the gate has not seen the run, or a person has not approved it.
    """
    held = read_review(connection, settings, run_id)
    if held is None:
        raise GateError(f"{settings.institution}: the gate has not checked this run; clear reconcile_and_gate")
    kinds = {one["kind"] for one in held}
    if settings.gate.approval and "first_publication" not in kinds:
        held = [{"kind": "first_publication", "reason": f"fingerprint {fingerprint} is not approved"}, *held]
    for one in held:
        if one["kind"] == "first_publication":
            approved = _is_first_approved(connection, settings, secrets, fingerprint)
        else:
            kind: ApprovalKind = "drift" if one["kind"] == "drift" else "volume"
            approved = _is_approved(connection, settings, secrets, kind, [fingerprint], run_id, one["reason"])
        if not approved:
            raise GateError(
                f"{settings.institution}: held for review: {one['reason']};"
                " approve or reject it in the task review of this run, under 'Required Actions'"
            )


def _is_first_approved(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, fingerprint: str
) -> bool:
    """Whether a person approved publishing under this engine, or under one that differs in its dictionaries alone where
    the settings let that count."""
    each = settings.gate.approve_dictionaries
    like = [fingerprint] if each else engines_like(connection, settings, fingerprint)
    return _is_approved(connection, settings, secrets, "first_publication", like)


def _is_approved(
    connection: Connection,
    settings: InstitutionSettings,
    secrets: Secrets,
    kind: ApprovalKind,
    fingerprints: Collection[str],
    run_id: str = "",
    reason: str = "",
) -> bool:
    """Whether the newest decision in the audit log approves one of the engines, or, with ``run_id``, this run with
    exactly this reason.

    Raises:
        GateError: the row of the log was changed or forged.
    """
    wanted = {"kind": kind, **({"subject": run_id, "reason_sha256": reason_hash(reason)} if run_id else {})}
    newest = newest_decision(connection, settings, secrets, wanted, fingerprints)
    return newest is not None and newest.role == "approved"


def newest_decision(
    connection: Connection,
    settings: InstitutionSettings,
    secrets: Secrets,
    wanted: Mapping[str, str],
    fingerprints: Collection[str] = ("",),
    since: datetime.datetime | None = None,
) -> AuditLogRow | None:
    """Return the row of the audit log with the newest decision of a review; ``None`` without one.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        secrets: Its secrets.
        wanted: Values of the row's subject or details, by name.
        fingerprints: Engines that the decision may be about; the empty one is of decisions about no engine.
        since: Only decisions from this time on.

    Raises:
        GateError: the row was changed or forged.
    """
    rows = audit_rows_of(connection, settings, "review", wanted, since=since)
    decided = (row for row in rows if row.role != "refused" and json.loads(row.details)["fingerprint"] in fingerprints)
    newest = next(decided, None)
    if newest is not None and not is_trusted_row(connection, settings, secrets, newest):
        raise GateError(
            f"{settings.institution}: row {newest.seq} of the audit log, a decision about this run, was changed or is"
            f" not signed with the audit key; run `deid audit verify --institution {settings.institution}`"
        )
    return newest


def _first_reason(settings: InstitutionSettings, fingerprint: str) -> str:
    if settings.gate.approve_dictionaries:
        return f"nothing was published under fingerprint {fingerprint} yet"
    return f"nothing was published under the code, models, settings and harvest of fingerprint {fingerprint} yet"
