"""Airflow's API server with the page De-identification, over a database with simulated history: ``python -m``, alone.

It is Airflow's own application with its own authentication, a metadata database in SQLite, and DAGs that stand in the
metadata alone. Its environment and its settings come from ``PageServer`` in ``page_site``.
"""

import datetime
import json
import os
import socket
import sys
import uuid
from typing import Any


def main() -> None:
    """Make the metadata database, print the address and a token for each user as a line of JSON, and serve."""
    site = json.loads(sys.stdin.readline())
    from airflow.utils.db import resetdb

    resetdb(use_migration_files=False)
    _write_dags(site["institutions"], site["waiting"])
    import uvicorn
    from airflow.api_fastapi.app import create_app, get_auth_manager
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

    app = create_app(apps="core")
    manager: Any = get_auth_manager()
    users = [
        SimpleAuthManagerUser(username=name, role=role, teams=teams) for name, (role, teams) in site["users"].items()
    ]
    tokens = {user.username: manager.generate_jwt(user) for user in users}
    listener = socket.create_server(("127.0.0.1", 0))
    print("READY" + json.dumps({"port": listener.getsockname()[1], "tokens": tokens}), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


def _write_dags(institutions: list[str], waiting: list[str]) -> None:
    """Write the DAGs of each institution, each in a bundle of its team, and a run that waits for an answer."""
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.models.team import Team
    from airflow.utils.session import create_session

    # Airflow's models have untyped constructors.
    model: Any = DagModel
    with create_session() as session:
        for name in institutions:
            bundle = DagBundleModel(name=f"bundle_{name}")
            bundle.teams.append(Team(name=name))
            session.add(bundle)
            session.flush()
            for kind in ("notes", "changes", "restate", "harvest", "evaluate", "dictionaries", "ledger"):
                session.add(model(dag_id=f"{kind}__{name}", bundle_name=bundle.name, is_stale=False))
    with create_session() as session:
        for name in waiting:
            _write_waiting_task(session, f"notes__{name}", f"{name}: publish this run?")
            _write_task(session, f"ledger__{name}", "check_audit_log", "failed")


def _write_waiting_task(session: Any, dag_id: str, subject: str) -> None:
    from airflow.models.hitl import HITLDetail
    from airflow.utils.state import TaskInstanceState

    task_id = _write_task(session, dag_id, "review", TaskInstanceState.AWAITING_INPUT)
    since = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=2)
    session.add(HITLDetail(ti_id=task_id, options=["Approve", "Reject"], subject=subject, created_at=since))


def _write_task(session: Any, dag_id: str, task: str, state: str) -> uuid.UUID:
    """Write a run of today with one task; return the task's id in Airflow."""
    from airflow.models.dag_version import DagVersion
    from airflow.models.dagrun import DagRun
    from airflow.models.taskinstance import TaskInstance
    from airflow.utils.state import DagRunState
    from airflow.utils.types import DagRunType
    from sqlalchemy import insert

    now = datetime.datetime.now(datetime.UTC)
    run_id = f"scheduled__{now:%Y-%m-%d}T00:00:00+00:00"
    version = DagVersion(dag_id=dag_id, version_number=1)
    run = DagRun(
        dag_id=dag_id, run_id=run_id, run_type=DagRunType.SCHEDULED, state=DagRunState.RUNNING, logical_date=now,
        run_after=now,
    )  # fmt: skip
    session.add_all([version, run])
    session.flush()
    # By columns: the class wants an operator, and this task has none.
    task_id = uuid.uuid4()
    values = {
        "id": task_id, "dag_id": dag_id, "run_id": run_id, "task_id": task, "map_index": -1, "pool": "default",
        "pool_slots": 1, "dag_version_id": version.id, "state": state, "end_date": now if state == "failed" else None,
    }  # fmt: skip
    session.execute(insert(TaskInstance.__table__).values(**values))
    return task_id


if __name__ == "__main__":
    # The caller ends this process by closing what it reads from.
    os.environ.setdefault("AIRFLOW__CORE__LOAD_EXAMPLES", "False")
    main()
