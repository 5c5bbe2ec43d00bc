"""Nightly extracts into the raw tables: each delivery whole, or not at all."""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import InputError, SettingsError
from deid_tasks.platform.landing.checks import ColumnLimits, check_rows
from deid_tasks.platform.landing.deliveries import (
    DeliveredFile,
    Delivery,
    check_files,
    check_unchanged,
    read_deliveries,
    unlisted_files,
)
from deid_tasks.platform.landing.location import FileState, LandingLocation
from deid_tasks.platform.landing.rows import BadRow, read_rows_of
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.landing import (
    LandedFile,
    LandedRows,
    StagedTable,
    hold_landing,
    prepare_table,
    prune_quarantine,
    read_landed,
    record_landed,
    record_quarantine,
)
from deid_tasks.settings import InstitutionSettings, LandingSettings, Secrets

logger = logging.getLogger(__name__)

_MAX_STORED_BAD_ROWS = 10_000
"""Bad rows of a delivery that are stored; others are only counted."""
_SHOWN_FILES = 5


class TableReport(TypedDict):
    """What one delivery did to one table."""

    delivery: str
    table: str
    files: int
    rows: int
    """Rows of the files."""
    quarantined: int
    inserted: int
    updated: int
    deleted: int


class LandingReport(TypedDict):
    """What was landed, and what waits."""

    deliveries: int
    files: int
    rows: int
    quarantined: int
    unlisted: int
    """Files that no manifest names."""
    tables: list[TableReport]


@dataclass
class _Landing:
    """One delivery while it is loaded."""

    settings: InstitutionSettings
    contract: LandingSettings
    location: LandingLocation
    delivery: str
    bad: list[tuple[DeliveredFile, BadRow]] = field(default_factory=list, repr=False)
    counts: Counter[str] = field(default_factory=Counter)
    """Bad rows by file."""

    def add_bad(self, file: DeliveredFile, rows: list[BadRow]) -> None:
        """Count bad rows of a file.

        Raises:
            InputError: the file has more than the settings allow.
        """
        self.bad += [(file, row) for row in rows[: _MAX_STORED_BAD_ROWS - len(self.bad)]]
        self.counts[file.path] += len(rows)
        self.check_share(file, self.counts[file.path])

    def check_share(self, file: DeliveredFile, bad: int) -> None:
        """Raise ``InputError`` where so many bad rows are too many for the file."""
        allowed = int(self.contract.max_bad_share * file.rows)
        if bad <= allowed:
            return
        reasons = Counter(row.reason for one, row in self.bad if one.path == file.path)
        named = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        raise InputError(
            f"{file.path}: {bad} or more of {file.rows} rows are bad ({named}), and landing.max_bad_share allows"
            f" {allowed}; delivery {self.delivery!r} was not loaded."
            f" {self.settings.schema_name('ehr')}.landing_quarantine shows the rows"
        )


@logged_step
def land_deliveries(settings: InstitutionSettings, secrets: Secrets, *, dry_run: bool = False) -> LandingReport:
    """Load the deliveries that were not loaded yet into the raw schema, in the order of their names.

    A delivery is one transaction. Running this again loads nothing twice.

    Args:
        settings: The institution.
        secrets: Its secrets.
        dry_run: Read and check everything, and change nothing.

    Raises:
        SettingsError: the settings have no section ``landing``.
        InputError: a delivery is not complete, breaks its contract or has too many bad rows; it was not loaded, nor
            were later ones. The bad rows that were found are in the quarantine.
        StorageError: the deliveries cannot be read.
        WarehouseError: the database cannot be reached, or refuses a statement.
    """
    contract = settings.landing
    if contract is None:
        raise SettingsError(f"{settings.institution}: the settings have no section landing, so nothing can be landed")
    location = LandingLocation(contract, secrets)
    uri = secrets.text(settings.warehouse.connection_of("land"))
    names = location.names()
    deliveries = read_deliveries(location, contract, names)
    unlisted = unlisted_files(deliveries, contract, names)
    if unlisted:
        shown = ", ".join(unlisted[:_SHOWN_FILES])
        logger.warning("%d files are named by no manifest, and wait: %s", len(unlisted), shown)
    tables: list[TableReport] = []
    for delivery in deliveries:
        landing = _Landing(settings, contract, location, delivery.name)
        try:
            with connect(uri) as connection:
                tables += _land(connection, landing, delivery)
                if dry_run:
                    connection.rollback()
        except InputError:
            if landing.bad and not dry_run:
                with connect(uri) as connection:
                    record_quarantine(connection, settings, delivery.name, landing.bad)
            raise
    if not dry_run:
        with connect(uri) as connection:
            prune_quarantine(connection, settings, contract.quarantine_days)
    return {
        "deliveries": len({one["delivery"] for one in tables}),
        "files": sum(one["files"] for one in tables),
        "rows": sum(one["rows"] for one in tables),
        "quarantined": sum(one["quarantined"] for one in tables),
        "unlisted": len(unlisted),
        "tables": tables,
    }


