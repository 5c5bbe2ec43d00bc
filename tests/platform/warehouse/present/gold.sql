-- The tables of `_gold` as the dbt hooks made them before they were versioned. Never change this file.
select pg_advisory_xact_lock(hashtextextended('xx_gold', 0));
create schema if not exists xx_gold;
create table if not exists xx_gold.sample (
    sample_version text primary key,
    design text not null constraint sample_design_check check (design in ('stratified', 'random', 'disputed')),
    seed bigint not null,
    size integer not null,
    settings jsonb not null,
    notes integer not null,
    drawn_at timestamptz not null
);
-- A table made before there were disputed samples; one that knows them is not locked.
do $$
begin
    if exists (
        select from pg_constraint
        where conrelid = 'xx_gold.sample'::regclass and conname = 'sample_design_check'
            and pg_get_constraintdef(oid) not like '%disputed%'
    ) then
        alter table xx_gold.sample
            drop constraint sample_design_check,
            add constraint sample_design_check check (design in ('stratified', 'random', 'disputed'));
    end if;
end $$;
create table if not exists xx_gold.sample_group (
    sample_version text not null references xx_gold.sample on delete cascade,
    note_type text not null,
    period text not null,
    notes bigint not null,
    mean_words double precision not null,
    weight double precision not null,
    allotted integer not null,
    drawn integer not null,
    primary key (sample_version, note_type, period)
);
create table if not exists xx_gold.sample_note (
    sample_version text not null references xx_gold.sample on delete cascade,
    note_id text not null,
    patient_id text,
    note_type text not null,
    note_datetime timestamp,
    author_id text,
    period text not null,
    text text not null,
    place integer not null,
    holds_own_pii boolean not null,
    primary key (sample_version, note_id)
);
create table if not exists xx_gold.annotated_note (
    sample_version text not null,
    note_id text not null,
    annotator text not null,
    tool text not null,
    preannotated_by text not null,
    -- The adjudicator's task list that the note is in; from then on the annotators' work on it stands.
    handed_over text,
    imported_at timestamptz not null,
    primary key (sample_version, note_id, annotator),
    foreign key (sample_version, note_id) references xx_gold.sample_note on delete cascade
);
create table if not exists xx_gold.annotation (
    sample_version text not null,
    note_id text not null,
    annotator text not null,
    start_offset integer not null check (start_offset >= 0),
    end_offset integer not null,
    entity text not null,
    check (end_offset > start_offset),
    foreign key (sample_version, note_id, annotator) references xx_gold.annotated_note on delete cascade
);
create index if not exists annotation_by_note on xx_gold.annotation (sample_version, note_id);
create table if not exists xx_gold.gold_set (
    gold_version text primary key,
    sample_version text not null,
    design text not null,
    preannotated_by text not null,
    notes integer not null,
    kappa double precision,
    frozen_at timestamptz not null
);
create table if not exists xx_gold.gold_note (
    gold_version text not null references xx_gold.gold_set on delete cascade,
    note_id text not null,
    patient_id text,
    note_type text not null,
    note_datetime timestamp,
    author_id text,
    period text not null,
    text text not null,
    primary key (gold_version, note_id)
);
create table if not exists xx_gold.gold_span (
    gold_version text not null,
    note_id text not null,
    start_offset integer not null check (start_offset >= 0),
    end_offset integer not null,
    entity text not null,
    check (end_offset > start_offset),
    foreign key (gold_version, note_id) references xx_gold.gold_note on delete cascade
);
create index if not exists gold_span_by_note on xx_gold.gold_span (gold_version, note_id);
create table if not exists xx_gold.gold_decision (
    gold_version text not null,
    note_id text not null,
    start_offset integer not null,
    end_offset integer not null,
    entity text not null,
    basis text not null check (basis in ('agreement', 'adjudication')),
    decided_by text not null,
    foreign key (gold_version, note_id) references xx_gold.gold_note on delete cascade
);
create index if not exists gold_decision_by_note on xx_gold.gold_decision (gold_version, note_id);
