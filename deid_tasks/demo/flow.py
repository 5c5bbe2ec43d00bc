"""Takes the demo's notes through Airflow, from dictionaries to a backfill of three days and what changes after it."""

import datetime
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from deid_tasks.demo.airflow_api import AirflowApi
from deid_tasks.demo.progress import Progress
from deid_tasks.demo.state import DemoError

KINDS = ("dictionaries", "harvest", "sample", "gold", "evaluate", "notes", "changes", "ledger")
"""Every kind of DAG that an institution has, in the order that the demo runs them."""

_ENDED = {"success", "failed"}
_POLL_SECONDS = 1.0
# Every request costs processor time that the detectors could use on a small machine.
_RUN_POLL_SECONDS = 2.5
_STAGE_SECONDS = 1_800
_PARSE_SECONDS = 180
_IMPORT_SECONDS = 45
"""After this time, import errors explain why a DAG is missing; before, they may be another institution's."""


def last_error(log: Path) -> str:
    """Return the last error in a task's log; tasks log no text that could hold patient data."""
    found = "no error was logged"
    with suppress(OSError):
        for line in log.read_text(errors="replace").splitlines():
            with suppress(ValueError, KeyError, IndexError, TypeError):
                error = json.loads(line)["error_detail"][-1]
                found = f"{error['exc_type']}: {error['exc_value']}"
    return found


@dataclass(frozen=True, slots=True)
class DagRun:
    """One run that the demo waits for."""

    dag_id: str
    run_id: str
    day: str = ""

    @property
    def label(self) -> str:
        """The name of the run in the progress display."""
        return f"{self.dag_id} {self.day}".rstrip()


