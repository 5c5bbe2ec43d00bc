"""Who triggered a run and who answered a task, as Airflow knows them."""

from collections.abc import Mapping
from typing import Any

from airflow.sdk import Context, get_current_context
from airflow.sdk.execution_time.hitl import HITLUser

from deid_tasks.core.errors import ApprovalError
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.settings import InstitutionSettings


def assigned_users(settings: InstitutionSettings) -> list[HITLUser] | None:
    """Return who may answer the institution's review tasks; ``None`` where the settings name nobody."""
    users = settings.approvals.assigned_users
    return [HITLUser(id=user, name=user) for user in users] or None


def answered_by(event: Mapping[str, Any]) -> Identity:
    """Return who answered a task.

    Raises:
        ApprovalError: Airflow does not say who it was.
    """
    user = event.get("responded_by_user") or {}
    name = user.get("name") or user.get("id")
    if not name:
        raise ApprovalError(
            "Airflow does not say who answered: nobody is signed in. Configure an auth manager with users, clear this"
            " task, and answer again"
        )
    return Identity(str(name), "airflow", f"user id {user.get('id') or name}")


def triggered_by(context: Context) -> Identity | None:
    """Return who triggered the run of this task; ``None`` for a run that a schedule or an asset started."""
    name = getattr(context.get("dag_run"), "triggering_user_name", None)
    return Identity(name, "airflow") if name else None


def current_person() -> Identity:
    """Return who triggered the run of the calling task; the platform where nobody did."""
    return triggered_by(get_current_context()) or PLATFORM
