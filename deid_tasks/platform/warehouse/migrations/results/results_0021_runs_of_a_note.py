"""What runs recorded of one note is found by the note: a retraction deletes it while no run can publish."""

from alembic import op

revision, down_revision = "results_0021", "results_0020"

_INDEXES = """
create index run_note_by_note on run_note (note_id);
create index note_outcome_by_note on note_outcome (note_id);
create index audit_finding_by_note on audit_finding (note_id);
"""


def upgrade() -> None:
    """Add the indexes."""
    op.execute(_INDEXES)
