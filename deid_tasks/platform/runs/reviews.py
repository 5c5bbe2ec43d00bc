"""Reviews: runs that a person must approve before they are published, and what people decided."""

import datetime
from collections.abc import Sequence
from typing import Any, Literal

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.certificates import Approval, is_approved, record_approval
from deid_tasks.platform.warehouse.results import read_review
from deid_tasks.settings import InstitutionSettings, Secrets

Decision = Literal["approved", "rejected"]


def review_reasons(
    connection: Connection, settings: InstitutionSettings, run_id: str, fingerprint: str, drift: Sequence[str]
) -> list[dict[str, str]]:
    """Why a person must see this run before it is published: objects of ``kind`` and ``reason``, without what was approved already."""
    reasons = []
    if settings.gate.approval and not is_approved(connection, settings, "first_publication", fingerprint):
        reasons.append(
            {"kind": "first_publication", "reason": f"nothing was published under fingerprint {fingerprint} yet"}
        )
    if drift:
        reason = "; ".join(drift)
        if not is_approved(connection, settings, "drift", fingerprint, run_id, reason):
            reasons.append({"kind": "drift", "reason": reason})
    return reasons


def record_review(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    released: dict[str, Any],
    decision: Decision,
    decided_by: str,
    decided_at: datetime.datetime,
) -> dict[str, Any]:
    """Write down what a person decided about what ``reconcile`` held this run for."""
    with connect(secrets.text(settings.warehouse.connection)) as connection:
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
    """Raise ``GateError`` while the run waits for a person."""
    held = read_review(connection, settings, run_id)
    if held is None:
        raise GateError(f"{settings.institution}: the gate never saw this run; clear reconcile_and_gate")
    kinds = {one["kind"] for one in held}
    if settings.gate.approval and "first_publication" not in kinds:
        held = [{"kind": "first_publication", "reason": f"fingerprint {fingerprint} is not approved"}, *held]
    for one in held:
        if one["kind"] == "drift":
            is_free = is_approved(connection, settings, "drift", fingerprint, run_id, one["reason"])
        else:
            is_free = is_approved(connection, settings, "first_publication", fingerprint)
        if not is_free:
            raise GateError(
                f"{settings.institution}: held for review: {one['reason']};"
                " approve or reject it in the task review of this run, under 'Required Actions'"
            )