def _land(connection: Connection, landing: _Landing, delivery: Delivery) -> list[TableReport]:
    """Load what is new of a delivery; return what was done to each table."""
    settings = landing.settings
    hold_landing(connection, settings)
    landed = read_landed(connection, settings)
    chosen = {table: files for table, files in _wanted(delivery, landed).items() if files}
    if not chosen:
        return []
    _check_order(delivery, chosen, landed)
    states = check_files(landing.location, [file for files in chosen.values() for file in files])
    # Also tables without a delivery are made: dbt reads all of them.
    limits = {one.table: prepare_table(connection, settings, one) for one in landing.contract.tables}
    reports = []
    for table, files in chosen.items():
        staged = StagedTable(connection, settings, files[0].table)
        for number, file in enumerate(files):
            _stage(landing, staged, number, file, limits[table], states)
        for number, bad in staged.remove_doubled():
            landing.add_bad(files[number], [bad])
        before = staged.rows_before()
        changed = staged.apply()
        _check_deleted(landing, table, before, changed)
        reports.append(_report(landing, table, files, changed))
    record_landed(
        connection, settings, [(file, landing.counts[file.path]) for files in chosen.values() for file in files]
    )
    record_quarantine(connection, settings, delivery.name, landing.bad)
    return reports


def _wanted(delivery: Delivery, landed: set[LandedFile]) -> dict[str, list[DeliveredFile]]:
    """Return the files of each table that are to be loaded.

    Of a table that is replaced all files are, or none. A file whose rows are appended is never loaded again, whatever
    the delivery and its name.
    """
    wanted = {}
    appended = {(one.table, one.sha256) for one in landed}
    for table, files in delivery.by_table().items():
        new = [one for one in files if LandedFile(one.delivery, one.path, one.sha256, table) not in landed]
        mode = files[0].table.mode
        if mode == "replace":
            wanted[table] = files if new else []
        elif mode == "append":
            wanted[table] = [one for one in new if (table, one.sha256) not in appended]
        else:
            wanted[table] = new
    return wanted


def _check_order(delivery: Delivery, chosen: Mapping[str, list[DeliveredFile]], landed: set[LandedFile]) -> None:
    """Raise ``InputError`` where older rows would overwrite newer ones."""
    for table, files in chosen.items():
        newer = max((one.delivery for one in landed if one.table == table), default="")
        if files[0].table.mode != "append" and newer > delivery.name:
            raise InputError(
                f"{delivery.manifest}: delivery {delivery.name!r} came after {newer!r}, which was landed, and would"
                f" overwrite newer rows of table {table}; deliver them under a newer name, or remove the manifest"
            )


def _stage(
    landing: _Landing,
    staged: StagedTable,
    number: int,
    file: DeliveredFile,
    limits: ColumnLimits,
    states: Mapping[str, FileState],
) -> None:
    """Read a file into its staging table, and compare the number of its rows with the manifest."""
    good, is_broken = 0, False
    for read in read_rows_of(landing.location, file.path, file.table):
        checked = check_rows(read, file.table, limits)
        staged.copy(number, file, checked)
        good += checked.batch.num_rows
        is_broken = is_broken or any(row.reason == "broken_quoting" for row in checked.bad)
        landing.add_bad(file, checked.bad)
    check_unchanged(landing.location, file, states)
    bad = landing.counts[file.path]
    if is_broken and good + bad != file.rows and good < file.rows:
        # Broken quoting can divide a row, or join several: what is missing counts.
        landing.counts[file.path] = bad = file.rows - good
        landing.check_share(file, bad)
    if good + bad != file.rows:
        raise InputError(
            f"{file.path}: it has {good + bad} rows, and the manifest of delivery {file.delivery!r} says {file.rows};"
            " deliver it again"
        )


def _check_deleted(landing: _Landing, table: str, before: int, changed: LandedRows) -> None:
    # Without a key every row is deleted and inserted again.
    lost = max(0, changed.deleted - changed.inserted)
    if lost > landing.contract.max_deleted_share * before:
        raise InputError(
            f"table {table}: delivery {landing.delivery!r} would delete {lost} of {before} rows, more than"
            " landing.max_deleted_share allows; if the delivery is complete, raise that for one run"
        )


def _report(landing: _Landing, table: str, files: list[DeliveredFile], changed: LandedRows) -> TableReport:
    return {
        "delivery": landing.delivery,
        "table": table,
        "files": len(files),
        "rows": sum(file.rows for file in files),
        "quarantined": sum(landing.counts[file.path] for file in files),
        "inserted": changed.inserted,
        "updated": changed.updated,
        "deleted": changed.deleted,
    }
