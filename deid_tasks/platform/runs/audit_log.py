"""The audit log as people use it: verified, listed, and exported for a SIEM."""

import datetime
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError, SettingsError, StorageError
from deid_tasks.platform.audit_log.approvals import check_reidentifications
from deid_tasks.platform.audit_log.chain import LogFinding, check_chain, details_of
from deid_tasks.platform.audit_log.heads import AuditHead, HeadStore, check_heads
from deid_tasks.platform.audit_log.records import NamedRecords
from deid_tasks.platform.audit_log.restores import LOG_RESTORED, accepted_heads, head_text
from deid_tasks.platform.audit_log.signing import AuditKeys, accepted_rows, check_signatures
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audit_log import AuditLogRow, audit_rows_of, read_audit_rows
from deid_tasks.platform.warehouse.audited_records import AUDITED_COLUMNS, AuditedTable, read_audited_records, utc_text
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_SHOWN = 3
"""Findings that an error names."""


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What a verification of the log found."""

    rows: int
    signed: int
    heads: int
    """Heads that are stored outside the database."""
    findings: tuple[LogFinding, ...]
    limits: tuple[str, ...]
    """What could not be checked, and why."""


@logged_step
def verify_audit_log(settings: InstitutionSettings, secrets: Secrets) -> AuditVerdict:
    """Check the whole log: its chain, its signatures, the heads outside the database, and the rows that it names.

    Re-identifications are compared with ``approvals`` too.

    Raises:
        SettingsError: the verification key's secret holds no key.
    """
    keys = AuditKeys.of(settings, secrets)
    named = NamedRecords()
    # The heads come first: one that is stored meanwhile must not look like a truncation.
    store, heads, limits = _heads(settings, secrets)
    with connect(secrets.text(settings.warehouse.connection_of("audit"))) as connection:
        connection.set_session(isolation_level="REPEATABLE READ")
        rows = list(named.collect(read_audit_rows(connection, settings)))
        opened = [table for table in AUDITED_COLUMNS if table in named.tables]
        present = {table: _hashes(connection, settings, table) for table in opened}
        notes = _reidentified_notes(connection, settings)
    hashes = {row.seq: row.row_hash for row in rows}
    stored, accepted = len(heads), accepted_heads(rows)
    heads = [head for head in heads if head_text(head) not in accepted]
    newest = max(heads, key=lambda head: head.seq, default=None)
    is_signed = True
    if store is not None and newest is not None and keys.pems and _must_be_signed(rows, newest):
        is_signed = store.is_signed(newest, keys)
    findings = [
        *check_chain(settings.institution, rows),
        *check_signatures(rows, keys),
        *check_heads(heads, hashes, is_signed),
    ]
    if rows or heads:
        findings += named.check(present)
    findings += check_reidentifications(settings.approvals, rows, notes)
    return AuditVerdict(
        len(rows),
        sum(bool(row.signature) for row in rows),
        stored,
        tuple(findings),
        (*limits, *_limits(settings.institution, rows, keys, present), *(_head_limits(rows, newest) if store else ())),
    )


@logged_step
def check_audit_log(settings: InstitutionSettings, secrets: Secrets) -> dict[str, int]:
    """Verify the audit log, and return the numbers of its rows, signed rows and heads.

    Raises:
        GateError: something was changed, added or deleted, or an act was not approved; the text names the first
            findings.
        SettingsError: as ``verify_audit_log``.
    """
    verdict = verify_audit_log(settings, secrets)
    for limit in verdict.limits:
        logger.warning("audit log of %s: %s", settings.institution, limit)
    if verdict.findings:
        shown = "; ".join(map(str, verdict.findings[:_SHOWN]))
        is_unchanged = all(one.kind == "not approved" for one in verdict.findings)
        what = "acts were not approved" if is_unchanged else "the audit log is not what was written"
        who = "did so" if is_unchanged else "wrote to it"
        raise GateError(
            f"{settings.institution}: {what}, {len(verdict.findings)} findings: {shown};"
            f" run `deid audit verify --institution {settings.institution}`, and find out who {who}"
        )
    return {"rows": verdict.rows, "signed": verdict.signed, "heads": verdict.heads}


def export_audit_log(
    settings: InstitutionSettings, secrets: Secrets, since: int | datetime.datetime = 1
) -> Iterator[dict[str, Any]]:
    """Yield the rows from a number or a time on, the oldest first, as a SIEM reads them."""
    first = since if isinstance(since, int) else 1
    with connect(secrets.text(settings.warehouse.connection_of("audit"))) as connection:
        for row in read_audit_rows(connection, settings, first):
            if isinstance(since, int) or row.occurred_at >= since:
                yield _exported(settings.institution, row)


def exported_rows(settings: InstitutionSettings, secrets: Secrets, newest: int) -> list[dict[str, Any]]:
    """Return the newest rows in the same form, the oldest of them first."""
    with connect(secrets.text(settings.warehouse.connection_of("audit"))) as connection:
        rows = audit_rows_of(connection, settings, newest=newest)
    return [_exported(settings.institution, row) for row in reversed(rows)]


def _exported(institution: str, row: AuditLogRow) -> dict[str, Any]:
    """Return a row as ``deid audit export`` writes it; the keys are a stable format."""
    return {
        "institution": institution,
        "seq": row.seq,
        "occurred_at": utc_text(row.occurred_at),
        "event": row.event,
        "role": row.role,
        "actor": row.actor,
        "actor_source": row.actor_source,
        "actor_origin": row.actor_origin,
        "database_user": row.database_user,
        "subject": row.subject,
        "details": details_of(row),
        "previous_hash": row.previous_hash,
        "row_hash": row.row_hash,
        "key_id": row.key_id,
        "signature": row.signature,
    }


def _heads(
    settings: InstitutionSettings, secrets: Secrets
) -> tuple[HeadStore | None, list[AuditHead], tuple[str, ...]]:
    try:
        store = HeadStore(settings, secrets)
        return store, store.heads(), ()
    except (SettingsError, StorageError) as error:
        return None, [], (f"rows deleted from the end were not looked for: {error}",)


def _hashes(connection: Connection, settings: InstitutionSettings, table: AuditedTable) -> list[str]:
    return [record for _, record in read_audited_records(connection, settings, table)]


def _reidentified_notes(connection: Connection, settings: InstitutionSettings) -> dict[str, int]:
    """Return the number of notes of each row of ``reidentification`` by the row's hash."""
    records = read_audited_records(connection, settings, "reidentification")
    return {record: len(row["note_keys"]) for row, record in records}


