"""The author of each note of the ledger: an author's record may come or change after the note was read."""

from alembic import op

revision, down_revision = "results_0006", "results_0005"

_COLUMN = """
-- The author as read; unknown for a note that was read before this column came, which the next changes runs read again.
alter table note_ledger add column author_id text
"""


def upgrade() -> None:
    """Add the column."""
    op.execute(_COLUMN)
