"""The Iceberg catalog of the published tables, and what its writers share: retries, and errors without their texts."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from deid_tasks.core.errors import DeidError, PublishError
from deid_tasks.engine.failures import Failure
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.partitioning import PartitionField

logger = logging.getLogger(__name__)

T = TypeVar("T")

_COMMIT_ATTEMPTS = 8
"""How often a commit is tried while others commit to the same table."""
_FIRST_PARTITION_ID = 1000
"""Iceberg numbers partition fields from here."""
_CONNECT_SECONDS, _REQUEST_SECONDS = 10, 60
"""The S3 client's own limits, 1 and 3 seconds, are too short for a busy machine or store."""


def table_location(settings: InstitutionSettings) -> str:
    """Return the S3 address that the tables lie under."""
    return f"s3://{settings.publish.bucket}/{settings.publish.prefix}"


def open_catalog(settings: InstitutionSettings, secrets: Secrets) -> "SqlCatalog":
    """Return the catalog, with the namespace of the institution's tables."""
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("palimpsest", **_properties(settings, secrets))
    catalog.create_namespace_if_not_exists(settings.publish.table.split(".")[0])
    return catalog


def institution_partition(source_id: int) -> "PartitionField":
    """Return the partition by institution; ``source_id`` is the id of the institution's field in the schema."""
    from pyiceberg.partitioning import PartitionField
    from pyiceberg.transforms import IdentityTransform

    return PartitionField(
        source_id=source_id, field_id=_FIRST_PARTITION_ID, transform=IdentityTransform(), name="institution_id"
    )


def rows_of_institution(settings: InstitutionSettings) -> "BooleanExpression":
    """Return the filter of the institution's rows."""
    from pyiceberg.expressions import EqualTo, Reference
    from pyiceberg.expressions.literals import literal

    return EqualTo(term=Reference("institution"), value=literal(settings.institution))


def rows_of_institution_with(settings: InstitutionSettings, column: str, values: Iterable[str]) -> "BooleanExpression":
    """Return the filter of the institution's rows that have one of ``values`` in ``column``; no row without values."""
    from pyiceberg.expressions import And, In, Reference
    from pyiceberg.expressions.literals import literal

    has_value = In(term=Reference(column), values={literal(value) for value in values})
    return And(rows_of_institution(settings), has_value)


def commit_with_retries(commit: Callable[[], T]) -> T:
    """Return what ``commit`` returns; call it again, up to eight times, while others commit to the same table.

    ``commit`` begins with the table as it is then. The Iceberg client itself tries a commit again upon another's, and
    reports one that touched the same files, or a base that expired meanwhile, as invalid.
    """
    import tenacity
    from pyiceberg.exceptions import CommitFailedException, ValidationException

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type((CommitFailedException, ValidationException)),
        stop=tenacity.stop_after_attempt(_COMMIT_ATTEMPTS),
        wait=tenacity.wait_random_exponential(multiplier=0.2, max=10),
        reraise=True,
    )
    return retrying(commit)


@contextmanager
def translate_publish_errors(verb: str, settings: InstitutionSettings, table: str = "") -> Iterator[None]:
    """Raise ``PublishError`` in place of errors of S3, the catalog and Arrow, and log their class and code location.

    Their texts can quote credentials and row values, so neither the log nor the error repeats them.

    Args:
        verb: what was tried: open, read or write.
        settings: the institution.
        table: the table's name in the catalog; the notes table where empty.

    Raises:
        PublishError: anything but a ``DeidError`` was raised.
    """
    try:
        yield
    except DeidError:
        raise
    except Exception as error:
        failure, name = Failure.of(error), table or settings.publish.table
        logger.error(
            "cannot %s table %s of %s: %s at %s",
            verb,
            name,
            settings.institution,
            failure.error_class,
            failure.location,
        )
        raise PublishError(
            f"cannot {verb} table {name} under {table_location(settings)}: {type(error).__name__};"
            f" check the secrets {settings.publish.object_store!r} and {settings.publish.catalog!r},"
            " and that the bucket exists"
        ) from None


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
        "s3.connect-timeout": _CONNECT_SECONDS,
        "s3.request-timeout": _REQUEST_SECONDS,
    }
    return {name: str(value) for name, value in properties.items() if value}
