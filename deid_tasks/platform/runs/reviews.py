"""Reviews: runs that a person must approve before they are published, and what people decided."""

import datetime
from collections.abc import Sequence
from typing import Any, Literal

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.platform.runs.reports import GateReport, ReviewReason
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.certificates import Approval, ApprovalKind, is_approved, record_approval
from deid_tasks.platform.warehouse.results import read_review
from deid_tasks.settings import InstitutionSettings, Secrets

Decision = Literal["approved", "rejected"]


def review_reasons(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    fingerprint: str,
    drift: Sequence[str],
    volume: Sequence[str],
) -> list[ReviewReason]:
    """Return why a person must see this run before it is published, without the reasons that were approved before."""
    reasons: list[ReviewReason] = []
    if settings.gate.approval and not _is_first_approved(connection, settings, fingerprint):
        reasons.append({"kind": "first_publication", "reason": _first_reason(settings, fingerprint)})
    held: tuple[tuple[Literal["drift", "volume"], Sequence[str]], ...] = (("drift", drift), ("volume", volume))
    for kind, found in held:
        reason = "; ".join(found)
        if found and not is_approved(connection, settings, kind, fingerprint, run_id, reason):
            reasons.append({"kind": kind, "reason": reason})
    return reasons


@logged_step
def record_review(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    released: GateReport,
    decision: Decision,
    decided_by: str,
    decided_at: datetime.datetime,
) -> dict[str, Any]:
    """Record what a person decided about a run that the gate holds.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        released: What ``reconcile_run`` returned.
        decision: The answer.
        decided_by: Name or id of the person in Airflow.
        decided_at: When the person answered.
    """
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        for held in released["review"]:
            record_approval(
                connection,
                settings,
                Approval(
                    held["kind"],
                    run_id,
                    released["fingerprint"],
                    released["certificate"],
                    held["reason"],
                    decision,
                    decided_by,
                    decided_at,
                ),
            )
    return {"decision": decision, "decided_by": decided_by, "kinds": [held["kind"] for held in released["review"]]}


def check_review(connection: Connection, settings: InstitutionSettings, run_id: str, fingerprint: str) -> None:
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
            approved = _is_first_approved(connection, settings, fingerprint)
        else:
            kind: ApprovalKind = "drift" if one["kind"] == "drift" else "volume"
            approved = is_approved(connection, settings, kind, fingerprint, run_id, one["reason"])
        if not approved:
            raise GateError(
                f"{settings.institution}: held for review: {one['reason']};"
                " approve or reject it in the task review of this run, under 'Required Actions'"
            )


def _is_first_approved(connection: Connection, settings: InstitutionSettings, fingerprint: str) -> bool:
    """Whether a person approved publishing under this engine, or under one that differs in its dictionaries alone where
    the settings let that count."""
    return is_approved(
        connection,
        settings,
        "first_publication",
        fingerprint,
        any_dictionaries=not settings.gate.approve_dictionaries,
    )


def _first_reason(settings: InstitutionSettings, fingerprint: str) -> str:
    if settings.gate.approve_dictionaries:
        return f"nothing was published under fingerprint {fingerprint} yet"
    return f"nothing was published under the code, models, settings and harvest of fingerprint {fingerprint} yet"
