"""Exclusions by request as rows that the audit log names: none is changed or deleted."""

from alembic import op

revision, down_revision = "results_0017", "results_0016"

_CHANGES = """
alter table exclusion
-- Random, because the audit log leaves the database: a row's hash must not confirm a guess of whom it excludes.
add column salt text not null default gen_random_uuid()::text;
create trigger exclusion_is_append_only
before update or delete or truncate on exclusion
for each statement execute function refuse_change();
"""


def upgrade() -> None:
    """Add the column, with a value of its own for each row that is there, and the trigger."""
    op.execute(_CHANGES)
