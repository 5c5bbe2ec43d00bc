"""The audit log: one chain of rows that are only added, and the requests that a second person approves."""

from alembic import op

revision, down_revision = "results_0011", "results_0010"

_TABLES = """
create table audit_log (
    seq bigint primary key check (seq > 0),
    occurred_at timestamptz not null,
    event text not null check (event <> ''),
    role text not null check (role in ('prepared', 'approved', 'rejected', 'refused', 'performed')),
    actor text not null check (actor <> ''),
    actor_source text not null check (actor_source in ('airflow', 'operating_system', 'platform', 'unverified')),
    actor_origin text not null,
    -- The session's database role.
    database_user text not null,
    subject text not null,
    -- Canonical JSON. Text, not jsonb: the hash covers these bytes.
    details text not null,
    -- Each row follows exactly one other, so that the chain cannot fork.
    previous_hash text not null unique,
    row_hash text not null unique,
    key_id text not null,
    signature text not null
);
create index audit_log_by_subject on audit_log (event, subject);
create trigger audit_log_is_append_only
before update or delete or truncate on audit_log
for each statement execute function refuse_change();
create table approval_request (
    request_id text primary key,
    act text not null check (act in ('retraction', 'reidentification')),
    requested_at timestamptz not null,
    requested_by text not null check (requested_by <> ''),
    reason text not null check (reason <> ''),
    note_keys text [] not null,
    patient_ids text [] not null,
    note_ids text [] not null,
    expires_at timestamptz not null
);
create trigger approval_request_is_append_only
before update or delete or truncate on approval_request
for each statement execute function refuse_change();
"""


def upgrade() -> None:
    """Add both tables."""
    op.execute(_TABLES)
