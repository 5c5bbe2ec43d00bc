"""The policy of each promoted engine, so that a changed policy restates only notes with entities that it touches."""

from alembic import op

revision, down_revision = "results_0005", "results_0004"

_COLUMNS = """
alter table promoted_engine
-- The base fingerprint without the section policy; empty for an engine that was promoted before this column came.
add column policy_free_fingerprint text not null default '',
-- The section policy as JSON.
add column policy text not null default '{}'
"""


def upgrade() -> None:
    """Add the columns."""
    op.execute(_COLUMNS)
