"""Compares the audit log with the rows of other tables that it names by their hashes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
    ("exclusion", "performed"): "exclusion",
    ("readmission", "performed"): "exclusion_end",
    ("gold_frozen", "performed"): "gold_set",
}
"""The table whose row an event and its role are about."""
_REPLACED: frozenset[AuditedTable] = frozenset({"certificate", "gold_set"})
"""Tables whose row may be replaced by another of the same key: the same figures again are the same certificate, and the
same content is the same gold set. The log's newest row of the key names the row that must be there."""
_FIRST_TABLES: frozenset[AuditedTable] = frozenset(
    {"approval", "certificate", "retraction", "reidentification", "approval_request"}
)
"""The tables of a log that was opened before ``log_opened`` named them."""


def records_of(details: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the rows that the details of an event name."""
    several = details.get("records")
    found = several if isinstance(several, list) else []
    return [str(one) for one in (*found, details.get("record")) if one is not None]


def opened_tables(rows: Iterable[AuditLogRow]) -> frozenset[str]:
    """Return the tables whose earlier rows the log has taken over, by its rows ``log_opened``."""
    found: set[str] = set()
    for row in rows:
        if row.event == "log_opened":
            tables = details_of(row).get("tables")
            found.update(map(str, tables) if isinstance(tables, list) else _FIRST_TABLES)
    return frozenset(found)


class NamedRecords:
    """The hashes of rows that a log names, collected row by row."""

    def __init__(self) -> None:
        self.tables: frozenset[str] = _FIRST_TABLES
        """The tables that the log speaks of: what others hold may be older than their audit."""
        self._named: dict[AuditedTable, dict[str, int]] = {}
        self._newest: dict[AuditedTable, dict[str, str]] = {table: {} for table in _REPLACED}

    def collect(self, rows: Iterable[AuditLogRow]) -> Iterator[AuditLogRow]:
        """Yield the rows, and remember which records they name."""
        for row in rows:
            self.tables |= opened_tables([row])
            if table := _TABLES.get((row.event, row.role)):
                # Exclusions did not name their rows at first.
                records = records_of(details_of(row)) or ([] if table == "exclusion" else [""])
                for record in records:
                    self._named.setdefault(table, {})[record] = row.seq
                    if table in _REPLACED:
                        self._newest[table][row.subject] = record
            yield row

    def check(self, present: Mapping[AuditedTable, Iterable[str]]) -> Iterator[LogFinding]:
        """Yield where the tables do not hold exactly the rows that the log names.

        Args:
            present: The hashes of the rows of each table.
        """
        for table, hashes in present.items():
            there, named = set(hashes), self._named.get(table, {})
            wanted = set(self._newest[table].values()) if table in _REPLACED else set(named)
            for record in sorted(wanted - there, key=named.__getitem__):
                yield LogFinding(
                    named[record], "record missing", f"the row of {table} that it names is gone or changed"
                )
            if unnamed := len(there - set(named)):
                yield LogFinding(
                    None, "record changed or added", f"{unnamed} rows of {table} are not what the log names, or unknown"
                )
