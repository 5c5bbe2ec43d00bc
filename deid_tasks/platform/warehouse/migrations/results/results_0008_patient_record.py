"""The digest of each patient's record, so that a run of changes computes only those that may be others than before."""

from alembic import op

revision, down_revision = "results_0008", "results_0007"

_TABLE = """
create table patient_record (
    patient_id text primary key,
    -- Keyed sums over the values of now and those that snapshots have seen: equal stamps mean an equal record.
    stamp text not null,
    -- Keyed digest of what a run knows of the patient, as in the ledger.
    digest text not null
)
"""


def upgrade() -> None:
    """Add the table."""
    op.execute(_TABLE)
