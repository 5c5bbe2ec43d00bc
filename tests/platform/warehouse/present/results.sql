-- The tables of `_results` as the dbt hooks made them before they were versioned. Never change this file.
select pg_advisory_xact_lock(hashtextextended('xx_results', 0));
create schema if not exists xx_results;
create table if not exists xx_results.run (
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
    -- Why a person must see the run before it is published: a JSON list, empty where nobody need.
    review text not null default '[]'
);
create table if not exists xx_results.note_outcome (
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
create table if not exists xx_results.evaluation (
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
create index if not exists evaluation_by_fingerprint on xx_results.evaluation (fingerprint);
create table if not exists xx_results.certificate (
    certificate_id text primary key,
    fingerprint text not null,
    gold_version text not null,
    verdict text not null,
    -- Text and not jsonb: the signature is over these bytes.
    document text not null,
    issued_at timestamptz not null,
    signature text not null default ''
);
create table if not exists xx_results.audit_finding (
    run_id text not null,
    note_id text not null,
    kind text not null,
    start_offset integer not null,
    end_offset integer not null,
    -- Found by the gate in what would have been published; the others stopped their note by themselves.
    is_published boolean not null default false
);
create index if not exists audit_finding_by_run on xx_results.audit_finding (run_id);
create table if not exists xx_results.run_figure (
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
-- What was counted while the run's notes were read: spans that recovery gave back, by entity, and what became of sentences.
create table if not exists xx_results.run_count (
    run_id text not null,
    measure text not null,
    entity text not null,
    value bigint not null,
    primary key (run_id, measure, entity)
);
create table if not exists xx_results.approval (
    kind text not null check (kind in ('first_publication', 'drift')),
    run_id text not null,
    fingerprint text not null,
    certificate_id text not null,
    reason text not null,
    decision text not null check (decision in ('approved', 'rejected')),
    decided_by text not null,
    decided_at timestamptz not null
);
create index if not exists approval_by_fingerprint on xx_results.approval (fingerprint);
-- Which slice of the published table an interval of notes became; one of an earlier surrogate key is replaced with it.
create table if not exists xx_results.published_slice (
    slice_key text primary key,
    slice_start timestamp not null,
    slice_end timestamp not null,
    key_id text not null,
    run_id text not null,
    notes bigint,
    published_at timestamptz,
    replaced_at timestamptz
);
create index if not exists published_slice_by_interval on xx_results.published_slice (slice_start, slice_end);
create table if not exists xx_results.published_table (
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
-- Who asked for originals; nobody may take a row back.
create table if not exists xx_results.reidentification (
    reidentification_id bigint generated always as identity primary key,
    asked_at timestamptz not null default now(),
    asked_by text not null check (asked_by <> ''),
    -- Who the database says it was.
    database_user text not null default session_user,
    reason text not null check (reason <> ''),
    note_keys text [] not null
);
create or replace function xx_results.refuse_change() returns trigger language plpgsql as
$$ begin raise exception 'rows of % are never changed', tg_table_name; end $$;
create or replace trigger reidentification_is_append_only
before update or delete or truncate on xx_results.reidentification
for each statement execute function xx_results.refuse_change();
