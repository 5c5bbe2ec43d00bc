"""What the warehouse excludes, so that an exclusion which vanishes there holds until its end is known to be meant."""

from alembic import op

revision, down_revision = "results_0020", "results_0019"

_TABLES = """
create table warehouse_exclusion (
    kind text not null check (kind in ('patient', 'note')),
    -- The patient, under the id of the survivor where patients were merged, or the note.
    id text not null,
    reason text not null,
    -- The end that the warehouse named while the exclusion held; null for ever.
    valid_to timestamp,
    -- Since when the warehouse lacks it; null while it is there.
    missing_since timestamptz,
    -- When the platform let it end without asking; null while it holds.
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
