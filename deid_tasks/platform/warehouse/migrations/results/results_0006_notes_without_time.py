"""An index of the notes that have no modification time, whose contents are compared; mostly there are none."""

from alembic import op

revision, down_revision = "results_0006", "results_0005"


def upgrade() -> None:
    """Add the index."""
    op.execute("create index note_ledger_without_time on note_ledger (note_id) where modified_at is null")
