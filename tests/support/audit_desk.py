"""An institution with nothing but the tables of the platform, an audit key and a bucket."""

import base64
import json
import uuid
from dataclasses import dataclass, field

import boto3
import psycopg2
import pytest

from deid_tasks.core.identity import Identity
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.platform.audit_log import AuditEvent, audited, open_log
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import AuditLogSettings, InstitutionSettings, Secrets

ALICE = Identity("alice", "operating_system", "uid 1001 on desk")
BOB = Identity("bob", "airflow", "user id 7")


@dataclass
class Desk:
    """One institution's log."""

    settings: InstitutionSettings
    held: dict[str, str] = field(repr=False)
    uri: str = field(repr=False)

    @property
    def secrets(self) -> Secrets:
        return Secrets(self.held.get)

    def ask(self, statement: str, *values: object) -> list[tuple]:
        connection = psycopg2.connect(self.uri)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(statement, values or None)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def tamper(self, statement: str, *values: object) -> None:
        """Change the log as the tables' owner can, who drops the protection first."""
        table = "riverside_results.audit_log"
        self.ask(f"alter table {table} disable trigger user")
        self.ask(statement, *values)
        self.ask(f"alter table {table} enable trigger user")

    def append(self, number: int = 1) -> None:
        """Add rows, the first of which opens the log."""
        open_log(self.settings, self.secrets, self.uri)
        for index in range(number):
            with audited(self.settings, self.secrets, self.uri) as audit:
                audit.append(AuditEvent("harvest", "prepared", ALICE, f"harvest {index}", {"sentences": index}))

    @property
    def bucket(self):
        store = json.loads(self.held["object_store"])
        return boto3.client(
            "s3",
            endpoint_url=store["endpoint"],
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test-secret",
        )

    def heads(self) -> list[str]:
        found = self.bucket.list_objects_v2(Bucket=self.settings.audit_log.bucket, Prefix="audit/")
        return [entry["Key"] for entry in found.get("Contents", ())]


@pytest.fixture
def desk(database, object_store, institution) -> Desk:
    """The log of an institution, before its first row, with an audit key."""
    bucket = f"heads-{uuid.uuid4().hex[:12]}"
    signing, verification = new_key_pair()
    held = {
        "riverside_ehr": database,
        "catalog": database,
        "object_store": json.dumps(object_store),
        "riverside_key": base64.b64encode(bytes(range(32))).decode(),
        "audit_signing_key": signing,
        "audit_verification_key": verification,
    }
    audit_log = AuditLogSettings(bucket=bucket, object_store="object_store")
    desk = Desk(institution.model_copy(update={"audit_log": audit_log}), held, database)
    desk.bucket.create_bucket(Bucket=bucket)
    upgrade_schemas(database, desk.settings)
    return desk
