"""Alembic runs this file for each schema; ``deid_tasks.platform.warehouse.upgrade`` hands in the connection."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table_schema=context.config.attributes["schema"],
    # One transaction for all revisions of both schemas: the caller's.
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
