"""The Iceberg catalog that the published tables are in."""

from typing import TYPE_CHECKING

from deid_tasks.core.errors import PublishError
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.catalog.sql import SqlCatalog

ATTEMPTS = 8
"""How often a commit is tried while others commit to the same table."""


def table_location(settings: InstitutionSettings) -> str:
    """The S3 address that the tables lie under."""
    return f"s3://{settings.publish.bucket}/{settings.publish.prefix}"


def open_catalog(settings: InstitutionSettings, secrets: Secrets) -> "SqlCatalog":
    """The catalog, with the namespace of the institution's tables."""
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("palimpsest", **_properties(settings, secrets))
    catalog.create_namespace_if_not_exists(settings.publish.table.split(".")[0])
    return catalog


def failed(verb: str, settings: InstitutionSettings, error: Exception, table: str = "") -> PublishError:
    """What is said of an error: the texts of S3 and SQL errors can quote credentials and row values; their class says enough."""
    return PublishError(
        f"cannot {verb} table {table or settings.publish.table} under {table_location(settings)}: {type(error).__name__};"
        f" check the secrets {settings.publish.object_store!r} and {settings.publish.catalog!r}, and that the bucket exists"
    )


def _properties(settings: InstitutionSettings, secrets: Secrets) -> dict[str, str]:
    store = secrets.mapping(settings.publish.object_store)
    scheme, _, rest = secrets.text(settings.publish.catalog).partition("://")
    properties = {
        "uri": f"postgresql+psycopg2://{rest}" if scheme in {"postgres", "postgresql"} else f"{scheme}://{rest}",
        "warehouse": table_location(settings),
        "s3.endpoint": store.get("endpoint"),
        "s3.access-key-id": store.get("access_key"),
        "s3.secret-access-key": store.get("secret_key"),
        "s3.region": store.get("region", "us-east-1"),
    }
    return {name: str(value) for name, value in properties.items() if value}
