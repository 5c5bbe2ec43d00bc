"""What every DAG of the platform has in common: id, owner, tags, start, retries, timeouts, pools and its page."""

import datetime
import math
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryRule
from airflow.sdk.exceptions import AirflowNotFoundException

from deid_tasks.core.errors import ApprovalError, GateError, InputError, LexiconError, ModelError, SettingsError
from deid_tasks.settings import InstitutionSettings
from wiring.alarms import deadline_alerts, failure_notifiers
from wiring.documents import dag_document
from wiring.placement import evidence_task


class Kind(StrEnum):
    """The kinds of DAG. An id is ``<kind>__<institution>`` and never changes, because a new id loses the history."""

    LAND = "land"
    DICTIONARIES = "dictionaries"
    HARVEST = "harvest"
    SAMPLE = "sample"
    GOLD = "gold"
    TRAIN = "train"
    NOTES = "notes"
    CHANGES = "changes"
    RESTATE = "restate"
    LEDGER = "ledger"
    MAINTAIN = "maintain"
    EVALUATE = "evaluate"


_EVIDENCE = frozenset({Kind.HARVEST, Kind.SAMPLE, Kind.GOLD, Kind.TRAIN, Kind.EVALUATE})
"""Kinds whose tasks are placed together: they read gold notes, and one of them signs."""
_WORK_HOURS = 24
"""Hours after which a run is ended that waits for nothing."""

REVIEW_HOURS = {Kind.NOTES: 20, Kind.CHANGES: 1, Kind.RESTATE: 1}
"""Hours that a run waits for a person. Runs of changes wait for one another, and the next one may hold notes that must
leave the table: it asks again."""

PIN_HOURS = {Kind.NOTES: 12, Kind.CHANGES: 1, Kind.RESTATE: 1}
"""Hours that a run waits for dictionaries that are young enough."""

PRIORITY = {
    # The nightly notes wait for the dictionaries and for the evaluation that promotes them, and these for the extracts.
    Kind.LAND: 70,
    Kind.DICTIONARIES: 70,
    Kind.EVALUATE: 70,
    Kind.CHANGES: 60,
    Kind.NOTES: 50,
    Kind.LEDGER: 40,
    Kind.SAMPLE: 30,
    Kind.GOLD: 30,
    Kind.HARVEST: 30,
    Kind.RESTATE: 20,
    Kind.MAINTAIN: 20,
    Kind.TRAIN: 10,
}
"""Where workers are short, the tasks of higher priority start first. The institution's own is added."""

_WEIGHT_RULE = "palimpsest_priority.BackfillsLast"
"""A class of the plugin, by its name: Airflow 3.3 cannot read an instance back from a mapped task."""

COMPARISON_PRIORITY = 1
"""Of tasks that compare the engine with other systems: everything else is more urgent."""

PLATFORM_TAG = "palimpsest"

_FAIL_AT_ONCE = ExceptionRetryPolicy(
    rules=[
        RetryRule(
            exception=[
                GateError,
                ApprovalError,
                SettingsError,
                LexiconError,
                ModelError,
                InputError,
                AirflowNotFoundException,
            ],
            action=RetryAction.FAIL,
            reason="a retry would fail in the same way until a person changes a setting, a secret or the data",
        )
    ]
)
"""Fails without a retry on what only a person can change; lost connections and other errors are retried."""


def dag_id(kind: Kind, institution: str) -> str:
    """Return the id of an institution's DAG, for example ``notes__riverside``."""
    return f"{kind}__{institution}"


def end_of_notes(settings: InstitutionSettings) -> datetime.datetime | None:
    """Return the last moment at which a day of notes may begin; ``None`` for an institution whose notes have no end."""
    last = settings.notes.end_date
    if last is None:
        return None
    return datetime.datetime.combine(last, datetime.time.max, ZoneInfo(settings.notes.timezone))


def dag_arguments(kind: Kind, settings: InstitutionSettings, **document_values: Any) -> dict[str, Any]:
    """Return the arguments of ``DAG`` that follow from its kind and institution.

    Args:
        kind: What the DAG does.
        settings: The institution.
        **document_values: Values that the DAG's Markdown template names, beside those that every template may name.
    """
    return {
        "dag_id": dag_id(kind, settings.institution),
        "dag_display_name": f"{kind} · {settings.title}",
        "tags": {PLATFORM_TAG, kind.value, settings.institution},
        "start_date": datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC),
        "catchup": False,
        "dagrun_timeout": datetime.timedelta(hours=_WORK_HOURS + _waiting_hours(kind, settings)),
        "doc_md": dag_document(kind, settings, **document_values),
        "deadline": deadline_alerts(settings, kind.value) or None,
        "default_args": {
            "owner": settings.owner,
            "pool": settings.pool,
            "priority_weight": PRIORITY[kind] + settings.priority,
            "weight_rule": _WEIGHT_RULE,
            "retries": 2,
            "retry_delay": datetime.timedelta(seconds=30),
            "retry_exponential_backoff": 2.0,
            "max_retry_delay": datetime.timedelta(minutes=30),
            "retry_policy": _FAIL_AT_ONCE,
            "on_failure_callback": failure_notifiers(settings, kind.value),
            "execution_timeout": datetime.timedelta(hours=2),
            **(evidence_task(settings) if kind in _EVIDENCE else {}),
        },
    }


def _waiting_hours(kind: Kind, settings: InstitutionSettings) -> int:
    """Return the hours that a run may wait: for late notes, for dictionaries and for a person."""
    late = math.ceil(settings.notes.lag_hours) + 1 if kind == Kind.NOTES else 0
    return late + PIN_HOURS.get(kind, 0) + REVIEW_HOURS.get(kind, 0)
