"""Compares the audit log with the rows of other tables that it names by their hashes."""

from collections.abc import Iterable, Iterator, Mapping

from deid_tasks.platform.audit_log.chain import LogFinding, details_of
from deid_tasks.platform.warehouse.audit_log import AuditLogRow
from deid_tasks.platform.warehouse.audited_records import AuditedTable

_TABLES: dict[tuple[str, str], AuditedTable] = {
    ("review", "approved"): "approval",
    ("review", "rejected"): "approval",
    ("certificate_issued", "performed"): "certificate",
    ("retraction", "performed"): "retraction",
    ("reidentification", "performed"): "reidentification",
    ("request", "prepared"): "approval_request",
}
"""The table whose row an event and its role are about."""


class NamedRecords:
    """The hashes of rows that a log names, collected row by row."""

    def __init__(self) -> None:
        self._named: dict[AuditedTable, dict[str, int]] = {}
        self._certificates: dict[str, str] = {}

    def collect(self, rows: Iterable[AuditLogRow]) -> Iterator[AuditLogRow]:
        """Yield the rows, and remember which records they name."""
        for row in rows:
            if table := _TABLES.get((row.event, row.role)):
                record = str(details_of(row).get("record", ""))
                self._named.setdefault(table, {})[record] = row.seq
                if table == "certificate":
                    # The same figures again are the same certificate, whose row was replaced.
                    self._certificates[row.subject] = record
            yield row

    def check(self, present: Mapping[AuditedTable, Iterable[str]]) -> Iterator[LogFinding]:
        """Yield where the tables do not hold exactly the rows that the log names.

        Args:
            present: The hashes of the rows of each table.
        """
        for table, hashes in present.items():
            there, named = set(hashes), self._named.get(table, {})
            wanted = set(self._certificates.values()) if table == "certificate" else set(named)
            for record in sorted(wanted - there, key=named.__getitem__):
                yield LogFinding(
                    named[record], "record missing", f"the row of {table} that it names is gone or changed"
                )
            if unnamed := len(there - set(named)):
                yield LogFinding(
                    None, "record changed or added", f"{unnamed} rows of {table} are not what the log names, or unknown"
                )
