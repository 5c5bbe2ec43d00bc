"""Requests that another person must approve; the database refuses to change or delete their rows."""

import datetime
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.audited_records import AUDITED_COLUMNS, insert_record, read_audited_records
from deid_tasks.settings import InstitutionSettings

RequestedAct = Literal["retraction", "readmission", "reidentification"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What one person asks for; ids of patients and notes are not in the ``repr``."""

    request_id: str
    act: RequestedAct
    requested_at: datetime.datetime
    requested_by: str
    reason: str = field(repr=False)
    note_keys: Sequence[str] = field(repr=False)
    """Keys of published notes, for a re-identification."""
    patient_ids: Sequence[str] = field(repr=False)
    note_ids: Sequence[str] = field(repr=False)
    """Real ids, for a retraction or a readmission."""
    expires_at: datetime.datetime


def add_request(connection: Connection, settings: InstitutionSettings, request: ApprovalRequest) -> str:
    """Store a request, and return the hash of its row."""
    return insert_record(connection, settings, "approval_request", asdict(request))


def read_requests(connection: Connection, settings: InstitutionSettings) -> dict[str, tuple[ApprovalRequest, str]]:
    """Return every request with the hash of its row by its id, the oldest first."""
    found = {}
    for row, record in read_audited_records(connection, settings, "approval_request"):
        request = ApprovalRequest(**{name: row[name] for name in AUDITED_COLUMNS["approval_request"]})
        found[request.request_id] = (request, record)
    return found
