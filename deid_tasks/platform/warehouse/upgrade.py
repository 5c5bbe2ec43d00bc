"""Create the tables that the engine writes, or upgrade them to the newest version."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import psycopg2

from deid_tasks.platform.warehouse.connection import open_connection, warehouse_errors
from deid_tasks.platform.warehouse.role_check import role_differences
from deid_tasks.platform.warehouse.role_grants import grant_new_tables
from deid_tasks.settings import InstitutionSettings

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

logger = logging.getLogger(__name__)

_MIGRATIONS = Path(__file__).parent / "migrations"
LAYERS: tuple[Literal["gold", "results"], ...] = ("gold", "results")
"""The schemas that the engine owns, in the order in which they are locked."""


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """The revision of one schema before and after an upgrade."""

    schema: str
    before: str
    """Empty when the schema had no version: it was missing, or dbt made it."""
    after: str


def upgrade_schemas(uri: str, settings: InstitutionSettings) -> list[SchemaVersion]:
    """Bring the schemas ``_gold`` and ``_results`` of an institution to the newest revision, in one transaction.

    Callers at the same time wait for each other; where nothing is left to do, nothing is locked. Tables that dbt made
    before there were revisions are adopted with every row. Where the database has the institution's roles (`deid
    roles`), they get their rights on these tables.

    Raises:
        WarehouseError: The server cannot be reached, or the role may not create or alter the tables.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    engine = create_engine("postgresql+psycopg2://", creator=lambda: open_connection(uri), poolclass=NullPool)
    try:
        with warehouse_errors(uri), engine.begin() as connection:
            try:
                versions = [_upgrade(connection, settings.schema_name(layer), layer) for layer in LAYERS]
                is_changed = any(version.before != version.after for version in versions)
                # A release may change the rights alone.
                differences = role_differences(connection.connection, settings)
                if is_changed or any(not one.mend for one in differences):
                    _lock(connection, settings.schema_name("results"))
                    grant_new_tables(connection.connection, settings)
                return versions
            except DBAPIError as error:
                # The text of SQLAlchemy's error repeats the statement.
                if isinstance(error.orig, psycopg2.Error):
                    raise error.orig from None
                raise
    finally:
        engine.dispose()


def _upgrade(connection: "Connection", schema: str, layer: Literal["gold", "results"]) -> SchemaVersion:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy import text
    from sqlalchemy.schema import CreateSchema

    config = Config(attributes={"connection": connection, "schema": schema})
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(_MIGRATIONS / layer))
    newest = ScriptDirectory.from_config(config).get_current_head() or ""
    before = _revision(connection, schema)
    if before == newest:
        return SchemaVersion(schema, before, newest)
    _lock(connection, schema)
    if not connection.dialect.has_schema(connection, schema):
        connection.execute(CreateSchema(schema))
    # Another caller may have upgraded it while this one waited.
    before = _revision(connection, schema)
    connection.execute(text("select set_config('search_path', :schema, true)"), {"schema": schema})
    command.upgrade(config, "head")
    logger.info("%s: tables upgraded from %s to %s", schema, before or "no version", newest)
    return SchemaVersion(schema, before, newest)


def _lock(connection: "Connection", schema: str) -> None:
    """Wait for other callers, until this transaction ends."""
    from sqlalchemy import text

    connection.execute(text("select pg_advisory_xact_lock(hashtextextended(:schema, 0))"), {"schema": schema})


def _revision(connection: "Connection", schema: str) -> str:
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(connection, opts={"version_table_schema": schema})
    return context.get_current_revision() or ""
