"""The newest nightly check of each institution's audit log, as Airflow has it."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import TaskInstanceState
from sqlalchemy import select

_TASK = "check_audit_log"


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """How the newest check ended."""

    is_unchanged: bool
    ended_at: datetime.datetime


def audit_checks(institutions: Sequence[str]) -> dict[str, AuditCheck]:
    """Return the newest check by institution; none where no check has ended."""
    found = {}
    with create_session(scoped=False) as session:
        for name in institutions:
            statement = (
                select(TaskInstance.state, TaskInstance.end_date)
                .where(
                    TaskInstance.dag_id == f"ledger__{name}",
                    TaskInstance.task_id == _TASK,
                    TaskInstance.state.in_([TaskInstanceState.SUCCESS, TaskInstanceState.FAILED]),
                    TaskInstance.end_date.is_not(None),
                )
                .order_by(TaskInstance.end_date.desc())
                .limit(1)
            )
            for state, ended_at in session.execute(statement).all():
                assert ended_at is not None  # the statement asks for it
                found[name] = AuditCheck(state == TaskInstanceState.SUCCESS, ended_at)
    return found
