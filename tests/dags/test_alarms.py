"""Alarms reach a real mail server and a real webhook, name what failed, and never quote an error."""

import asyncio
import email
import json
import threading
import types
from email import policy
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message

from deid_tasks.demo.processes import free_port

LOG = "https://airflow.example/dags/notes__riverside/runs/r1/tasks/publish"
MAIL = {"email": {"to": ["officer@example.org"], "sender": "deid@example.org"}}
HOOK = {"webhook": {"connection": "hook", "endpoint": "alarms"}}


class _Mailbox(Message):
    def __init__(self):
        super().__init__()
        self.messages = []

    def handle_message(self, message):
        self.messages.append(email.message_from_bytes(bytes(message), policy=policy.default))


@pytest.fixture
def mailbox(monkeypatch):
    """The messages that a local mail server has received."""
    box = _Mailbox()
    host, port = "127.0.0.1", free_port()
    server = Controller(box, hostname=host, port=port)
    server.start()
    extra = {"disable_ssl": True, "disable_tls": True, "retry_limit": 1}
    connection = {"conn_type": "smtp", "host": host, "port": port, "extra": extra}
    monkeypatch.setenv("AIRFLOW_CONN_SMTP_DEFAULT", json.dumps(connection))
    yield box.messages
    server.stop()


@pytest.fixture
def posted(monkeypatch):
    """The requests that a local webhook has received: path and body."""
    requests = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            requests.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("AIRFLOW_CONN_HOOK", f"http://127.0.0.1:{server.server_port}")
    yield requests
    server.shutdown()
    thread.join()
    server.server_close()


def settings_with(*routes, **alarms):
    from deid_tasks.settings import AlarmSettings
    from wiring.institutions import settings_of

    section = AlarmSettings.model_validate({"routes": routes, **alarms})
    return settings_of("riverside").model_copy(update={"alarms": section})


def context():
    instance = types.SimpleNamespace(task_id="publish", log_url=LOG)
    return {"ti": instance, "exception": ValueError("seen: Marigold Stillwater")}


def test_a_failed_task_is_told_by_mail_and_webhook(mailbox, posted):
    from wiring.alarms import failure_notifiers

    for notifier in failure_notifiers(settings_with(MAIL, HOOK), "notes"):
        notifier(context())
    (mail,) = mailbox
    assert (mail["From"], mail["To"]) == ("deid@example.org", "officer@example.org")
    assert mail["Subject"] == "riverside: publish of notes__riverside failed"
    (content,) = mail.iter_parts()
    assert f"<p>Log: {LOG}</p>" in content.get_content()
    ((path, body),) = posted
    assert path == "/alarms"
    assert (body["event"], body["institution"], body["dag"]) == ("failed", "riverside", "notes__riverside")
    assert body["subject"] == "riverside: publish of notes__riverside failed"
    assert body["text"].endswith(f"Log: {LOG}")
    assert "Stillwater" not in content.get_content() + json.dumps(body)


def test_slack_reads_its_own_body(posted):
    from wiring.alarms import failure_notifiers

    route = {"webhook": {"connection": "hook", "body": "slack"}}
    for notifier in failure_notifiers(settings_with(route), "evaluate"):
        notifier(context())
    ((path, body),) = posted
    assert path == "/"
    assert body.keys() == {"text"}
    assert body["text"].startswith("*riverside: publish of evaluate__riverside failed*\nNo engine was promoted")


def test_a_failed_comparison_does_not_say_that_no_engine_was_promoted(posted):
    from evaluate_dag import build

    settings = settings_with({"webhook": {"connection": "hook", "body": "slack"}})
    compare = settings.compare.model_copy(update={"systems": ("presidio",)})
    task = build(settings.model_copy(update={"compare": compare})).get_task("compare_systems")
    for notifier in task.on_failure_callback:
        notifier(context())
    ((_, body),) = posted
    assert "The engine is evaluated and has its certificate" in body["text"]
    assert "No engine was promoted" not in body["text"]


def test_a_route_takes_the_events_and_dags_that_it_names():
    from wiring.alarms import deadline_alerts, failure_notifiers, review_notifiers

    settings = settings_with(HOOK | {"events": ["held"], "dags": ["notes"]})
    assert failure_notifiers(settings, "notes") == []
    assert deadline_alerts(settings, "notes") == []
    assert review_notifiers(settings, "harvest") == []
    assert len(review_notifiers(settings, "notes")) == 1


