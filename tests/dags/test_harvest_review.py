"""A person approves a harvest before the engine may use it."""

import datetime

import pytest

from deid_tasks.core.identity import Identity

MOMENT = datetime.datetime(2024, 5, 1, 8, tzinfo=datetime.UTC)


class Instance:
    """The part of a task instance that the operator reads."""

    id = "0190"
    map_index = -1

    def xcom_pull(self, task_ids):
        return {"harvest": {"harvest": "20240501T000000Z"}}[task_ids]


@pytest.fixture
def review(dagbag):
    return dagbag.dags["harvest__riverside"].get_task("review")


def context(review, ask):
    return {"ti": Instance(), "task_instance": Instance(), "run_id": "r1", "task": review, "params": {"ask": ask}}


def answer(chosen):
    user = {"id": "7", "name": "officer"}
    return {"chosen_options": [chosen], "params_input": {}, "responded_at": MOMENT, "responded_by_user": user}


def test_a_run_that_only_writes_the_tables_asks_nobody(review):
    from airflow.sdk.exceptions import AirflowSkipException

    with pytest.raises(AirflowSkipException):
        review.execute(context(review, ask=False))


def test_it_waits_for_a_person(review, monkeypatch):
    from airflow.providers.standard.operators import hitl
    from airflow.sdk.exceptions import TaskAwaitingInput

    asked = {}
    monkeypatch.setattr(hitl, "upsert_hitl_detail", lambda **detail: asked.update(detail))
    with pytest.raises(TaskAwaitingInput):
        review.execute(context(review, ask=True))
    assert asked["options"] == ["Approve", "Reject"]


def test_who_approved_and_when_is_passed_on(review):
    answered = review.execute_complete(context(review, ask=True), answer("Approve"))
    assert answered == {
        "approved_by": "officer",
        "approved_from": "user id 7",
        "approved_at": MOMENT.isoformat(),
    }


def test_a_rejected_harvest_is_recorded_and_goes_no_further(review, monkeypatch):
    from airflow.providers.standard.exceptions import HITLRejectException

    from deid_tasks.platform import runs

    calls = []
    monkeypatch.setattr(runs, "reject_harvest", lambda _settings, _secrets, *rest: calls.append(rest))
    with pytest.raises(HITLRejectException):
        review.execute_complete(context(review, ask=True), answer("Reject"))
    assert calls == [(Identity("officer", "airflow", "user id 7"), "20240501T000000Z")]


def test_an_answer_in_time_that_nobody_gave_is_no_decision(review, monkeypatch):
    from airflow.providers.standard.exceptions import HITLTimeoutError

    from deid_tasks.platform import runs

    monkeypatch.setattr(runs, "reject_harvest", lambda *_: pytest.fail("nobody rejected it"))
    with pytest.raises(HITLTimeoutError):
        review.execute_complete(context(review, ask=True), {"error": "late", "error_type": "timeout"})


def test_the_answer_freezes_the_tables_that_were_looked_at(dagbag, monkeypatch):
    from deid_tasks.platform import runs

    calls = []
    monkeypatch.setattr(runs, "approve_harvest", lambda _settings, _secrets, *rest: calls.append(rest) or {})
    approve = dagbag.dags["harvest__riverside"].get_task("approve")
    answered = {
        "approved_by": "officer",
        "approved_from": "user id 7",
        "approved_at": MOMENT.isoformat(),
    }
    approve.python_callable("riverside", {"harvest": "20240501T000000Z"}, answered)
    assert calls == [(Identity("officer", "airflow", "user id 7"), MOMENT, "20240501T000000Z")]
