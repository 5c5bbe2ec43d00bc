"""The engine's tables, brought to the newest version before dbt reads them."""

from deid_tasks.platform.audit_log import open_audit_log
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse.upgrade import SchemaVersion, upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def upgrade_tables(settings: InstitutionSettings, secrets: Secrets) -> list[SchemaVersion]:
    """Create or upgrade the schemas ``_gold`` and ``_results``; return the revisions of each.

    Every row is kept. An institution without an audit log gets one, which begins with what was recorded before.
    """
    uri = secrets.text(settings.warehouse.connection_of("owner"))
    versions = upgrade_schemas(uri, settings)
    open_audit_log(settings, secrets)
    return versions
