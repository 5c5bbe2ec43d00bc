"""``sample_note.place`` is now ``draw_order``, and ``holds_own_pii`` is ``has_own_pii``.

Queries may use the old names for one release: they are generated columns, which no writer names.
"""

from alembic import op

revision, down_revision = "gold_0002", "gold_0001"

_RENAMED = """
alter table sample_note rename column place to draw_order;
alter table sample_note rename column holds_own_pii to has_own_pii;
alter table sample_note
    add column place integer generated always as (draw_order) stored,
    add column holds_own_pii boolean generated always as (has_own_pii) stored;
"""


def upgrade() -> None:
    """Rename the columns and keep their old names for readers."""
    op.execute(_RENAMED)
