"""The task in which a person approves harvested candidates before the engine may use them."""

import datetime
from typing import Any, ClassVar

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Context
from airflow.sdk.exceptions import AirflowSkipException

from wiring.people import answered_by
from wiring.steps import run_step

_QUESTION = """\
Look through both tables in {{{{ {report}['folder'] }}}}, change decisions where they are wrong, and answer then.

- {{{{ {report}['sentences_proposed'] }}}} of {{{{ {report}['sentence_candidates'] }}}} sentences start as included
- {{{{ {report}['templates_proposed'] }}}} of {{{{ {report}['template_candidates'] }}}} templates start as included
"""


class HarvestReview(ApprovalOperator):
    """Asks a person to approve the tables of a harvest; the tasks after it are skipped where the form says not to ask.

    The person changes decisions in the tables first, and answers then. A rejected harvest fails here, and so does a
    harvest that nobody answered in time: the engine keeps the version that it uses.
    """

    HOURS: ClassVar[int] = 20
    """How long it waits for an answer; it is shorter than a run may take."""

    def __init__(self, *, institution: str, harvest_task: str, **kwargs: Any) -> None:
        super().__init__(
            task_id="review",
            subject=f"{institution}: use these sentences and templates?",
            body=_QUESTION.format(report=f"ti.xcom_pull('{harvest_task}')"),
            fail_on_reject=True,
            response_timeout=datetime.timedelta(hours=self.HOURS),
            execution_timeout=None,
            retries=0,
            **kwargs,
        )
        self.institution, self.harvest_task = institution, harvest_task

    def execute(self, context: Context) -> Any:
        """Ask, unless the run shall only write the tables."""
        if not context["params"]["ask"]:
            raise AirflowSkipException("the tables wait for `deid harvest approve`")
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Return who approved, and when; record who rejected.

        Raises:
            ApprovalError: Airflow does not know who answered.
        """
        if "error" not in event and event["chosen_options"] != [self.APPROVE]:
            from deid_tasks.platform import runs

            harvested = context["ti"].xcom_pull(task_ids=self.harvest_task)
            run_step(runs.reject_harvest, self.institution, answered_by(event), harvested["harvest"])
        super().execute_complete(context, event)
        person = answered_by(event)
        return {
            "approved_by": person.name,
            "approved_from": person.origin,
            "approved_at": event["responded_at"].isoformat(),
        }
