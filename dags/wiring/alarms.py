"""Who hears of failed, held and late runs: Airflow's own notifiers, as an institution's settings ask for them.

A message names the institution, the DAG, the task and what follows from the failure. It never quotes the error, which
stands in the task's log.
"""

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from airflow.providers.http.notifications import HttpNotifier
from airflow.providers.smtp.notifications.smtp import SmtpNotifier
from airflow.sdk import BaseNotifier, Context
from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference

from deid_tasks.settings import AlarmEvent, AlarmRoute, InstitutionSettings

_LOG = "Log: {{ ti.log_url }}"
_AFTER_FAILURE: Mapping[str, str] = {
    "land": "The delivery was not loaded; dictionaries and notes keep what was landed before.",
    "dictionaries": "The dictionaries were not rebuilt; runs use the promoted engine.",
    "evaluate": "No engine was promoted; runs use the one that was promoted before.",
    "notes": "Unless publish has ended, the run's days are not published; what was published of them before stays.",
    "changes": "Late, amended, deleted and excluded notes wait for the next run.",
    "restate": "Published notes stay as a former engine made them.",
    "maintain": "The table was not compacted, or old files were not deleted.",
}


@dataclass(frozen=True, slots=True)
class _Message:
    """What people are told; subject and text are Jinja templates over the task's context."""

    event: AlarmEvent
    institution: str
    dag: str
    subject: str
    text: str


class ReviewNotifier(BaseNotifier):
    """Sends a message; a mail server or a webhook that fails does not fail the review that sends it."""

    def __init__(self, notifier: BaseNotifier) -> None:
        super().__init__()
        self._notifier = notifier

    def notify(self, context: Context) -> None:
        """Send the message, or log why it was not sent."""
        try:
            self._notifier(context)
        except Exception as error:  # What a mail server or a webhook may raise has no class in common.
            self.log.error("nobody was told of the review: %s", type(error).__name__)


class TaskNotifier(BaseNotifier):
    """Sends a message about some tasks of a DAG, and none about its others."""

    def __init__(self, notifier: BaseNotifier, tasks: tuple[str, ...]) -> None:
        super().__init__()
        self._notifier, self._tasks = notifier, tasks

    def notify(self, context: Context) -> None:
        """Send the message if it is about one of the tasks."""
        if context["ti"].task_id in self._tasks:
            self._notifier(context)


def failure_notifiers(settings: InstitutionSettings, kind: str, consequence: str = "") -> list[BaseNotifier]:
    """Return what tells people that a task of this kind of DAG has failed and is not tried again.

    Args:
        settings: The institution.
        kind: The kind of DAG.
        consequence: What follows from the failure, where it is not what follows for the DAG's other tasks.
    """
    name = settings.institution
    dag = f"{kind}__{name}"
    lines = (consequence or _AFTER_FAILURE.get(kind), "What to do: docs/reference/alarms.md", _LOG)
    subject = f"{name}: {{{{ ti.task_id }}}} of {dag} failed"
    message = _Message("failed", name, dag, subject, "\n".join(filter(None, lines)))
    return [_of_tasks(route, notifier(**arguments)) for route, notifier, arguments in _calls(settings, kind, message)]


def review_notifiers(settings: InstitutionSettings, kind: str, consequence: str = "") -> list[ReviewNotifier]:
    """Return what tells people that a run of this kind of DAG waits for one of them.

    Args:
        settings: The institution.
        kind: The kind of DAG.
        consequence: What follows from the waiting, where it is not that nothing is published.
    """
    name = settings.institution
    dag = f"{kind}__{name}"
    waiting = consequence or "Nothing is published until a person answers, and nothing if nobody does."
    text = f"{waiting}\n{_LOG}"
    message = _Message("held", name, dag, f"{name}: {dag} waits for a person", text)
    return _held(settings, kind, message)


def request_notifiers(settings: InstitutionSettings, kind: str) -> list[ReviewNotifier]:
    """Return what tells people that a request of somebody waits for another person's approval."""
    name = settings.institution
    text = (
        "Somebody asks to retract or readmit notes, or to re-identify some: nothing is done until another person"
        f" approves.\nWhat waits: deid audit requests --institution {name}\n{_LOG}"
    )
    message = _Message("held", name, f"{kind}__{name}", f"{name}: a request waits for another person", text)
    return _held(settings, kind, message)


def _held(settings: InstitutionSettings, kind: str, message: _Message) -> list[ReviewNotifier]:
    return [
        ReviewNotifier(_of_tasks(route, notifier(**arguments)))
        for route, notifier, arguments in _calls(settings, kind, message)
    ]


def deadline_alerts(settings: InstitutionSettings, kind: str) -> list[DeadlineAlert]:
    """Return the alerts of a run of this kind of DAG that has not ended in time. The triggerer sends them."""
    hours = next((hours for late, hours in settings.alarms.late_hours.items() if late == kind), None)
    if hours is None:
        return []
    name = settings.institution
    dag = f"{kind}__{name}"
    text = f"A run has not ended {hours:g} hours after it was queued: it waits for something, or it is slow."
    message = _Message("late", name, dag, f"{name}: {dag} is late", text)
    return [
        DeadlineAlert(
            reference=DeadlineReference.DAGRUN_QUEUED_AT,
            interval=datetime.timedelta(hours=hours),
            callback=AsyncCallback(notifier, arguments),
        )
        for route, notifier, arguments in _calls(settings, kind, message)
        if not route.tasks
    ]


def _of_tasks(route: AlarmRoute, notifier: BaseNotifier) -> BaseNotifier:
    """Return a notifier that sends only what the route takes."""
    return TaskNotifier(notifier, route.tasks) if route.tasks else notifier


def _calls(
    settings: InstitutionSettings, kind: str, message: _Message
) -> Iterator[tuple[AlarmRoute, type[BaseNotifier], dict[str, Any]]]:
    """Yield each route that takes the message from some task, with a notifier and its arguments."""
    for route in settings.alarms.routes:
        if message.event in route.events and (not route.dags or kind in route.dags):
            if route.email:
                yield route, SmtpNotifier, _email(route, message)
            else:
                yield route, HttpNotifier, _request(route, message)


def _email(route: AlarmRoute, message: _Message) -> dict[str, Any]:
    assert route.email is not None
    return {
        "smtp_conn_id": route.email.connection,
        "to": list(route.email.to),
        "from_email": route.email.sender,
        "subject": message.subject,
        "html_content": "".join(f"<p>{escape(line, quote=False)}</p>" for line in message.text.splitlines()),
    }


def _request(route: AlarmRoute, message: _Message) -> dict[str, Any]:
    assert route.webhook is not None
    slack = {"text": f"*{message.subject}*\n{message.text}"}
    return {
        "http_conn_id": route.webhook.connection,
        "endpoint": route.webhook.endpoint,
        "json": slack if route.webhook.body == "slack" else asdict(message),
    }
