"""The engine's tables, brought to the newest version before dbt reads them."""

from deid_tasks.platform.audit_log import open_log
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse.upgrade import SchemaVersion, upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def upgrade_tables(settings: InstitutionSettings, secrets: Secrets) -> dict[str, str]:
    """Create or upgrade the schemas ``_gold`` and ``_results``; return the revision of each. Every row is kept.

    The audit log takes over what was recorded before it knew a table.
    """
    return {version.schema: version.after for version in upgraded_schemas(settings, secrets)}


def upgraded_schemas(settings: InstitutionSettings, secrets: Secrets) -> list[SchemaVersion]:
    """Do what ``upgrade_tables`` does, and return each schema's revision before and after."""
    uri = secrets.text(settings.warehouse.connection_of("owner"))
    versions = upgrade_schemas(uri, settings)
    open_log(settings, secrets, uri)
    return versions