def _must_be_signed(rows: Iterable[AuditLogRow], head: AuditHead) -> bool:
    """Whether a head was stored at a time at which the log was signed already."""
    return any(row.signature and row.seq <= head.seq for row in rows)


def _limits(
    institution: str, rows: list[AuditLogRow], keys: AuditKeys, compared: Collection[AuditedTable]
) -> Iterator[str]:
    for row in rows:
        if row.event == LOG_RESTORED:
            lost = len(accepted_heads([row]))
            yield f"row {row.seq}: {row.actor} accepted that {lost} stored heads have no row: the log was restored"
    unsigned = sum(not row.signature for row in rows)
    if unsigned:
        yield f"{unsigned} rows are not signed: the secret audit_log.signing_key was not set when they were written"
    accepted = accepted_rows(rows, keys)
    for by, number in sorted(Counter(accepted[row.row_hash].seq for row in rows if row.row_hash in accepted).items()):
        person = next(row for row in rows if row.seq == by)
        yield f"{number} of them were accepted by {person.actor}, as row {by} says"
    if not keys.pems and unsigned < len(rows):
        yield "no signature was checked: the secret that audit_log.verification_key names is not set"
    if rows and (others := [table for table in AUDITED_COLUMNS if table not in compared]):
        yield (
            f"rows of {', '.join(others)} were not compared: the log has not taken them over; run"
            f" dictionaries__{institution}, or `deid tables upgrade` where the audit key is"
        )


def _head_limits(rows: list[AuditLogRow], newest: AuditHead | None) -> Iterator[str]:
    if newest is None and rows:
        yield "there is no head outside the database: the deletion of rows from the end is not seen"
    elif newest is not None and rows and newest.seq < rows[-1].seq:
        yield f"rows {newest.seq + 1} to {rows[-1].seq} have no head outside the database: their deletion is not seen"
