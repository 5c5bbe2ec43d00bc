"""The tasks in which a person approves or rejects a run before it is published, or what the warehouse lacks."""

import datetime
from typing import TYPE_CHECKING, Any

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Context

from wiring.people import answered_by, triggered_by
from wiring.steps import run_name, run_step

if TYPE_CHECKING:
    from deid_tasks.platform.runs.reports import HeldRun

HELD = "held"
"""Key under which a plan says why notes or exclusions that the warehouse lacks wait for a person."""


class RunReview(ApprovalOperator):
    """Asks a person to approve or reject a run that the gate holds, records the answer, and passes where the gate holds
    nothing.

    While it waits it takes no worker, only one of the DAG's active runs. A rejected run fails here, and so does a run
    that nobody answered in time: nothing is published. The task is not retried, because a retry would ask again.
    """

    question = "publish this run?"
    advice = ""
    """What the question says below the reasons."""
    held_key = "return_value"
    """Key under which the other task says why the run is held."""
    only_kind = ""
    """The kind of the reasons that the question is about; without one, all."""

    def __init__(
        self, *, institution: str, gate_task: str, kind: str, hours: int, task_id: str = "review", **kwargs: Any
    ) -> None:
        # A plan that holds nothing says nothing, and the question is written before the task asks whether to ask it.
        reasons = f"(ti.xcom_pull('{gate_task}', key='{self.held_key}') or {{'review': []}})['review']"
        if self.only_kind:
            reasons += f" | selectattr('kind', 'equalto', '{self.only_kind}')"
        super().__init__(
            task_id=task_id,
            subject=f"{institution}: {self.question}",
            body="{% for held in " + reasons + " %}- {{ held['reason'] }}\n{% endfor %}" + self.advice,
            fail_on_reject=True,
            response_timeout=datetime.timedelta(hours=hours),
            execution_timeout=None,
            retries=0,
            **kwargs,
        )
        self.institution, self.gate_task, self.kind = institution, gate_task, kind

    def execute(self, context: Context) -> Any:
        """Ask a person where the gate has given reasons to."""
        held = self._held_run(context)
        if held is None or not held["review"]:
            self.log.info("Nothing of this run is held for review")
            return None
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Record who decided what, and when; then continue the run or fail it.

        Raises:
            ApprovalError: Airflow does not know who answered, or the person may not approve this run.
        """
        held = self._held_run(context)
        if "error" not in event and held is not None:
            from deid_tasks.platform import runs

            run_step(
                runs.record_review,
                self.institution,
                run_name(self.kind, context["run_id"]),
                held,
                "approved" if event["chosen_options"] == [self.APPROVE] else "rejected",
                answered_by(event),
                event["responded_at"],
                triggered_by(context),
            )
        return super().execute_complete(context, event)

    def _held_run(self, context: Context) -> "HeldRun | None":
        held: HeldRun | None = context["ti"].xcom_pull(task_ids=self.gate_task, key=self.held_key)
        if held is not None and self.only_kind:
            held = {**held, "review": [one for one in held["review"] if one["kind"] == self.only_kind]}
        return held


class RemovalReview(RunReview):
    """Asks a person whether notes that the warehouse lacks may leave the published table, where they are many.

    The answer holds for the runs that follow: the next one removes the notes. Without an approval they stay.
    """

    question = "remove the notes that the warehouse lacks?"
    advice = (
        "\nApprove only where these notes were deleted on purpose. A warehouse that is being loaded again, or a staging"
        " view that lost rows, looks the same: then reject, and the runs go on by themselves once the notes are back."
        " A removal takes the originals out of the vault, and cannot be undone."
    )
    held_key = HELD
    only_kind = "removal"


class ReadmissionReview(RunReview):
    """Asks a person whether notes may be published again because the warehouse does not exclude them any more.

    It is a question of its own, because one answer must not take notes out and let others in. The answer holds for the
    runs that follow. Without an approval the exclusions hold.
    """

    question = "publish notes again that the warehouse does not exclude any more?"
    advice = (
        "\nApprove only where these exclusions were ended on purpose. A table of exclusions that was truncated, or is"
        " being loaded again, looks the same: then reject, and the exclusions hold until the warehouse has them again."
        " A published note may already have been read or copied when it is removed again."
    )
    held_key = HELD
    only_kind = "readmission"
