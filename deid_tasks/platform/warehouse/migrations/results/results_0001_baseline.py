"""The tables that the engine writes its results to, as the dbt hooks made them before they were versioned."""

from alembic import op

revision, down_revision = "results_0001", None

_TABLES = """
create table if not exists run (
    run_id text primary key,
    institution text not null,
    slice_start timestamp not null,
    slice_end timestamp not null,
    fingerprint text not null,
    certificate_id text,
    notes_read bigint not null,
    published bigint not null,
    unchanged bigint not null,
    quarantined bigint not null,
    words bigint not null,
    seconds double precision not null,
    finished_at timestamptz not null,
    -- Why a person must review the run before it is published: a JSON list, empty when no review is needed.
    review text not null default '[]'
);
create table if not exists note_outcome (
    run_id text not null,
    note_id text not null,
    outcome text not null,
    reason text not null,
    fingerprint text not null,
    words integer not null,
    spans integer not null,
    milliseconds real not null,
    primary key (run_id, note_id)
);
create table if not exists evaluation (
    evaluation_id text not null,
    fingerprint text not null,
    gold_version text not null,
    sample text not null,
    variant text not null,
    view text not null,
    stratum text not null,
    metric text not null,
    entity text not null,
    value double precision,
    lower double precision,
    upper double precision,
    true_positives bigint,
    false_positives bigint,
    false_negatives bigint,
    evaluated_at timestamptz not null
);
create index if not exists evaluation_by_fingerprint on evaluation (fingerprint);
create table if not exists certificate (
    certificate_id text primary key,
    fingerprint text not null,
    gold_version text not null,
    verdict text not null,
    -- Text, not jsonb: the signature covers these bytes.
    document text not null,
    issued_at timestamptz not null,
    signature text not null default ''
);
create table if not exists audit_finding (
    run_id text not null,
    note_id text not null,
    kind text not null,
    start_offset integer not null,
    end_offset integer not null,
    -- True: the gate found it in a note ready to be published. False: the engine withheld the note itself.
    is_published boolean not null default false
);
create index if not exists audit_finding_by_run on audit_finding (run_id);
create table if not exists run_figure (
    run_id text not null,
    note_type text not null,
    measure text not null,
    words bigint not null,
    value double precision,
    baseline double precision,
    lowest double precision,
    highest double precision,
    judgement text not null check (judgement in ('within', 'outside', 'too_few', 'unknown')),
    is_held boolean not null,
    primary key (run_id, note_type, measure)
);
-- Counts of the run: spans that recovery removed again, by entity, and sentences by how they were processed.
create table if not exists run_count (
    run_id text not null,
    measure text not null,
    entity text not null,
    value bigint not null,
    primary key (run_id, measure, entity)
);
create table if not exists approval (
    kind text not null check (kind in ('first_publication', 'drift')),
    run_id text not null,
    fingerprint text not null,
    certificate_id text not null,
    reason text not null,
    decision text not null check (decision in ('approved', 'rejected')),
    decided_by text not null,
    decided_at timestamptz not null
);
create index if not exists approval_by_fingerprint on approval (fingerprint);
-- Name of the published slice of each interval of notes. An interval has one name for every surrogate key.
create table if not exists published_slice (
    slice_key text primary key,
    slice_start timestamp not null,
    slice_end timestamp not null,
    key_id text not null,
    run_id text not null,
    notes bigint,
    published_at timestamptz,
    replaced_at timestamptz
);
create index if not exists published_slice_by_interval on published_slice (slice_start, slice_end);
create table if not exists published_table (
    run_id text not null,
    table_name text not null,
    version text not null,
    key_id text not null,
    rows_read bigint not null,
    published bigint not null,
    withheld bigint not null,
    published_at timestamptz not null,
    primary key (run_id, table_name)
);
-- Who asked for originals. Rows are added and never changed.
create table if not exists reidentification (
    reidentification_id bigint generated always as identity primary key,
    asked_at timestamptz not null default now(),
    asked_by text not null check (asked_by <> ''),
    -- The session's database role.
    database_user text not null default session_user,
    reason text not null check (reason <> ''),
    note_keys text [] not null
);
create or replace function refuse_change() returns trigger language plpgsql as
$$ begin raise exception 'rows of % are never changed', tg_table_name; end $$;
create or replace trigger reidentification_is_append_only
before update or delete or truncate on reidentification
for each statement execute function refuse_change();
"""

_ADOPTED = """
-- An installation that the dbt hooks made may be older than their last version.
alter table run add column if not exists review text not null default '[]';
alter table certificate add column if not exists signature text not null default '';
alter table audit_finding add column if not exists is_published boolean not null default false;
do $$
begin
    if (
        select atttypid from pg_attribute where attrelid = 'certificate'::regclass and attname = 'document'
    ) <> 'text'::regtype then
        alter table certificate alter column document type text using document::text;
    end if;
end $$;
"""


def upgrade() -> None:
    """Create the tables that are missing, and bring those of an existing installation to the same columns."""
    op.execute(_TABLES)
    op.execute(_ADOPTED)
