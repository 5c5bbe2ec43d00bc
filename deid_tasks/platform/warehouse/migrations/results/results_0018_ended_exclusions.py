"""The end of an exclusion by request, as a row of its own: the exclusion's row stays as it was."""

from alembic import op

revision, down_revision = "results_0018", "results_0017"

_TABLE = """
create table exclusion_end (
    end_id bigint generated always as identity primary key,
    exclusion_id bigint not null unique,
    reason text not null,
    requested_by text not null,
    requested_at timestamptz not null default now(),
    salt text not null default gen_random_uuid()::text
);
alter table approval_request
drop constraint approval_request_act_check,
add constraint approval_request_act_check check (act in ('retraction', 'readmission', 'reidentification'));
create trigger exclusion_end_is_append_only
before update or delete or truncate on exclusion_end
for each statement execute function refuse_change();
"""


def upgrade() -> None:
    """Create the table, which refuses changes, and let a request ask for an end."""
    op.execute(_TABLE)
