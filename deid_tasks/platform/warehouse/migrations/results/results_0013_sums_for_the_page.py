"""Sums that the page in Airflow shows, so that it reads no row of a note, and indexes over years of runs."""

from alembic import op

revision, down_revision = "results_0013", "results_0012"

_TABLES = """
-- Notes of the ledger by the engine that their rows are valid for, as they were last reconciled.
create table engine_note_count (
    fingerprint text primary key,
    notes bigint not null check (notes > 0),
    counted_at timestamptz not null default now()
);
insert into engine_note_count (fingerprint, notes)
select fingerprint, count(*) from note_ledger
where outcome in ('published', 'unchanged', 'quarantined') group by 1;
-- Quarantined notes by reason, as runs count them from now on.
insert into run_count (run_id, measure, entity, value)
select o.run_id, 'quarantined_notes', o.reason, count(*) from note_outcome as o
where o.outcome = 'quarantined' and exists (select 1 from run as r where r.run_id = o.run_id)
group by o.run_id, o.reason
on conflict do nothing;
create index run_by_day on run (kind, slice_start);
create index run_by_time on run (finished_at desc);
create index run_count_of_quarantine on run_count (run_id) where measure = 'quarantined_notes';
create index evaluation_of_all_words on evaluation (metric, stratum, evaluated_at)
where view = 'word' and entity = 'ALL';
"""


def upgrade() -> None:
    """Add the table and the indexes, and count what is there."""
    op.execute(_TABLES)
