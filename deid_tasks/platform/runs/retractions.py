"""Retraction: notes that were deleted or excluded leave the table, the vault, the working files and old snapshots."""

import datetime
import hashlib
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from deid_tasks.core.errors import ApprovalError, GateError, InputError
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.platform.audit_log import AuditEvent, AuditWriter, audited
from deid_tasks.platform.publish import purge_snapshots
from deid_tasks.platform.runs.institution_engine import institution_obfuscator
from deid_tasks.platform.runs.pseudonyms import ledger_key
from deid_tasks.platform.runs.reports import PurgedReport, RetractionReport
from deid_tasks.platform.runs.requests import file_request, usable_request
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.vault import VaultStore
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.approval_requests import ApprovalRequest
from deid_tasks.platform.warehouse.exclusions import Exclusion, add_exclusions, end_exclusions, excluded_notes
from deid_tasks.platform.warehouse.ledger import WorkItem, lock_publication
from deid_tasks.platform.warehouse.retractions import (
    RetractionRow,
    close_retractions,
    open_retractions,
    removed_note_ids,
    write_retraction,
)
from deid_tasks.platform.warehouse.run_notes import delete_runs_of_notes
from deid_tasks.platform.workspace import remove_note_files
from deid_tasks.settings import InstitutionSettings, Secrets

_MAX_WRITING = datetime.timedelta(minutes=30)
"""A file that no snapshot names may be of a writer that has not committed yet, for this long."""


@logged_step
def retract(
    settings: InstitutionSettings,
    secrets: Secrets,
    *,
    patient_ids: Sequence[str] = (),
    note_ids: Sequence[str] = (),
    reason: str,
    requested_by: Identity,
) -> RetractionReport:
    """Exclude patients and notes from publication from now on.

    The next changes run removes their rows, as it removes those of notes that the warehouse excludes or deletes.

    Args:
        settings: The institution.
        secrets: Its secrets.
        patient_ids: The patients.
        note_ids: The notes.
        reason: Why, in a word or a sentence without identifiers; it is signed and stored.
        requested_by: Who requests it.

    Returns:
        How many notes of the ledger are concerned.

    Raises:
        InputError: nothing to retract, or no reason, is given.
        ApprovalError: the settings ask for a request that another person has approved.
    """
    _check_retraction(patient_ids, note_ids, reason)
    if "retraction" in settings.approvals.two_people:
        raise ApprovalError(
            f"{settings.institution}: a retraction needs two people (approvals.two_people): make a request with"
            " `deid retract --request`, let another person approve it, then run it with `deid retract --approved`"
        )
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("publish"))) as audit:
        return _exclude(audit, settings, patient_ids, note_ids, reason.strip(), requested_by)


@logged_step
def retract_as_approved(
    settings: InstitutionSettings, secrets: Secrets, request_id: str, requested_by: Identity
) -> RetractionReport:
    """Do what an approved request asks for, once.

    Raises:
        ApprovalError: the request is not this person's, is not approved, has expired or was used.
    """
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("publish"))) as audit:
        asked = usable_request(audit, settings, secrets, request_id, "retraction", requested_by)
        return _exclude(audit, settings, asked.patient_ids, asked.note_ids, asked.reason, requested_by, request_id)


@logged_step
def request_retraction(
    settings: InstitutionSettings,
    secrets: Secrets,
    *,
    patient_ids: Sequence[str] = (),
    note_ids: Sequence[str] = (),
    reason: str,
    requested_by: Identity,
    act: Literal["retraction", "readmission"] = "retraction",
) -> ApprovalRequest:
    """Store a request to retract or to readmit patients and notes, which another person must approve; nothing changes.

    Raises:
        InputError: nothing to retract, or no reason, is given.
    """
    _check_retraction(patient_ids, note_ids, reason)
    return file_request(settings, secrets, act, requested_by, reason, patient_ids=patient_ids, note_ids=note_ids)


