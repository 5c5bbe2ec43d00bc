"""The shard of each planned note, so that shards are equally long, and its outcome, so that no run keeps all."""

from alembic import op

revision, down_revision = "results_0009", "results_0008"


def upgrade() -> None:
    """Replace the hash that decided the shard by the shard; runs that were planned before are planned anew."""
    op.execute("alter table run_note drop column shard_hash, add column shard integer, add column outcome text")
    op.execute("create index run_note_by_day on run_note (run_id, note_day, shard)")
