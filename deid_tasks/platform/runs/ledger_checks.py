"""The nightly reconciliation of source, ledger and published table."""

from collections import Counter
from pathlib import Path

from deid_tasks.core.errors import GateError
from deid_tasks.evidence.gate import check_tables, ledger_checks
from deid_tasks.platform.publish import count_rows_by_slice
from deid_tasks.platform.runs.content_hashes import amended_without_time
from deid_tasks.platform.runs.pseudonyms import digest_seed
from deid_tasks.platform.runs.reports import LedgerReport
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.ledger import lock_publication
from deid_tasks.platform.warehouse.ledger_counts import (
    RECONCILIATION,
    LedgerCount,
    date_waiting_notes,
    read_counts,
    replace_counts,
    replace_engine_counts,
    set_list_aside,
)
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.shards import save_work_list
from deid_tasks.platform.warehouse.work_list import Cause, add_notes, plan_changes
from deid_tasks.settings import InstitutionSettings, Secrets

_MAX_NOTES = 1_000_000
"""Maximum pending notes that are counted."""


@logged_step
def reconcile_ledger(settings: InstitutionSettings, secrets: Secrets) -> LedgerReport:
    """Count source, ledger and published table by day and note type, and check that they agree.

    A change of the source that the next changes run will take is pending, and no difference until it is overdue: found
    by every reconciliation for ``changes.max_delay_hours``.

    Raises:
        GateError: the table does not hold what the ledger says, or a change is overdue; the text has counts.
    """
    uri = secrets.text(settings.warehouse.connection_of("publish"))
    with connect(uri) as lock, connect(uri) as connection:
        # No run publishes while table and ledger are counted one after the other.
        lock_publication(lock, settings)
        in_table = count_rows_by_slice(settings, secrets)
        refresh_merges(connection, settings)
        set_list_aside(connection, settings, RECONCILIATION)
        plan_changes(connection, settings, digest_seed(settings, secrets), _MAX_NOTES)
        amended = amended_without_time(connection, settings, secrets, _MAX_NOTES)
        add_notes(connection, Cause.AMENDED, amended)
        save_work_list(connection, settings, RECONCILIATION)
        date_waiting_notes(connection, settings, RECONCILIATION)
        replace_counts(connection, settings, RECONCILIATION, in_table)
        replace_engine_counts(connection, settings)
        counts = read_counts(connection, settings)
    if not counts:
        return _report(counts)
    docs = Path(settings.gate.data_docs) if settings.gate.data_docs else None
    verdict = check_tables(
        f"{settings.institution} ledger", uri, settings.schema_name("results"), ledger_checks(), docs
    )
    if verdict.failures:
        raise GateError(f"{settings.institution}: {'; '.join(verdict.failures)}; `deid ledger` shows days and types")
    return _report(counts)


@logged_step
def ledger_counts(settings: InstitutionSettings, secrets: Secrets) -> list[LedgerCount]:
    """Return the counts of the last reconciliation."""
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        return read_counts(connection, settings)


def _report(counts: list[LedgerCount]) -> LedgerReport:
    sums: Counter[str] = Counter()
    for one in counts:
        for name in ("source", "published", "quarantined", "excluded", "in_table", "pending"):
            sums[name] += getattr(one, name)
    return {
        "days": len({one.note_day for one in counts}),
        "source": sums["source"],
        "published": sums["published"],
        "quarantined": sums["quarantined"],
        "excluded": sums["excluded"],
        "in_table": sums["in_table"],
        "pending": sums["pending"],
    }