def test_a_route_takes_the_tasks_that_it_names(posted):
    from wiring.alarms import deadline_alerts, failure_notifiers, review_notifiers

    settings = settings_with(HOOK | {"tasks": ["publish"]}, late_hours={"notes": 1})
    assert deadline_alerts(settings, "notes") == []
    other = {"ti": types.SimpleNamespace(task_id="detect", log_url=LOG)}
    for notifier in (*failure_notifiers(settings, "notes"), *review_notifiers(settings, "notes")):
        notifier(other)
        assert len(posted) == 0
    for notifier in failure_notifiers(settings, "notes"):
        notifier(context())
    assert [body["subject"] for _, body in posted] == ["riverside: publish of notes__riverside failed"]


def test_each_check_of_the_night_says_what_follows(posted):
    from ledger_dag import build

    dag = build(settings_with(HOOK))
    for task in dag.tasks:
        for notifier in task.on_failure_callback:
            notifier({"ti": types.SimpleNamespace(task_id=task.task_id, log_url=LOG)})
    told = {body["subject"].split()[1]: body["text"].splitlines()[0] for _, body in posted}
    assert told.keys() == {
        "reconcile_ledger", "check_stale_notes", "check_certificate", "check_audit_log", "check_roles",
    }  # fmt: skip
    assert len(set(told.values())) == len(told)
    assert "certificate ends soon" in told["check_certificate"]


def test_a_request_that_waits_is_told_by_the_task_that_found_it(posted):
    from changes_dag import build

    task = build(settings_with(HOOK | {"events": ["held"], "dags": ["changes"]})).get_task("announce_requests")
    for notifier in task.on_success_callback:
        notifier({"ti": types.SimpleNamespace(task_id=task.task_id, log_url=LOG)})
    ((_, body),) = posted
    assert (body["event"], body["subject"]) == ("held", "riverside: a request waits for another person")
    assert "deid audit requests --institution riverside" in body["text"]
    assert not task.on_failure_callback


def test_a_held_run_is_told_and_a_webhook_that_fails_does_not_fail_the_review(posted, monkeypatch, capsys):
    from wiring.alarms import review_notifiers

    settings = settings_with(HOOK)
    for notifier in review_notifiers(settings, "notes"):
        notifier(context())
    assert posted[0][1]["subject"] == "riverside: notes__riverside waits for a person"
    monkeypatch.setenv("AIRFLOW_CONN_HOOK", "http://127.0.0.1:9")
    for notifier in review_notifiers(settings, "notes"):
        notifier(context())
    assert len(posted) == 1
    assert "nobody was told of the review: ConnectionError" in capsys.readouterr().out


@pytest.mark.parametrize("route", [MAIL, HOOK])
def test_the_triggerer_tells_of_a_late_run(mailbox, posted, route):
    from airflow.triggers.callback import CallbackTrigger

    from wiring.alarms import deadline_alerts

    (alert,) = deadline_alerts(settings_with(route, late_hours={"notes": 1.5}), "notes")
    assert alert.interval.total_seconds() == 5_400

    async def send():
        trigger = CallbackTrigger(alert.callback.path, dict(alert.callback.kwargs))
        return [event.payload["state"] async for event in trigger.run()]

    assert asyncio.run(send())[-1] == "success"
    subjects = [mail["Subject"] for mail in mailbox] + [body["subject"] for _, body in posted]
    assert subjects == ["riverside: notes__riverside is late"]


def test_the_dags_have_the_notifiers_of_their_institution(monkeypatch):
    from wiring.policy import Kind, dag_arguments

    arguments = dag_arguments(Kind.NOTES, settings_with(MAIL, HOOK), hours=20, **settings_with().publish.model_dump())
    assert len(arguments["default_args"]["on_failure_callback"]) == 2
    assert len(arguments["deadline"]) == 2


def test_nobody_is_told_where_nobody_is_named(dagbag):
    dag = dagbag.dags["notes__riverside"]
    assert not dag.deadline
    assert not any(task.on_failure_callback for task in dag.tasks)


@pytest.mark.parametrize("route", [{}, MAIL | HOOK, {"email": {"to": []}}, {"email": {"to": ["no address"]}}])
def test_a_route_has_one_address(route):
    from pydantic import ValidationError

    with pytest.raises(ValidationError):
        settings_with(route)
