"""Settings of approvals by people, and of the audit log that records them."""

import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from deid_tasks.settings.section import Name, Section

TwoPeopleAct = Literal["review", "promotion", "harvest", "retraction", "reidentification"]


class ApprovalsSettings(Section):
    """Who may approve, and what needs two people."""

    two_people: tuple[TwoPeopleAct, ...] = Field(
        default=("review", "promotion", "harvest", "reidentification"),
        description="What whoever prepared it may not approve. review: a held run, by who triggered it; promotion: the"
        " first publication under an engine, by who triggered its evaluation; harvest: by who ran it; retraction: every"
        " `deid retract` needs an approved request; reidentification: requests above `reidentify_max_notes`.",
    )
    assigned_users: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        description="Ids of the Airflow users who may answer *review* tasks; everybody who may edit the run if empty.",
    )
    reidentify_max_notes: int = Field(
        default=20,
        ge=0,
        description="Notes that one person may re-identify within 24 hours without another person's approval.",
    )
    compared_from: datetime.date | None = Field(
        default=None,
        description="First day, in UTC, whose re-identifications `deid audit verify` compares with these limits; all if"
        " not given. Set it when a limit is lowered: what was allowed before would be a finding.",
    )
    request_hours: float = Field(
        default=24, gt=0, le=720, description="Hours after which a request can be approved and used no longer."
    )


class AuditLogSettings(Section):
    """The audit log: the keys that sign it, and where its head is stored outside the database."""

    signing_key: Name = Field(
        default="audit_signing_key",
        description="Name of the secret that holds the Ed25519 private key (PEM) which signs the rows of the audit log;"
        " rows are not signed where it is not set.",
    )
    verification_key: Name = Field(
        default="audit_verification_key",
        description="Name of the secret that holds its public half (PEM); below it, those of former keys.",
    )
    bucket: str | None = Field(
        default=None,
        min_length=3,
        description="S3 bucket that holds the heads of the log; `publish.bucket` if not given. Best a bucket with an"
        " object lock that no worker administers.",
    )
    object_store: Name | None = Field(
        default=None,
        description="Name of the secret with that bucket's endpoint and credentials (JSON); `publish.object_store` if"
        " not given.",
    )
    prefix: str = Field(default="audit", pattern=r"^[a-zA-Z0-9_\-]+(/[a-zA-Z0-9_\-]+)*$")

    @model_validator(mode="after")
    def _bucket_has_credentials(self) -> "AuditLogSettings":
        if (self.bucket is None) != (self.object_store is None):
            raise ValueError("bucket and object_store must be given together")
        return self
