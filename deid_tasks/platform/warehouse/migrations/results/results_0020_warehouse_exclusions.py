"""What the warehouse excludes, so that an exclusion which vanishes there stays in force until its end is meant."""

from alembic import op

revision, down_revision = "results_0020", "results_0019"

_TABLES = """
create table warehouse_exclusion (
    kind text not null check (kind in ('patient', 'note')),
    -- The patient, under each id that was merged, or the note.
    id text not null,
    reason text not null,
    -- The end that counts; null for ever.
    valid_to timestamp,
    -- The end that the warehouse names, and since when: an earlier one does not count at once.
    named_end timestamp,
    named_since timestamptz not null,
    -- Since when the warehouse lacks it; null while it is there.
    missing_since timestamptz,
    is_ended boolean not null default false,
    -- When it last ended without a person; null where it never did.
    ended_at timestamptz,
    primary key (kind, id)
);
alter table approval
drop constraint approval_kind_check,
add constraint approval_kind_check
check (kind in ('first_publication', 'drift', 'volume', 'removal', 'readmission'));
"""


def upgrade() -> None:
    """Create the table, which the next run fills, and let an approval be of a readmission."""
    op.execute(_TABLES)
