"""Settings of alarms: who hears of a failed, a held or a late run, and how."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from deid_tasks.settings.section import Name, Section

AlarmEvent = Literal["failed", "held", "late"]
AlarmDag = Literal[
    "land", "dictionaries", "harvest", "sample", "gold", "train",
    "notes", "changes", "restate", "ledger", "maintain", "evaluate",
]  # fmt: skip


class EmailAlarm(Section):
    """An e-mail a message."""

    connection: Name = Field(default="smtp_default", description="Airflow connection of type smtp.")
    to: tuple[Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$")], ...] = Field(
        min_length=1, description="Addresses that the message goes to."
    )
    sender: str | None = Field(
        default=None, description="Address that it comes from; that of the connection if not given."
    )


class WebhookAlarm(Section):
    """A POST request a message."""

    connection: Name = Field(description="Airflow connection of type http: host, and credentials where it needs them.")
    endpoint: str | None = Field(default=None, description="Path below the connection's host.")
    body: Literal["json", "slack"] = Field(
        default="json",
        description="json: an object of event, institution, dag, subject and text; slack: what incoming webhooks of"
        " Slack and Mattermost read.",
    )


class AlarmRoute(Section):
    """Which events go to one address."""

    events: tuple[AlarmEvent, ...] = Field(
        default=("failed", "held", "late"),
        min_length=1,
        description="failed: a task has failed for good; held: a run waits for a person; late: a run has not ended in"
        " time.",
    )
    dags: tuple[AlarmDag, ...] = Field(default=(), description="Kinds of DAG; all if empty.")
    tasks: tuple[Name, ...] = Field(
        default=(),
        description="Tasks, such as check_certificate; all if empty. A late run has no task: a route with tasks never"
        " tells of one.",
    )
    email: EmailAlarm | None = None
    webhook: WebhookAlarm | None = None

    @model_validator(mode="after")
    def _has_one_address(self) -> "AlarmRoute":
        if (self.email is None) == (self.webhook is None):
            raise ValueError("give either email or webhook")
        return self


class AlarmSettings(Section):
    """Who hears of what, and when a state that no run fails on becomes an alarm."""

    routes: tuple[AlarmRoute, ...] = Field(default=(), description="Addresses; nobody is told if empty.")
    late_hours: dict[AlarmDag, Annotated[float, Field(gt=0)]] = Field(
        default={"dictionaries": 6, "evaluate": 6, "notes": 12, "changes": 2, "ledger": 6},
        description="Hours after which a run of this kind that has not ended is late, counted from when Airflow queued"
        " it; a run that waits for a person counts too.",
    )
    certificate_days: float = Field(
        default=14,
        ge=0,
        description="Days before the end of the promoted engine's certificate from which the nightly"
        " *check_certificate* fails.",
    )
    max_stale_share: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="Share of published notes that a newer engine may read differently, above which"
        " *check_stale_notes* fails.",
    )
