"""The Iceberg catalog of the published tables, and what its writers share: retries, and errors without their texts."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from deid_tasks.core.errors import DeidError, PublishError, SettingsError
from deid_tasks.engine.failures import Failure
from deid_tasks.platform.publish.properties import catalog_properties, table_location
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.partitioning import PartitionField

logger = logging.getLogger(__name__)

T = TypeVar("T")

_COMMIT_ATTEMPTS = 8
"""How often a commit is tried while others commit to the same table."""
_FIRST_PARTITION_ID = 1000
"""Iceberg numbers partition fields from here."""


def open_catalog(settings: InstitutionSettings, secrets: Secrets) -> "Catalog":
    """Return the catalog, with the namespace of the institution's tables.

    Raises:
        SettingsError: a secret is missing, or a package that this kind of catalog needs.
    """
    from pyiceberg.catalog import load_catalog
    from pyiceberg.exceptions import NotInstalledError

    properties = catalog_properties(settings, secrets)
    try:
        catalog = load_catalog("palimpsest", **properties)
    except NotInstalledError:
        kind = properties.get("type", "")
        raise SettingsError(
            f"{settings.institution}: a catalog of the type {kind!r} needs packages that are not installed; run"
            f" pip install 'pyiceberg[{kind}]'"
        ) from None
    catalog.create_namespace_if_not_exists(settings.publish.table.split(".")[0])
    return catalog


def table_exists(settings: InstitutionSettings, secrets: Secrets, table_name: str = "") -> bool:
    """Return whether a table was ever published; the notes table where no name is given.

    Raises:
        PublishError: the catalog cannot be reached.
    """
    name = table_name or settings.publish.table
    with translate_publish_errors("open", settings, name):
        return bool(open_catalog(settings, secrets).table_exists(name))


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
