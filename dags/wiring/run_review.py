"""The task in which a person approves or rejects a run before it is published."""

import datetime
from typing import TYPE_CHECKING, Any

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Context

from wiring.people import answered_by, triggered_by
from wiring.steps import run_name, run_step

if TYPE_CHECKING:
    from deid_tasks.platform.runs.reports import GateReport


class RunReview(ApprovalOperator):
    """Asks a person to approve or reject a run that the gate holds, records the answer, and passes where the gate holds
    nothing.

    While it waits it takes no worker, only one of the DAG's active runs. A rejected run fails here, and so does a run
    that nobody answered in time: nothing is published. The task is not retried, because a retry would ask again.
    """

    def __init__(self, *, institution: str, gate_task: str, kind: str, hours: int, **kwargs: Any) -> None:
        reasons = f"ti.xcom_pull('{gate_task}')['review']"
        super().__init__(
            task_id="review",
            subject=f"{institution}: publish this run?",
            body="{% for held in " + reasons + " %}- {{ held['reason'] }}\n{% endfor %}",
            fail_on_reject=True,
            response_timeout=datetime.timedelta(hours=hours),
            execution_timeout=None,
            retries=0,
            **kwargs,
        )
        self.institution, self.gate_task, self.kind = institution, gate_task, kind

    def execute(self, context: Context) -> Any:
        """Ask a person where the gate has given reasons to."""
        if not self._gate_report(context)["review"]:
            self.log.info("The gate holds nothing of this run for review")
            return None
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Record who decided what, and when; then continue the run or fail it.

        Raises:
            ApprovalError: Airflow does not know who answered, or the person may not approve this run.
        """
        if "error" not in event:
            from deid_tasks.platform import runs

            run_step(
                runs.record_review,
                self.institution,
                run_name(self.kind, context["run_id"]),
                self._gate_report(context),
                "approved" if event["chosen_options"] == [self.APPROVE] else "rejected",
                answered_by(event),
                event["responded_at"],
                triggered_by(context),
            )
        return super().execute_complete(context, event)

    def _gate_report(self, context: Context) -> "GateReport":
        report: GateReport = context["ti"].xcom_pull(task_ids=self.gate_task)
        return report