@logged_step
def readmit(
    settings: InstitutionSettings,
    secrets: Secrets,
    *,
    patient_ids: Sequence[str] = (),
    note_ids: Sequence[str] = (),
    reason: str,
    requested_by: Identity,
) -> RetractionReport:
    """End the exclusion by request of patients and notes; the next changes run publishes their notes again.

    Raises:
        InputError: nothing to readmit, or no reason, is given, or one of them is not excluded by request.
        ApprovalError: the settings ask for a request that another person has approved.
    """
    _check_retraction(patient_ids, note_ids, reason)
    if "retraction" in settings.approvals.two_people:
        raise ApprovalError(
            f"{settings.institution}: ending an exclusion needs two people as a retraction does (approvals.two_people):"
            " make a request with `deid retract --end --request`, let another person approve it, then run it with"
            " `deid retract --end --approved`"
        )
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("publish"))) as audit:
        return _end(audit, settings, patient_ids, note_ids, reason.strip(), requested_by)


@logged_step
def readmit_as_approved(
    settings: InstitutionSettings, secrets: Secrets, request_id: str, requested_by: Identity
) -> RetractionReport:
    """End the exclusions that an approved request names, once.

    Raises:
        ApprovalError: the request is not this person's, is not approved, has expired or was used.
    """
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("publish"))) as audit:
        asked = usable_request(audit, settings, secrets, request_id, "readmission", requested_by)
        return _end(audit, settings, asked.patient_ids, asked.note_ids, asked.reason, requested_by, request_id)


def _check_retraction(patient_ids: Sequence[str], note_ids: Sequence[str], reason: str) -> None:
    """Raise ``InputError`` where nothing to retract, or no reason, is given."""
    if not (patient_ids or note_ids) or not reason.strip():
        raise InputError("name at least one patient (--patient) or note (--note), and a reason (--reason)")


def _exclude(
    audit: AuditWriter,
    settings: InstitutionSettings,
    patient_ids: Sequence[str],
    note_ids: Sequence[str],
    reason: str,
    requested_by: Identity,
    request_id: str = "",
) -> RetractionReport:
    connection = audit.connection
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None) - datetime.timedelta(days=1)
    rows = [Exclusion(one, None, reason, now, requested_by.name) for one in patient_ids]
    rows += [Exclusion(None, one, reason, now, requested_by.name) for one in note_ids]
    records = add_exclusions(connection, settings, rows)
    return _recorded(audit, settings, "exclusion", patient_ids, note_ids, requested_by, request_id, records)


def _end(
    audit: AuditWriter,
    settings: InstitutionSettings,
    patient_ids: Sequence[str],
    note_ids: Sequence[str],
    reason: str,
    requested_by: Identity,
    request_id: str = "",
) -> RetractionReport:
    records = end_exclusions(
        audit.connection,
        settings,
        patient_ids=patient_ids,
        note_ids=note_ids,
        reason=reason,
        requested_by=requested_by.name,
    )
    return _recorded(audit, settings, "readmission", patient_ids, note_ids, requested_by, request_id, records)


def _recorded(
    audit: AuditWriter,
    settings: InstitutionSettings,
    event: str,
    patient_ids: Sequence[str],
    note_ids: Sequence[str],
    requested_by: Identity,
    request_id: str,
    records: Sequence[str],
) -> RetractionReport:
    """Write what was done into the audit log, without ids; return how many notes of the ledger are concerned."""
    connection = audit.connection
    notes = sum(excluded_notes(connection, settings, patient_id=one) for one in patient_ids)
    notes += sum(excluded_notes(connection, settings, note_id=one) for one in note_ids)
    details: dict[str, Any] = {"patients": len(patient_ids), "notes": len(note_ids), "ledger_notes": notes}
    details |= {"request": request_id, "records": list(records)}
    audit.append(AuditEvent(event, "performed", requested_by, request_id, details))
    return {"notes": notes, "patients": len(patient_ids)}


