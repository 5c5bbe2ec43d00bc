"""Engines that passed their evaluation: runs use the newest one of the present code and settings."""

from alembic import op

revision, down_revision = "results_0004", "results_0003"

_TABLE = """
create table promoted_engine (
    fingerprint text primary key,
    -- The fingerprint without the versions of lexicon and known people.
    base_fingerprint text not null,
    lexicon text not null,
    people text not null,
    harvest text not null,
    compiled_at timestamptz not null,
    certificate_id text not null,
    promoted_at timestamptz not null,
    -- When a run last took this engine; null until one does.
    pinned_at timestamptz
);
create index promoted_engine_by_base on promoted_engine (base_fingerprint);
"""


def upgrade() -> None:
    """Create the table."""
    op.execute(_TABLE)
