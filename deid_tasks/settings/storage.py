"""Settings of storage: the published table, and the vault of originals."""

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator, model_validator

from deid_tasks.settings.section import Name, Section

_SECRET_PROPERTY = re.compile(r"secret|token$|password|credential|access-key-id|account-key|sas-token", re.IGNORECASE)
_PASSWORD_IN_URI = re.compile(r"://[^/@\s]*:[^/@\s]*@")


class PublishSettings(Section):
    """Where the de-identified table is stored."""

    bucket: str = Field(min_length=3, description="S3 bucket of the published table.")
    prefix: str = Field(default="palimpsest", pattern=r"^[a-zA-Z0-9_\-/]+$")
    table: str = Field(
        default="deid.notes", pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$", description="namespace.table"
    )
    tables: tuple[Name, ...] = Field(
        default=(),
        description="Structured tables published beside the notes: patients, encounters, providers, …"
        " as dbt's models.yml names them (meta.deid_table).",
    )
    retract_hours: float = Field(
        default=24,
        ge=1,
        description="Hours within which the bytes of removed notes leave the bucket. Readers can use former snapshots"
        " for half of this time.",
    )
    object_store: Name = Field(
        description="Name of the secret that holds the S3 endpoint and credentials (JSON): endpoint, region,"
        " access_key, secret_key, session_token, role_arn, role_session_name, sts_endpoint, and PyIceberg's own, such"
        " as s3.proxy-uri."
    )
    catalog: Name = Field(
        description="Name of the secret that holds the PostgreSQL URI of the Iceberg catalog, or a JSON object of"
        " PyIceberg's catalog properties."
    )
    catalog_properties: dict[str, str] = Field(
        default_factory=dict,
        description="PyIceberg's properties of another catalog, such as type (sql, rest, glue, hive), uri, warehouse or"
        " s3.sse-kms-key-id. Those of the two secrets win. Never a password, key or token: these belong in the"
        " secrets.",
    )

    @field_validator("catalog_properties")
    @classmethod
    def _no_secrets(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if _SECRET_PROPERTY.search(name) or _PASSWORD_IN_URI.search(text):
                raise ValueError(f"{name} is a secret: write it in the JSON object of the secret publish.catalog names")
        return value


class WorkspaceSettings(Section):
    """How the working files of runs are stored, and where, if ``work_dir`` is an object store."""

    object_store: Name | None = Field(
        default=None,
        description="Name of the secret that holds the S3 endpoint and credentials (JSON) of a `work_dir` that is an"
        " object store; as `publish.object_store`.",
    )
    local_dir: str | None = Field(
        default=None,
        description="Folder on a local disk of each worker, for its copies of what lies in the object store, and for"
        " the sentence cache. `${NAME}` at its start is replaced by an environment variable.",
    )
    kms_key: str = Field(
        default="",
        description="Id, alias or ARN of the KMS key with which S3 encrypts each object; the bucket's own encryption"
        " if empty.",
    )
    key: Name | None = Field(
        default=None,
        description="Name of the secret (32 random bytes, base64) with which workers encrypt the shards, on a disk and"
        " in an object store; they are not encrypted by the platform if not given.",
    )


@dataclass(frozen=True, slots=True)
class WorkStore:
    """The object store of an institution's working files."""

    bucket: str
    prefix: str
    object_store: str
    """Name of the secret with its credentials."""
    kms_key: str


class VaultSettings(Section):
    """Where originals are stored, encrypted, so that the holder of the right key can re-identify a published note."""

    bucket: str = Field(min_length=3, description="S3 bucket of the vault; never that of the published table.")
    prefix: str = Field(default="vault", pattern=r"^[a-zA-Z0-9_\-]+(/[a-zA-Z0-9_\-]+)*$")
    object_store: Name = Field(
        description="Name of the secret that holds the vault's S3 endpoint and credentials (JSON)."
    )
    wrap: Literal["x25519", "aws-kms"] = Field(
        default="x25519",
        description="How each data key is wrapped: for a key pair of the institution (HPKE), or by a key in AWS KMS.",
    )
    public_key: Name = Field(
        default="vault_public_key",
        description="Name of the secret that holds the X25519 public key (PEM) which originals are sealed for;"
        " workers need it.",
    )
    private_key: Name = Field(
        default="vault_private_key",
        description="Name of the secret that holds its private half (PEM); re-identification alone needs it.",
    )
    kms_key: str = Field(
        default="", description="Id, alias or ARN of the KMS key; workers need only the permission kms:Encrypt."
    )
    kms: Name = Field(
        default="vault_kms",
        description="Name of the secret that holds the KMS endpoint, region and credentials (JSON).",
    )

    @model_validator(mode="after")
    def _names_its_key(self) -> "VaultSettings":
        if (self.wrap == "aws-kms") != bool(self.kms_key):
            raise ValueError("wrap: aws-kms and kms_key must be given together")
        return self
