"""Candidates that a person must look through before the engine may use them."""

import datetime
from typing import Any, ClassVar

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Context
from airflow.sdk.exceptions import AirflowSkipException


class Verification(ApprovalOperator):
    """Asks a person to approve the tables of a harvest as they are in its folder; what follows is skipped where the run was told not to ask.

    The person changes decisions in the tables first, and answers then. A rejected harvest fails here, and so does one that nobody answered in time:
    the version in use stays.
    """

    HOURS: ClassVar[int] = 20
    """How long it waits for an answer; a run of the DAG may take a day."""

    def __init__(self, *, institution: str, harvested_by: str, **kwargs: Any) -> None:
        told = f"ti.xcom_pull('{harvested_by}')"
        super().__init__(
            task_id="review",
            subject=f"{institution}: use these sentences and templates?",
            body="Look through both tables in {{ "
            + told
            + "['folder'] }}, change decisions where they are wrong, and answer then.\n\n"
            "- {{ "
            + told
            + "['sentences_proposed'] }} of {{ "
            + told
            + "['sentence_candidates'] }} sentences start as included\n"
            "- {{ "
            + told
            + "['templates_proposed'] }} of {{ "
            + told
            + "['template_candidates'] }} templates start as included\n",
            fail_on_reject=True,
            response_timeout=datetime.timedelta(hours=self.HOURS),
            execution_timeout=None,
            retries=0,
            **kwargs,
        )

    def execute(self, context: Context) -> Any:
        """Ask, unless the run is only to write the tables."""
        if not context["params"]["ask"]:
            raise AirflowSkipException("the tables wait for `deid harvest approve`")
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Pass on who answered, and when."""
        super().execute_complete(context, event)
        user = event.get("responded_by_user") or {}
        return {
            "approved_by": user.get("name") or user.get("id") or "unknown",
            "approved_at": event["responded_at"].isoformat(),
        }
