"""A person sees why the gate holds a run; the answer is recorded before the run continues or fails."""

import datetime
import types

import pytest

from deid_tasks.core.errors import ApprovalError
from deid_tasks.core.identity import Identity

MOMENT = datetime.datetime(2024, 5, 1, 8, tzinfo=datetime.UTC)
HELD = [{"kind": "drift", "reason": "note type nursing: entities per 1,000 words 12.3, baseline 40.1"}]


class Instance:
    """The part of a task instance that the operator reads."""

    id = "0190"
    map_index = -1

    def __init__(self, review):
        self._released = {"review": review, "fingerprint": "f", "certificate": "c"}

    def xcom_pull(self, task_ids, key):
        assert (task_ids, key) in {("reconcile_and_gate", "return_value"), ("plan_changes", "held")}
        return self._released


@pytest.fixture
def review(dagbag):
    return dagbag.dags["notes__riverside"].get_task("review")


@pytest.fixture
def recorded(monkeypatch):
    from deid_tasks.platform import runs

    calls = []
    monkeypatch.setattr(runs, "record_review", lambda _settings, _secrets, *rest: calls.append(rest))
    return calls


def context(review, held, triggered_by=None):
    instance = Instance(held)
    run = types.SimpleNamespace(triggering_user_name=triggered_by)
    return {"ti": instance, "task_instance": instance, "run_id": "r1", "task": review, "dag_run": run}


def answer(chosen, user):
    return {"chosen_options": [chosen], "params_input": {}, "responded_at": MOMENT, "responded_by_user": user}


def test_notes_that_the_warehouse_lacks_wait_for_a_person(dagbag, recorded, monkeypatch):
    from airflow.providers.standard.operators import hitl
    from airflow.sdk.exceptions import TaskAwaitingInput

    asked = {}
    monkeypatch.setattr(hitl, "upsert_hitl_detail", lambda **detail: asked.update(detail))
    review = dagbag.dags["changes__riverside"].get_task("review_removals")
    plan = context(review, [])
    plan["ti"]._released = None
    assert review.execute(plan) is None
    held = [{"kind": "removal", "reason": "the warehouse does not hold 50 of 50 published notes", "notes": 50}]
    with pytest.raises(TaskAwaitingInput):
        review.execute(context(review, held))
    assert asked["subject"] == "riverside: remove the notes that the warehouse lacks?"
    assert "Approve only where these notes were deleted on purpose" in review.body
    review.execute_complete(context(review, held), answer("Approve", {"id": "7", "name": "mkuhn"}))
    [(run_id, released, decision, *_)] = recorded
    assert (run_id, released["review"], decision) == ("changes/r1", held, "approved")


@pytest.mark.parametrize("task", ["review_removals", "review_readmissions"])
def test_a_plan_that_says_nothing_of_what_is_missing_asks_nothing(dagbag, task):
    """Airflow writes the question before the task decides whether to ask it."""
    import jinja2

    review = dagbag.dags["changes__riverside"].get_task(task)
    shown = jinja2.Template(review.body).render(ti=types.SimpleNamespace(xcom_pull=lambda _task, key: None))
    assert shown.strip().startswith("Approve only")


def test_removals_and_readmissions_are_two_questions(dagbag, recorded, monkeypatch):
    import jinja2
    from airflow.providers.standard.operators import hitl
    from airflow.sdk.exceptions import TaskAwaitingInput

    monkeypatch.setattr(hitl, "upsert_hitl_detail", lambda **_detail: None)
    removals, readmissions = (
        dagbag.dags["changes__riverside"].get_task(f"review_{kind}") for kind in ("removals", "readmissions")
    )
    removal = {"kind": "removal", "reason": "the warehouse does not hold 50 of 50 published notes", "notes": 50}
    readmission = {"kind": "readmission", "reason": "the warehouse lacks 7 exclusions", "notes": 90}
    for asked, other, own in ((removals, readmissions, removal), (readmissions, removals, readmission)):
        with pytest.raises(TaskAwaitingInput):
            asked.execute(context(asked, [removal, readmission]))
        assert other.execute(context(other, [own])) is None
        asked.execute_complete(context(asked, [removal, readmission]), answer("Approve", {"id": "7", "name": "mkuhn"}))
        assert recorded[-1][1]["review"] == [own]
        shown = jinja2.Template(asked.body).render(
            ti=types.SimpleNamespace(xcom_pull=lambda _task, key: {"review": [removal, readmission]})
        )
        assert [one["reason"] in shown for one in (own, removal, readmission)].count(True) == 2


def test_a_run_that_nothing_holds_continues(review, recorded):
    assert review.execute(context(review, [])) is None
    assert recorded == []


def test_a_held_run_asks_a_person_and_waits_without_a_worker(review, monkeypatch):
    from airflow.providers.standard.operators import hitl
    from airflow.sdk.exceptions import TaskAwaitingInput

    asked = {}
    monkeypatch.setattr(hitl, "upsert_hitl_detail", lambda **detail: asked.update(detail))
    with pytest.raises(TaskAwaitingInput) as waiting:
        review.execute(context(review, HELD))
    assert asked["options"] == ["Approve", "Reject"]
    assert asked["subject"] == "riverside: publish this run?"
    assert waiting.value.timeout == datetime.timedelta(hours=20)


def test_the_question_names_the_reasons(review):
    import jinja2

    shown = jinja2.Template(review.body).render(ti=types.SimpleNamespace(xcom_pull=lambda _task, key: {"review": HELD}))
    assert "nursing: entities per 1,000 words 12.3, baseline 40.1" in shown


@pytest.mark.parametrize(("chosen", "decision"), [("Approve", "approved"), ("Reject", "rejected")])
def test_the_answer_is_recorded(review, recorded, chosen, decision):
    from airflow.providers.standard.exceptions import HITLRejectException

    event = answer(chosen, {"id": "7", "name": "officer"})
    if decision == "approved":
        review.execute_complete(context(review, HELD, "engineer"), event)
    else:
        with pytest.raises(HITLRejectException):
            review.execute_complete(context(review, HELD, "engineer"), event)
    released = {"review": HELD, "fingerprint": "f", "certificate": "c"}
    officer, engineer = Identity("officer", "airflow", "user id 7"), Identity("engineer", "airflow")
    assert recorded == [("r1", released, decision, officer, MOMENT, engineer)]


def test_a_scheduled_run_was_triggered_by_nobody(review, recorded):
    review.execute_complete(context(review, HELD), answer("Approve", {"id": "7", "name": "officer"}))
    assert recorded[0][-1] is None


@pytest.mark.parametrize("user", [None, {"id": "", "name": ""}])
def test_an_answer_of_nobody_approves_nothing(review, recorded, user):
    with pytest.raises(ApprovalError, match="Airflow does not say who answered"):
        review.execute_complete(context(review, HELD), answer("Approve", user))
    assert recorded == []


def test_the_settings_say_who_may_answer(review):
    from deid_tasks.settings import ApprovalsSettings
    from wiring.people import assigned_users

    settings = types.SimpleNamespace(approvals=ApprovalsSettings(assigned_users=("officer", "17")))
    assert assigned_users(settings) == [{"id": "officer", "name": "officer"}, {"id": "17", "name": "17"}]
    assert review.assigned_users is None


def test_no_answer_fails_the_run_and_records_nothing(review, recorded):
    from airflow.providers.standard.exceptions import HITLTimeoutError

    with pytest.raises(HITLTimeoutError):
        review.execute_complete(context(review, HELD), {"error": "too late", "error_type": "timeout"})
    assert recorded == []
