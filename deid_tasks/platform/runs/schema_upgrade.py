"""The engine's tables, brought to the newest version before dbt reads them."""

from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def upgrade_tables(settings: InstitutionSettings, secrets: Secrets) -> dict[str, str]:
    """Create or upgrade the schemas ``_gold`` and ``_results``; return the revision of each. Every row is kept."""
    uri = secrets.text(settings.warehouse.connection_of("owner"))
    return {version.schema: version.after for version in upgrade_schemas(uri, settings)}
