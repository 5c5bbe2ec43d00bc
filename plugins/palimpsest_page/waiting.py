"""Tasks that wait for a person in Airflow, for users who may see them."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from airflow.models.hitl import HITLDetail
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import TaskInstanceState
from sqlalchemy import select

REVIEWED = ("notes", "changes", "restate", "harvest")
"""Kinds of DAG that have a task for a person's review."""
_MOST = 50


@dataclass(frozen=True, slots=True)
class WaitingTask:
    """A task that a person must answer."""

    dag_id: str
    run_id: str
    task_id: str
    subject: str
    since: datetime.datetime

    @property
    def path(self) -> str:
        """The page of Airflow's UI on which it is answered, below Airflow's address."""
        run, task = quote(self.run_id, safe=""), quote(self.task_id, safe="")
        return f"/dags/{quote(self.dag_id, safe='')}/runs/{run}/tasks/{task}/required_actions"


def waiting_tasks(dag_ids: Sequence[str]) -> list[WaitingTask]:
    """Return the unanswered tasks of these DAGs, the oldest first; fifty at most."""
    statement = (
        select(
            TaskInstance.dag_id, TaskInstance.run_id, TaskInstance.task_id, HITLDetail.subject, HITLDetail.created_at
        )
        .join(TaskInstance, HITLDetail.ti_id == TaskInstance.id)
        .where(
            HITLDetail.responded_at.is_(None),
            TaskInstance.dag_id.in_(dag_ids),
            TaskInstance.state.in_([TaskInstanceState.AWAITING_INPUT, TaskInstanceState.DEFERRED]),
        )
        .order_by(HITLDetail.created_at)
        .limit(_MOST)
    )
    if not dag_ids:
        return []
    with create_session(scoped=False) as session:
        return [WaitingTask(*row) for row in session.execute(statement).all()]
