"""A person may approve that notes which the warehouse lacks leave the published table."""

from alembic import op

revision, down_revision = "results_0019", "results_0018"

_TABLE = """
alter table approval
drop constraint approval_kind_check,
add constraint approval_kind_check check (kind in ('first_publication', 'drift', 'volume', 'removal'));
"""


def upgrade() -> None:
    """Let an approval be of a removal."""
    op.execute(_TABLE)
