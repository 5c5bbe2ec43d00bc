"""The tables of samples, annotation and gold sets, as the dbt hooks made them before they were versioned."""

from alembic import op

revision, down_revision = "gold_0001", None

_TABLES = """
create table if not exists sample (
    sample_version text primary key,
    design text not null constraint sample_design_check check (design in ('stratified', 'random', 'disputed')),
    seed bigint not null,
    size integer not null,
    settings jsonb not null,
    notes integer not null,
    drawn_at timestamptz not null
);
create table if not exists sample_group (
    sample_version text not null references sample on delete cascade,
    note_type text not null,
    period text not null,
    notes bigint not null,
    mean_words double precision not null,
    weight double precision not null,
    allotted integer not null,
    drawn integer not null,
    primary key (sample_version, note_type, period)
);
create table if not exists sample_note (
    sample_version text not null references sample on delete cascade,
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
create table if not exists annotated_note (
    sample_version text not null,
    note_id text not null,
    annotator text not null,
    tool text not null,
    preannotated_by text not null,
    -- Name of the adjudicator's task list that holds the note. While it is set, the annotators' work is closed.
    handed_over text,
    imported_at timestamptz not null,
    primary key (sample_version, note_id, annotator),
    foreign key (sample_version, note_id) references sample_note on delete cascade
);
create table if not exists annotation (
    sample_version text not null,
    note_id text not null,
    annotator text not null,
    start_offset integer not null check (start_offset >= 0),
    end_offset integer not null,
    entity text not null,
    check (end_offset > start_offset),
    foreign key (sample_version, note_id, annotator) references annotated_note on delete cascade
);
create index if not exists annotation_by_note on annotation (sample_version, note_id);
create table if not exists gold_set (
    gold_version text primary key,
    sample_version text not null,
    design text not null,
    preannotated_by text not null,
    notes integer not null,
    kappa double precision,
    frozen_at timestamptz not null
);
create table if not exists gold_note (
    gold_version text not null references gold_set on delete cascade,
    note_id text not null,
    patient_id text,
    note_type text not null,
    note_datetime timestamp,
    author_id text,
    period text not null,
    text text not null,
    primary key (gold_version, note_id)
);
create table if not exists gold_span (
    gold_version text not null,
    note_id text not null,
    start_offset integer not null check (start_offset >= 0),
    end_offset integer not null,
    entity text not null,
    check (end_offset > start_offset),
    foreign key (gold_version, note_id) references gold_note on delete cascade
);
create index if not exists gold_span_by_note on gold_span (gold_version, note_id);
create table if not exists gold_decision (
    gold_version text not null,
    note_id text not null,
    start_offset integer not null,
    end_offset integer not null,
    entity text not null,
    basis text not null check (basis in ('agreement', 'adjudication')),
    decided_by text not null,
    foreign key (gold_version, note_id) references gold_note on delete cascade
);
create index if not exists gold_decision_by_note on gold_decision (gold_version, note_id);
"""

_ADOPTED = """
-- An installation that the dbt hooks made may be older than their last version.
alter table annotated_note add column if not exists handed_over text;
alter table sample drop constraint if exists sample_design_check;
alter table sample add constraint sample_design_check check (design in ('stratified', 'random', 'disputed'));
"""


def upgrade() -> None:
    """Create the tables that are missing, and bring those of an existing installation to the same columns."""
    op.execute(_TABLES)
    op.execute(_ADOPTED)
