"""The engine's tables, brought to the newest version before dbt reads them, and the audit log of what they held."""

import logging
from dataclasses import dataclass

from deid_tasks.platform.audit_log import open_log
from deid_tasks.platform.audit_log.adoption import unopened_tables
from deid_tasks.platform.audit_log.signing import AuditSigner
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.upgrade import SchemaVersion, upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UpgradedTables:
    """What an upgrade did."""

    versions: tuple[SchemaVersion, ...]
    waiting: str
    """What the audit log has yet to take over, and what does so; empty where it knows all tables."""


@logged_step
def upgrade_tables(settings: InstitutionSettings, secrets: Secrets) -> dict[str, str]:
    """Do what ``upgraded_tables`` does, log what waits for the audit key, and return the revision of each schema."""
    done = upgraded_tables(settings, secrets)
    if done.waiting:
        logger.info("%s", done.waiting)
    return {version.schema: version.after for version in done.versions}


def upgraded_tables(settings: InstitutionSettings, secrets: Secrets) -> UpgradedTables:
    """Create or upgrade the schemas ``_gold`` and ``_results``. Every row is kept.

    The audit log takes over what was recorded before it knew a table where the audit key is here. Elsewhere nothing is
    written to it: a row without a signature cannot be signed later.
    """
    uri = secrets.text(settings.warehouse.connection_of("owner"))
    versions = tuple(upgrade_schemas(uri, settings))
    if AuditSigner(settings, secrets).key_id:
        open_log(settings, secrets, uri)
        return UpgradedTables(versions, "")
    with connect(uri) as connection:
        tables = unopened_tables(connection, settings)
    waiting = (
        f"the audit log has not taken over {', '.join(tables)}: the audit key is not here; the task open_audit_log of"
        f" dictionaries__{settings.institution} does it, or `deid tables upgrade --institution {settings.institution}`"
        f" where the secret {settings.audit_log.signing_key!r} is set"
    )
    return UpgradedTables(versions, waiting if tables else "")


@logged_step
def open_audit_log(settings: InstitutionSettings, secrets: Secrets) -> dict[str, int]:
    """Let the audit log take over what was recorded before it knew a table; return the number of these tables.

    Raises:
        SettingsError: the log is signed, and the audit key is not here.
    """
    return {"tables": len(open_log(settings, secrets, secrets.text(settings.warehouse.connection_of("audit"))))}
