"""The policy of each evaluation: which forms of identifiers its figures count."""

from alembic import op

revision, down_revision = "results_0012", "results_0011"

_COLUMN = """
alter table evaluation
-- The name of the policy that decided which forms count as identifiers.
add column policy text not null default 'expert'
"""


def upgrade() -> None:
    """Add the column; figures of earlier releases are those of the policy expert."""
    op.execute(_COLUMN)
