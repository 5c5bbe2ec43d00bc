"""The facts at a glance: when each is in order, to be looked at, or wrong."""

import datetime

import pytest

from benchmarks.support.page_site import page_settings

NOW = datetime.datetime(2024, 6, 12, 6, 0, tzinfo=datetime.UTC)
HOUR = datetime.timedelta(hours=1)
IN_ORDER = {
    "published": [{"last_day": datetime.date(2024, 6, 10)}],
    "engine": [{"fingerprint": "e1", "compiled_at": NOW - 9 * HOUR}],
    "certificate_in_use": [{"verdict": "passed", "issued_at": NOW - 24 * HOUR, "signature": "valid"}],
    "newest_certificate": [{"verdict": "passed"}],
    "last_run": [{"notes_read": 1_000, "quarantined": 20}],
    "stale": [{"notes": 1_000, "stale": 200, "counted_at": NOW}],
    "ledger": [{"differing": 0, "overdue": 0, "pending": 0, "in_table": 5, "counted_at": NOW}],
}
HELD = {"held_for": ["drift"], "is_rejected": False}


@pytest.fixture(scope="module")
def glance():
    """The module, which imports Airflow: not while tests are collected."""
    from palimpsest_page import glance

    return glance


@pytest.fixture(scope="module")
def found(glance):
    """Returns the facts, by label, of an institution that is in order but for these tables."""
    from palimpsest_page.checks import AuditCheck
    from palimpsest_page.figures import Figures

    def facts(problem="", tasks=(), checked=(True, NOW - HOUR), **tables):
        figures = Figures(page_settings("riverside"), {**IN_ORDER, **tables}, problem)
        check = AuditCheck(*checked) if checked else None
        return {fact.label: fact for fact in glance.facts(figures, tasks, check, NOW)}

    return facts


def test_all_may_be_in_order(glance, found):
    assert {fact.state for fact in found().values()} == {"good"}
    assert glance.worst(found().values()) == "good"


@pytest.mark.parametrize(
    ("tables", "label", "state", "said"),
    [
        ({"published": [{"last_day": datetime.date(2024, 6, 8)}]}, "Published to", "wrong", "2 days late: 2024-06-10"),
        ({"published": [{"last_day": None}]}, "Published to", "look", "nothing yet"),
        ({"held": [HELD]}, "Held", "look", "1 run waits drift"),
        ({"held": [HELD, HELD]}, "Held", "look", "2 runs wait"),
        ({"held": [{**HELD, "is_rejected": True}]}, "Held", "look", "1 rejected run"),
        ({"tasks": ["a task that Airflow knows alone"]}, "Held", "look", "1 run waits"),
        ({"problem": "its signature is not valid"}, "Certificate", "wrong", "its signature is not valid"),
        ({"certificate_in_use": []}, "Certificate", "wrong", "nothing can be published"),
        ({"certificate_in_use": [], "newest_certificate": [{"verdict": "failed"}]}, "Certificate", "wrong", "the evaluation failed"),
        ({"newest_certificate": [{"verdict": "failed"}]}, "Certificate", "look", "the newest evaluation failed"),
        ({"certificate_in_use": [{"signature": "no key"}]}, "Certificate", "look", "not verified"),
        ({"certificate_in_use": [{"signature": "valid", "issued_at": NOW - 50 * 24 * HOUR}]}, "Certificate", "look", "10 days left"),
        ({"engine": [{"fingerprint": "e1", "compiled_at": NOW - 31 * HOUR}]}, "Dictionaries", "look", "31 hours ago"),
        ({"engine": []}, "Dictionaries", "unknown", "no engine promoted"),
        ({"last_run": [{"notes_read": 1_000, "quarantined": 21}]}, "Quarantine", "wrong", "2.10%"),
        ({"last_run": []}, "Quarantine", "unknown", "no run yet"),
        ({"stale": [{"notes": 1_000, "stale": 201, "counted_at": NOW}]}, "Of another engine", "look", "201 of 1,000"),
        ({"stale": [{"notes": 0}]}, "Of another engine", "unknown", "not counted"),
        ({"ledger": [{**IN_ORDER["ledger"][0], "differing": 1}]}, "Ledger", "wrong", "1 row differs"),
        ({"ledger": [{**IN_ORDER["ledger"][0], "overdue": 3}]}, "Ledger", "wrong", "3 changes overdue"),
        ({"ledger": [{"counted_at": None}]}, "Ledger", "unknown", "not reconciled"),
        ({"ledger": [{**IN_ORDER["ledger"][0], "counted_at": NOW - 72 * HOUR}]}, "Ledger", "look", "not compared since on 2024-06-09"),
        ({"checked": None}, "Audit log", "unknown", "ledger__riverside verifies nightly"),
        ({"checked": (False, NOW - HOUR)}, "Audit log", "wrong", "check_audit_log failed on 2024-06-12"),
        ({"checked": (True, NOW - 72 * HOUR)}, "Audit log", "look", "not verified since on 2024-06-09"),
        ({"requests": [{"act": "reidentification", "waiting": 2, "expires_at": NOW + 5 * HOUR}]}, "Requests", "look", "2 waiting"),
    ],
)  # fmt: skip
def test_each_fact_says_what_is_not_in_order(found, tables, label, state, said):
    facts_now = found(**tables)
    fact = facts_now[label]
    assert fact.state == state
    assert said in f"{fact.value} {fact.note}"
    assert {other.state for name, other in facts_now.items() if name != label} == {"good"}


def test_the_worst_state_is_the_cards(glance, found):
    facts_now = found(held=[HELD], last_run=[{"notes_read": 10, "quarantined": 9}])
    assert glance.worst(facts_now.values()) == "wrong"


def test_no_band_of_a_share_ends_above_one():
    from palimpsest_page.figures import Figures
    from palimpsest_page.views import drift

    row = {
        "note_type": "consult", "bucket": NOW, "value": 0.9, "last_value": 0.9, "baseline": 0.8, "lowest": 0.5,
        "highest": 1.4, "judged": 1, "outside": 0, "last_judgement": "within",
    }  # fmt: skip
    measures = ("agreement", "entities_per_1000_words")
    figures = Figures(page_settings("riverside"), {"drift": [{**row, "measure": one} for one in measures]}, "")
    assert {one.decimals: one.newest["highest"] for one in drift(figures)} == {3: 1.0, 1: 1.4}


@pytest.mark.parametrize(
    ("notes", "now", "day"),
    [
        ({}, "2024-06-12T06:00+00:00", "2024-06-10"),
        ({}, "2024-06-12T12:00+00:00", "2024-06-11"),
        ({"lag_hours": 24}, "2024-06-12T12:00+00:00", "2024-06-10"),
        ({"timezone": "America/Chicago"}, "2024-06-12T12:00+00:00", "2024-06-10"),
        ({"timezone": "America/Chicago"}, "2024-06-12T17:00+00:00", "2024-06-11"),
        ({"schedule": "0 0 * * 1"}, "2024-06-12T12:00+00:00", "2024-06-09"),
        ({"end_date": "2024-05-01"}, "2024-06-12T12:00+00:00", "2024-05-01"),
        ({"start_date": "2024-06-12"}, "2024-06-12T12:00+00:00", None),
    ],
)
def test_the_day_that_should_be_published_follows_the_schedule(glance, notes, now, day):
    settings = page_settings("riverside", notes={"start_date": "2023-01-01", **notes})
    expected = glance.expected_day(settings, datetime.datetime.fromisoformat(now))
    assert (expected and str(expected)) == day
