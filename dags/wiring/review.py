"""A run that a person must see before it is published."""

import datetime
from typing import Any, ClassVar

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Context

from wiring.engine import engine


class Review(ApprovalOperator):
    """Asks a person to approve or reject a run that the gate holds, and writes the answer down; passes where it holds nothing.

    While it waits it takes no worker, only one of the DAG's active runs. A rejected run fails here, and so does one that nobody
    answered in time: nothing is published. There is no second try by itself, since it would ask again.
    """

    HOURS: ClassVar[int] = 20
    """How long it waits for an answer; a run of the DAG may take a day."""

    def __init__(self, *, institution: str, released_by: str, **kwargs: Any) -> None:
        reasons = f"ti.xcom_pull('{released_by}')['review']"
        super().__init__(
            task_id="review",
            subject=f"{institution}: publish this run?",
            body="{% for held in " + reasons + " %}- {{ held['reason'] }}\n{% endfor %}",
            fail_on_reject=True,
            response_timeout=datetime.timedelta(hours=self.HOURS),
            execution_timeout=None,
            retries=0,
            **kwargs,
        )
        self.institution, self.released_by = institution, released_by

    def execute(self, context: Context) -> Any:
        """Ask, where the gate has given reasons to."""
        if not self._released(context)["review"]:
            self.log.info("Nothing to review")
            return None
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Write down who decided what, and when; then let the run go on, or fail it."""
        if "error" not in event:
            is_approved = event["chosen_options"] == [self.APPROVE]
            user = event.get("responded_by_user") or {}
            with engine(self.institution) as (runs, *who):
                runs.record_review(
                    *who,
                    context["run_id"],
                    self._released(context),
                    "approved" if is_approved else "rejected",
                    user.get("name") or user.get("id") or "unknown",
                    event["responded_at"],
                )
        return super().execute_complete(context, event)

    def _released(self, context: Context) -> dict[str, Any]:
        return context["ti"].xcom_pull(task_ids=self.released_by)
