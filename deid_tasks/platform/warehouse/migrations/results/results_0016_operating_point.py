"""The bias that an evaluation chose for the models of an engine, so that runs build the engine that was certified."""

from alembic import op

revision, down_revision = "results_0016", "results_0015"

_COLUMN = """
alter table promoted_engine
-- Null where the settings decide it.
add column outside_bias double precision
"""


def upgrade() -> None:
    """Add the column; the settings decided the bias of engines that were promoted before."""
    op.execute(_COLUMN)
