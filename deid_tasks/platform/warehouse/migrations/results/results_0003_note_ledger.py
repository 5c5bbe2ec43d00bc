"""The ledger of notes, the work list of each run, the platform's own exclusions, and slices by day."""

from alembic import op

revision, down_revision = "results_0003", "results_0002"

_TABLES = """
-- What was published of each source note, from which version of it, and by which engine.
create table note_ledger (
    note_id text primary key,
    patient_id text,
    note_type text,
    note_datetime timestamp not null,
    note_day date not null,
    modified_at timestamp,
    -- Keyed hash of the note's columns and text as they were read; null for an excluded note.
    content_hash text,
    -- Keyed digest of the patient's record as it was read.
    record_digest text not null default '',
    -- Why the note is excluded; null if it is not.
    exclusion text,
    outcome text not null check (outcome in ('published', 'unchanged', 'quarantined', 'excluded', 'publishing')),
    reason text not null default '',
    -- The engine that the row is valid for, and the engine that read the note.
    fingerprint text not null default '',
    made_by text not null default '',
    -- Keyed hash of the published row.
    output_hash text,
    entities text [] not null default '{}',
    slice_key text,
    note_key text,
    run_id text not null,
    updated_at timestamptz not null default now()
);
create index note_ledger_by_day on note_ledger (note_day);
create index note_ledger_by_patient on note_ledger (patient_id);
create index note_ledger_by_fingerprint on note_ledger (fingerprint);
create index note_ledger_by_slice on note_ledger (slice_key);
-- The notes that a run processes or removes, and why.
create table run_note (
    run_id text not null,
    note_id text not null,
    note_day date not null,
    cause text not null,
    is_removal boolean not null,
    -- Decides the note's shard, also where its patient is merged while the run reads.
    shard_hash bigint not null,
    -- What the publication did: written, removed or left; null before it.
    result text check (result in ('written', 'removed', 'left')),
    -- Where the published row is now, and where it was before.
    slice_key text,
    note_key text,
    former_slice_key text,
    former_note_key text,
    primary key (run_id, note_id)
);
-- The days that a run publishes as a whole.
create table run_day (
    run_id text not null,
    note_day date not null,
    primary key (run_id, note_day)
);
-- Patients and notes that are excluded by request, beside those that the warehouse excludes.
create table exclusion (
    exclusion_id bigint generated always as identity primary key,
    patient_id text,
    note_id text,
    reason text not null check (reason <> ''),
    valid_from timestamp not null,
    valid_to timestamp,
    requested_by text not null check (requested_by <> ''),
    requested_at timestamptz not null default now(),
    check ((patient_id is null) <> (note_id is null))
);
-- What was removed from the published table, signed, without identifiers.
create table retraction (
    retraction_id text primary key,
    reasons text not null,
    notes bigint not null,
    removed_at timestamptz not null,
    snapshot_id bigint,
    purged_at timestamptz,
    document text not null,
    signature text not null,
    run_id text not null
);
-- Source, ledger and published table by day and note type, as they were last reconciled.
create table ledger_count (
    note_day date not null,
    note_type text not null,
    source bigint not null,
    published bigint not null,
    quarantined bigint not null,
    excluded bigint not null,
    in_table bigint not null,
    differing bigint not null generated always as (abs(in_table - published)) stored,
    -- Notes whose source differs from the ledger, and those of them that are overdue.
    pending bigint not null,
    overdue bigint not null,
    counted_at timestamptz not null default now(),
    primary key (note_day, note_type)
);
alter table run add column kind text not null default 'notes' check (kind in ('notes', 'changes', 'restate'));
alter table run add column removed bigint not null default 0;
alter table published_slice add column note_day date;
update published_slice set note_day = slice_start::date
where slice_end - slice_start = interval '1 day' and slice_start = date_trunc('day', slice_start);
create index published_slice_by_day on published_slice (note_day);
alter table approval drop constraint approval_kind_check;
alter table approval add constraint approval_kind_check check (kind in ('first_publication', 'drift', 'volume'));
"""


def upgrade() -> None:
    """Add the tables. The ledger fills as days are published; a day that was published before is adopted by its run."""
    op.execute(_TABLES)