def remove_from_vault(settings: InstitutionSettings, secrets: Secrets, items: Iterable[WorkItem]) -> None:
    """Remove the originals of removed notes from the vault; nothing without a vault."""
    if settings.vault is None:
        return
    former: defaultdict[str, set[str]] = defaultdict(set)
    for item in items:
        if item.former_slice_key and item.former_note_key:
            former[item.former_slice_key].add(item.former_note_key)
    store = VaultStore(settings, secrets)
    for slice_key, keys in sorted(former.items()):
        store.remove_notes(slice_key, keys)


def record_retraction(
    audit: AuditWriter,
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    items: Sequence[WorkItem],
    snapshot_id: int,
) -> None:
    """Store a signed row that says how many notes were removed, when and why, and names none; nothing for no note.

    The audit log names it.
    """
    if not items:
        return
    removed = Counter(item.cause for item in items)
    now = datetime.datetime.now(datetime.UTC)
    document = json.dumps(
        {
            "institution": settings.institution,
            "run": institution_obfuscator(settings, secrets).pseudonym("run", run_id),
            "removed_at": now.isoformat(),
            "notes": removed.total(),
            "reasons": dict(sorted(removed.items())),
            "snapshot_id": snapshot_id,
        },
        sort_keys=True,
    )
    row = RetractionRow(
        retraction_id=hashlib.sha256(document.encode()).hexdigest()[:16],
        reasons=" ".join(sorted(removed)),
        notes=removed.total(),
        removed_at=now,
        snapshot_id=snapshot_id,
        document=document,
        signature=hmac.digest(ledger_key(settings, secrets), document.encode(), "sha256").hex(),
        run_id=run_id,
    )
    record = write_retraction(audit.connection, settings, row)
    details = {"record": record, "notes": row.notes, "reasons": dict(sorted(removed.items())), "run": run_id}
    audit.append(AuditEvent("retraction", "performed", PLATFORM, row.retraction_id, details))


@logged_step
def purge_removed(settings: InstitutionSettings, secrets: Secrets, *, at_once: bool = False) -> PurgedReport:
    """Delete the bytes of removed notes: former snapshots with their files, working files, and rows of ended runs.

    Readers may use former snapshots for half of ``publish.retract_hours``; with ``at_once`` for no time. Once nothing
    is left in the bucket, what runs recorded of the notes has told which they were, and is deleted too.

    Raises:
        GateError: notes that were removed more than ``publish.retract_hours`` ago could not be purged.
    """
    now = datetime.datetime.now(datetime.UTC)
    readers = datetime.timedelta(hours=0 if at_once else settings.publish.retract_hours / 2)
    uri = secrets.text(settings.warehouse.connection_of("publish"))
    with connect(uri) as connection:
        waiting = open_retractions(connection, settings)
        due = [row for row in waiting if row.removed_at <= now - readers]
        notes = removed_note_ids(connection, settings, [row.run_id for row in due])
    if not due:
        return {"retractions": 0, "snapshots": 0, "files": 0, "working_files": 0, "rows": 0}
    purged = purge_snapshots(settings, secrets, max(row.removed_at for row in due), grace=_MAX_WRITING)
    files = remove_note_files(settings, secrets, notes)
    is_done = not (purged.waiting or purged.protected)
    rows = 0
    if is_done:
        with connect(uri) as connection:
            # A run that publishes reads its list again after the commit.
            lock_publication(connection, settings)
            close_retractions(connection, settings, [row.retraction_id for row in due], now)
            rows = delete_runs_of_notes(connection, settings, notes)
    limit = datetime.timedelta(hours=settings.publish.retract_hours)
    if not is_done and any(now - row.removed_at > limit for row in due):
        raise GateError(
            f"{settings.institution}: notes were removed more than publish.retract_hours ago, and their bytes are still"
            f" in the bucket: {purged.waiting} files are younger than {_MAX_WRITING}, and {purged.protected} snapshots"
            " have a branch or a tag; drop branches and tags of the table, then clear purge_removed"
        )
    return {
        "retractions": len(due) if is_done else 0,
        "snapshots": purged.snapshots,
        "files": purged.files,
        "working_files": files,
        "rows": rows,
    }