class Flow:
    """Triggers the DAGs of the institutions in parallel, and waits for each stage."""

    def __init__(self, api: AirflowApi, institutions: list[str], logs: Path, progress: Progress) -> None:
        self._api, self._institutions, self._logs, self._progress = api, institutions, logs, progress

    def wait_for_dags(self) -> None:
        """Wait until Airflow has parsed every DAG of the demo.

        Files of other institutions may fail to import; that stops nothing here.

        Raises:
            DemoError: a DAG of the demo is missing; the text holds what Airflow could not import.
        """
        wanted = self._dag_ids()
        began = time.monotonic()
        while missing := wanted - self._api.dag_ids():
            waited = time.monotonic() - began
            if waited > _IMPORT_SECONDS and (errors := self._api.import_errors()):
                raise DemoError("Airflow cannot import the DAGs:\n" + "\n".join(errors))
            if waited > _PARSE_SECONDS:
                raise DemoError(f"Airflow does not find the DAGs {', '.join(sorted(missing))}; see dag-processor.log")
            time.sleep(_POLL_SECONDS)

    def give_up_interrupted(self) -> None:
        """End the runs and backfills that an interrupted demo left.

        Airflow would wait minutes for tasks that were killed, and start nothing beside them.
        """
        for dag_id in sorted(self._dag_ids()):
            self._close_backfills(dag_id)
            for run in self._api.runs(dag_id):
                if run["state"] not in _ENDED:
                    self._progress.say(f"giving up an interrupted run of {dag_id}")
                    self._api.end_run(dag_id, run["dag_run_id"])

    def dictionaries(self) -> None:
        """Build the dictionaries of each hospital; the evaluations are paused until there is a gold set."""
        for name in self._institutions:
            self._api.pause(f"evaluate__{name}")
        self._run_now("dictionaries", "dictionaries: dbt reads who and what each hospital's notes may name")

    def harvest(self) -> None:
        """Write candidates for the inclusion list and for templates to files that a person verifies."""
        self._trigger("harvest", "harvest: sentences that the notes repeat, for a person to verify", ask=False)

    def sample(self) -> None:
        """Draw the notes to annotate and write the annotators' task lists."""
        self._trigger("sample", "sample: notes for people to annotate, drawn by type and length, and at random")

    def agreement(self) -> None:
        """Import what the two annotators finished, and write the adjudicator's task list."""
        self._trigger("gold", "agreement: two annotators' work is compared; their conflicts go to a third person")

    def gold_and_evaluation(self) -> None:
        """Freeze the gold sets; Airflow starts the evaluations when the gold asset is updated."""
        before = {name: self._run_ids(f"evaluate__{name}") for name in self._institutions}
        for name in self._institutions:
            self._api.unpause(f"evaluate__{name}")
        self._trigger("gold", "gold: the third person's decisions are imported, and the gold sets are frozen")
        runs = [
            DagRun(f"evaluate__{name}", self._new_run(f"evaluate__{name}", before[name])) for name in self._institutions
        ]
        self._wait(
            "evaluation: each engine on its hospital's gold notes, and a certificate where it is good enough", runs
        )

    def backfill(
        self, first: datetime.date, last: datetime.date, create: Callable[[str, datetime.date, datetime.date], None]
    ) -> float:
        """Backfill the days of every institution and return how many seconds that took.

        ``create`` runs ``airflow backfill create`` for one DAG.
        """
        began = time.monotonic()
        runs: list[DagRun] = []
        days = {(first + datetime.timedelta(days=i)).isoformat() for i in range((last - first).days + 1)}
        for name in self._institutions:
            dag_id = f"notes__{name}"
            self._api.unpause(dag_id)
            self._close_backfills(dag_id)
            create(dag_id, first, last)
            found = [run for run in self._api.runs(dag_id) if str(run["logical_date"])[:10] in days]
            if len(found) != len(days):
                raise DemoError(f"the backfill of {dag_id} made {len(found)} runs in place of {len(days)}")
            runs.extend(DagRun(dag_id, run["dag_run_id"], run["logical_date"][:10]) for run in found)
        self._wait("notes: a backfill of three days, from the warehouse past the gate to the published table", runs)
        return time.monotonic() - began

    def changes(self) -> None:
        """Bring what was published up to date with what changed in the hospitals since."""
        self._run_now("changes", "changes: what was amended, filed late, deleted, withdrawn or merged since")

    def ledger(self) -> None:
        """Reconcile hospital, ledger and published table."""
        self._run_now("ledger", "ledger: hospital, ledger and published table must agree, by day and note type")

    def _run_now(self, kind: str, stage: str) -> None:
        """Run a DAG that has a schedule once for each institution."""
        runs = []
        for name in self._institutions:
            dag_id = f"{kind}__{name}"
            is_new = not self._run_ids(dag_id)
            self._api.unpause(dag_id)
            # Airflow runs the last scheduled time of a DAG that it never ran before; a second run would only repeat it.
            runs.append(DagRun(dag_id, self._new_run(dag_id, set()) if is_new else self._api.trigger(dag_id)))
        self._wait(stage, runs)

    def _trigger(self, kind: str, stage: str, **form: object) -> None:
        runs = []
        for name in self._institutions:
            dag_id = f"{kind}__{name}"
            self._api.unpause(dag_id)
            runs.append(DagRun(dag_id, self._api.trigger(dag_id, **form)))
        self._wait(stage, runs)

    def _wait(self, stage: str, runs: list[DagRun]) -> None:
        """Wait until all runs have succeeded; raise ``DemoError`` as soon as one has failed, with its task and log."""
        deadline = time.monotonic() + _STAGE_SECONDS
        left = list(runs)
        with self._progress.stage(stage, [run.label for run in runs]) as shown:
            while left:
                for run in list(left):
                    tasks = self._api.tasks(run.dag_id, run.run_id)
                    ended = sum(task["state"] in {"success", "failed", "skipped", "upstream_failed"} for task in tasks)
                    shown.update(runs.index(run), ended, len(tasks))
                    state = self._api.run_state(run.dag_id, run.run_id)
                    if state == "failed":
                        raise DemoError(self._failure(run))
                    if state == "success":
                        left.remove(run)
                        shown.finish(runs.index(run), len(tasks))
                if time.monotonic() > deadline:
                    names = ", ".join(sorted({run.dag_id for run in left}))
                    raise DemoError(f"{names} did not end within {_STAGE_SECONDS // 60} minutes; see Airflow's UI")
                if left:
                    time.sleep(_RUN_POLL_SECONDS)

    def _failure(self, run: DagRun) -> str:
        failed = [task for task in self._api.tasks(run.dag_id, run.run_id) if task["state"] == "failed"]
        lines = [f"{run.dag_id} failed in run {run.run_id}"]
        for task in failed[:3]:
            folder = self._logs / f"dag_id={run.dag_id}" / f"run_id={run.run_id}" / f"task_id={task['task_id']}"
            if task["map_index"] >= 0:
                folder /= f"map_index={task['map_index']}"
            log = folder / f"attempt={task['try_number']}.log"
            lines.append(f"  task {task['task_id']}: {last_error(log)}\n  see {log}")
        return "\n".join(lines)

    def _close_backfills(self, dag_id: str) -> None:
        """Cancel open backfills: Airflow allows one per DAG, and counts one as open for a while after its last run."""
        for backfill in self._api.unfinished_backfills(dag_id):
            self._api.cancel_backfill(backfill)

    def _dag_ids(self) -> set[str]:
        return {f"{kind}__{name}" for kind in KINDS for name in self._institutions}

    def _run_ids(self, dag_id: str) -> set[str]:
        return {run["dag_run_id"] for run in self._api.runs(dag_id)}

    def _new_run(self, dag_id: str, before: set[str]) -> str:
        """Return the run that Airflow has started by itself since ``before`` was read."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if new := self._run_ids(dag_id) - before:
                return max(new)
            time.sleep(_POLL_SECONDS)
        raise DemoError(f"{dag_id} was not started; see {self._logs.parent / 'scheduler.log'}")
