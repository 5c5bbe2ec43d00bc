"""A client for the few calls of Airflow's REST API that the demo makes."""

import datetime
import json
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import quote

from deid_tasks.demo.state import DemoError


class AirflowApi:
    """A client of one Airflow, logged in on first use."""

    def __init__(self, port: int, user: str, password: str) -> None:
        self._port = port
        self._login = {"username": user, "password": password}
        self._token = ""

    def is_healthy(self) -> bool:
        """Whether database, scheduler and DAG processor all report that they are healthy."""
        try:
            health = self._request("GET", "/api/v2/monitor/health", authenticated=False)
        except (OSError, HTTPException, DemoError):
            return False
        parts = [health.get(name) or {} for name in ("metadatabase", "scheduler", "dag_processor")]
        return all(part.get("status") == "healthy" for part in parts)

    def dag_ids(self) -> set[str]:
        """Return the DAGs that Airflow has parsed."""
        return {dag["dag_id"] for dag in self.get("/api/v2/dags?limit=1000")["dags"]}

    def import_errors(self) -> list[str]:
        """Return what Airflow could not import, one text per file."""
        return [error["stack_trace"] for error in self.get("/api/v2/importErrors")["import_errors"]]

    def unpause(self, dag_id: str) -> None:
        """Let the scheduler run the DAG."""
        self._request("PATCH", f"/api/v2/dags/{dag_id}", {"is_paused": False})

    def pause(self, dag_id: str) -> None:
        """Pause the DAG; scheduled and asset-triggered runs of the pause are not caught up."""
        self._request("PATCH", f"/api/v2/dags/{dag_id}", {"is_paused": True})

    def trigger(self, dag_id: str, **form: object) -> str:
        """Trigger a run with values for its form, and return its id."""
        asked = {"logical_date": None, "conf": form}
        return str(self._request("POST", f"/api/v2/dags/{dag_id}/dagRuns", asked)["dag_run_id"])

    def trigger_interval(self, dag_id: str, start: datetime.datetime, end: datetime.datetime) -> str:
        """Trigger a run of the data interval ``[start, end)`` and return its id; an interval may have several runs."""
        interval = {"data_interval_start": start.isoformat(), "data_interval_end": end.isoformat()}
        asked = {"logical_date": datetime.datetime.now(datetime.UTC).isoformat(), **interval}
        return str(self._request("POST", f"/api/v2/dags/{dag_id}/dagRuns", asked)["dag_run_id"])

    def runs(self, dag_id: str, query: str = "") -> list[dict[str, Any]]:
        """Runs of a DAG, newest first."""
        return list(self.get(f"/api/v2/dags/{dag_id}/dagRuns?order_by=-run_after&limit=100{query}")["dag_runs"])

    def run_state(self, dag_id: str, run_id: str) -> str:
        """``queued``, ``running``, ``success`` or ``failed``."""
        return str(self.get(f"/api/v2/dags/{dag_id}/dagRuns/{quote(run_id, safe='')}")["state"])

    def end_run(self, dag_id: str, run_id: str) -> None:
        """Mark a run as failed, and with it its running tasks."""
        self._request("PATCH", f"/api/v2/dags/{dag_id}/dagRuns/{quote(run_id, safe='')}", {"state": "failed"})

    def tasks(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """The task instances of one run."""
        return list(
            self.get(f"/api/v2/dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances?limit=1000")[
                "task_instances"
            ]
        )

    def unfinished_backfills(self, dag_id: str) -> list[int]:
        """Ids of backfills of the DAG that still run."""
        found = self.get(f"/api/v2/backfills?dag_id={dag_id}&limit=100")["backfills"]
        return [backfill["id"] for backfill in found if backfill["completed_at"] is None]

    def cancel_backfill(self, backfill_id: int) -> None:
        """Cancel a backfill; its running tasks end by themselves. Cancelling one that has ended changes nothing."""
        try:
            self._request("PUT", f"/api/v2/backfills/{backfill_id}/cancel")
        except DemoError as error:
            if " answered 409 " not in str(error):
                raise

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON at ``path``; raise ``DemoError`` if Airflow refuses."""
        return self._request("GET", path)

    def _request(self, method: str, path: str, body: Any = None, *, authenticated: bool = True) -> dict[str, Any]:
        if authenticated and not self._token:
            self._token = str(self._request("POST", "/auth/token", self._login, authenticated=False)["access_token"])
        headers = {"Content-Type": "application/json"}
        if authenticated:
            headers["Authorization"] = f"Bearer {self._token}"
        connection = HTTPConnection("127.0.0.1", self._port, timeout=180)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status >= 400:
            raise DemoError(f"Airflow answered {response.status} to {method} {path.partition('?')[0]}")
        return dict(json.loads(text)) if text else {}
