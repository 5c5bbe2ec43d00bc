"""The delivered files that were loaded into the raw tables, so that none is loaded twice."""

from alembic import op

revision, down_revision = "results_0010", "results_0009"

_TABLE = """
create table landed_file (
    delivery text not null,
    file text not null,
    sha256 text not null,
    table_name text not null,
    row_count bigint not null,
    quarantined bigint not null,
    landed_at timestamptz not null default now(),
    primary key (delivery, file, sha256)
);
create index landed_file_by_hash on landed_file (sha256)
"""


def upgrade() -> None:
    """Add the table."""
    op.execute(_TABLE)
