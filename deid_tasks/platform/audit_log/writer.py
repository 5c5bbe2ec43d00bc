"""Adds rows to the audit log, in the transaction of what they record."""

import datetime
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import SettingsError, StorageError
from deid_tasks.evidence.gate.certificate import canonical
from deid_tasks.platform.audit_log.adoption import earlier_events, unopened_tables
from deid_tasks.platform.audit_log.chain import NO_ROW, AuditEvent, hash_of_row
from deid_tasks.platform.audit_log.heads import HeadStore
from deid_tasks.platform.audit_log.signing import AuditSigner
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audit_log import (
    AuditLogRow,
    database_user,
    has_signed_rows,
    insert_audit_row,
    last_audit_row,
    lock_audit_log,
)
from deid_tasks.platform.warehouse.audited_records import AuditedTable
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)


class AuditWriter:
    """Adds rows over one connection, whose transaction holds what they record too."""

    def __init__(self, connection: Connection, settings: InstitutionSettings, signer: AuditSigner) -> None:
        self.connection = connection
        self.newest: AuditLogRow | None = None
        """The row whose head is stored after the commit: the last one that this writer added."""
        self._settings, self._signer = settings, signer

    @property
    def is_signing(self) -> bool:
        """Whether the rows are signed: the secrets hold the audit key."""
        return bool(self._signer.key_id)

    def lock(self) -> None:
        """Wait for other writers: from here on the log does not change but through this writer."""
        lock_audit_log(self.connection, self._settings)

    def check_signing(self) -> None:
        """Check that rows of this writer are signed where earlier ones are.

        For acts that can wait until the key is here: a row can never be changed, so one that lacks its signature is a
        finding of every verification until a person accepts it.

        Raises:
            SettingsError: they are not; the text names the secret.
        """
        last = last_audit_row(self.connection, self._settings)
        if self.is_signing or last is None:
            return
        if has_signed_rows(self.connection, self._settings, before=last.seq + 1):
            raise SettingsError(
                f"{self._settings.institution}: the audit log is signed, and the secret"
                f" {self._settings.audit_log.signing_key!r} is not set here, so nothing was done: set it, and run this"
                " again"
            )

    def renew_head(self) -> None:
        """Store the log's head again after the commit: its writer may have no access to the bucket."""
        self.newest = last_audit_row(self.connection, self._settings)

    def append(self, event: AuditEvent) -> AuditLogRow:
        """Add a row, and return it. Other writers wait until the transaction ends."""
        # After the lock, because the statement must see what the writer before has committed.
        self.lock()
        last = last_audit_row(self.connection, self._settings)
        row = AuditLogRow(
            seq=1 if last is None else last.seq + 1,
            occurred_at=datetime.datetime.now(datetime.UTC),
            event=event.event,
            role=event.role,
            actor=event.actor.name,
            actor_source=event.actor.source,
            actor_origin=event.actor.origin,
            database_user=database_user(self.connection),
            subject=event.subject,
            details=canonical(dict(event.details)),
            previous_hash=NO_ROW if last is None else last.row_hash,
            row_hash="",
            key_id=self._signer.key_id,
            signature="",
        )
        row_hash = hash_of_row(self._settings.institution, row)
        row = replace(row, row_hash=row_hash, signature=self._signer.sign_row(row_hash))
        insert_audit_row(self.connection, self._settings, row)
        self.newest = row
        return row


@contextmanager
def audited(settings: InstitutionSettings, secrets: Secrets, uri: str) -> Iterator[AuditWriter]:
    """Yield a writer of the audit log; its rows are committed with what the block writes over its connection.

    After the commit the new head is stored outside the database. A head that cannot be stored is logged, and does not
    undo the act: the next act's head covers its row.

    Args:
        settings: The institution.
        secrets: Its secrets; rows are signed where they hold the audit key.
        uri: Of the warehouse, with a role that may add rows.
    """
    signer = AuditSigner(settings, secrets)
    with connect(uri) as connection:
        writer = AuditWriter(connection, settings, signer)
        yield writer
    if writer.newest is not None:
        _store_head(settings, secrets, writer.newest, signer)


def open_log(settings: InstitutionSettings, secrets: Secrets, uri: str) -> list[AuditedTable]:
    """Take over what was recorded before the log knew a table, once for each table; return these tables.

    Raises:
        SettingsError: the audit key is not here, and the log is signed.
    """
    with audited(settings, secrets, uri) as audit:
        tables = unopened_tables(audit.connection, settings)
        if not tables:
            return []
        audit.lock()
        audit.check_signing()
        # Another writer may have taken it over meanwhile: then there is none.
        for event in earlier_events(audit.connection, settings):
            audit.append(event)
    return tables


def _store_head(settings: InstitutionSettings, secrets: Secrets, row: AuditLogRow, signer: AuditSigner) -> None:
    try:
        HeadStore(settings, secrets).put(row, signer)
    except (SettingsError, StorageError) as error:
        logger.warning("row %d of the audit log has no head outside the database: %s", row.seq, error)
