"""The author of each note of the ledger, whose record may come later, and since when a note waits for a run."""

from alembic import op

revision, down_revision = "results_0007", "results_0006"

_COLUMNS = """
-- The author as read; unknown for a note that was read before this column came, which the next changes runs read again.
alter table note_ledger add column author_id text;
-- When the note was listed; for the nightly reconciliation, since when it has been waiting for a run of changes.
alter table run_note add column listed_at timestamptz not null default now()
"""


def upgrade() -> None:
    """Add the columns."""
    op.execute(_COLUMNS)
