"""A note that failed has the exception's class and code location beside its reason."""

from alembic import op

revision, down_revision = "results_0002", "results_0001"


def upgrade() -> None:
    """Add the columns; they are null for notes that did not fail, and for notes of earlier runs."""
    op.execute("alter table note_outcome add column error_class text, add column error_location text")
