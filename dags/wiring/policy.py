"""What every DAG of the platform has in common: owner, tags, retries, timeouts, pools."""

import datetime
from enum import StrEnum
from typing import Any

from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryRule

from deid_tasks.core.errors import GateError, InputError, LexiconError, ModelError, SettingsError
from deid_tasks.settings import InstitutionSettings


class Kind(StrEnum):
    """The kinds of DAG; an id is ``<kind>__<institution>`` for ever, since renaming loses history."""

    DICTIONARIES = "dictionaries"
    HARVEST = "harvest"
    SAMPLE = "sample"
    GOLD = "gold"
    TRAIN = "train"
    NOTES = "notes"
    EVALUATE = "evaluate"


class Pool(StrEnum):
    """Pools that must exist in Airflow; a task of a missing pool is never scheduled."""

    GPU = "gpu"


PLATFORM_TAG = "palimpsest"

# What a second try cannot mend fails at once: the figure, the settings file or the model stays as it is.
_NO_SECOND_TRY = ExceptionRetryPolicy(
    rules=[
        RetryRule(
            exception=[GateError, SettingsError, LexiconError, ModelError, InputError],
            action=RetryAction.FAIL,
            reason="a second try would meet the same obstacle",
        )
    ]
)


def dag_id(kind: Kind, institution: str) -> str:
    """``notes__riverside``."""
    return f"{kind}__{institution}"


def policy(kind: Kind, settings: InstitutionSettings) -> dict[str, Any]:
    """The arguments of ``DAG`` that follow from what the DAG is and whose it is."""
    return {
        "dag_id": dag_id(kind, settings.institution),
        "dag_display_name": f"{kind} · {settings.title}",
        "tags": {PLATFORM_TAG, kind.value, settings.institution},
        "catchup": False,
        "dagrun_timeout": datetime.timedelta(hours=24),
        "default_args": {
            "owner": settings.owner,
            "retries": 2,
            "retry_delay": datetime.timedelta(seconds=30),
            "retry_exponential_backoff": 2.0,
            "max_retry_delay": datetime.timedelta(minutes=30),
            "retry_policy": _NO_SECOND_TRY,
            "execution_timeout": datetime.timedelta(hours=2),
        },
    }
