"""Datasets as other tools name them, after OpenLineage's rules: PostgreSQL tables, files, objects, Iceberg tables.

Names: https://openlineage.io/docs/spec/naming
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from deid_tasks.platform.publish.notes_table import PUBLISHED_SCHEMA
from deid_tasks.platform.publish.properties import table_location
from deid_tasks.platform.warehouse.dictionaries import DICTIONARIES
from deid_tasks.platform.workspace import work_dir
from deid_tasks.settings import InstitutionSettings, SchemaLayer

_POSTGRES_PORT = 5432
_NOTE_COLUMNS = {
    "note_key": "note_id",
    "patient_key": "patient_id",
    "author_key": "author_id",
    "note_type": "note_type",
    "deid_datetime": "note_datetime",
    "deid_text": "note_text",
}
"""Columns of a shard by the column of ``stg_note`` that each is made from."""
_SAME = frozenset({"note_type"})
"""Columns of a shard that are as the warehouse has them."""


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """Where one column comes from."""

    dataset: "LineageDataset"
    column: str
    is_masked: bool = False
    """Whether the values are replaced, so that none of the source's remains."""


@dataclass(frozen=True, slots=True)
class LineageDataset:
    """A dataset that a step reads or writes."""

    namespace: str
    name: str
    version: str = ""
    rows: int | None = None
    """Rows that the step wrote."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Type of each column; empty where they are not told."""
    sources: Mapping[str, tuple[ColumnSource, ...]] = field(default_factory=dict)
    """Where each column comes from."""
    catalog: tuple[str, str] = ("", "")
    """Kind and table name of an Iceberg table in its catalog."""


def warehouse_dataset(settings: InstitutionSettings, uri: str, layer: SchemaLayer, table: str) -> LineageDataset:
    """Return a table of the warehouse; ``uri`` is a connection's, of which credentials are not used."""
    namespace, database = database_address(settings, uri)
    return LineageDataset(namespace, f"{database}.{settings.schema_name(layer)}.{table}")


def database_address(settings: InstitutionSettings, uri: str) -> tuple[str, str]:
    """Return the server, as ``postgres://host:port``, and the database of the warehouse."""
    if settings.lineage.database:
        server, _, database = settings.lineage.database.partition("/")
        return f"postgres://{server}", database
    parts = urlsplit(uri)
    return f"postgres://{parts.hostname or 'localhost'}:{parts.port or _POSTGRES_PORT}", parts.path.lstrip("/")


def dictionary_tables(settings: InstitutionSettings, uri: str) -> list[LineageDataset]:
    """Return the tables from which the lexicon is compiled."""
    return [warehouse_dataset(settings, uri, "dictionaries", f"dict_{table}") for table in DICTIONARIES]


def lexicon_dataset(settings: InstitutionSettings, version: str, terms: int | None = None) -> LineageDataset:
    """Return the compiled lexicon of one version."""
    return replace(_working_files(settings, "lexicon"), version=version, rows=terms)


def shards_dataset(settings: InstitutionSettings, uri: str, notes: int | None = None) -> LineageDataset:
    """Return the files of de-identified notes before the gate; those of all runs are one dataset."""
    note = warehouse_dataset(settings, uri, "staging", "stg_note")
    sources = {column: (ColumnSource(note, source, column not in _SAME),) for column, source in _NOTE_COLUMNS.items()}
    return replace(_working_files(settings, "runs"), rows=notes, sources=sources)


def published_dataset(
    settings: InstitutionSettings, shards: LineageDataset, snapshot_id: int = 0, notes: int | None = None
) -> LineageDataset:
    """Return the published table, whose columns come from the shards."""
    renamed = {"note_datetime": "deid_datetime", "text": "deid_text"}
    columns = {name: str(PUBLISHED_SCHEMA.field(name).type) for name in PUBLISHED_SCHEMA.names}
    sources = {
        name: (ColumnSource(shards, renamed.get(name, name)),)
        for name in columns
        if renamed.get(name, name) in {*_NOTE_COLUMNS, "slice_key"}
    }
    return LineageDataset(
        f"s3://{settings.publish.bucket}",
        published_path(settings),
        version=str(snapshot_id) if snapshot_id else "",
        rows=notes,
        columns=columns,
        sources=sources,
        catalog=(settings.publish.catalog_properties.get("type", "sql"), settings.publish.table),
    )


def published_path(settings: InstitutionSettings) -> str:
    """Return the path of the published table in its bucket."""
    path = table_location(settings).removeprefix(f"s3://{settings.publish.bucket}/")
    return f"{path}/{settings.publish.table.replace('.', '/')}"


def _working_files(settings: InstitutionSettings, folder: str) -> LineageDataset:
    store = settings.work_store
    if store is None:
        return LineageDataset("file", str(work_dir(settings) / folder))
    return LineageDataset(f"s3://{store.bucket}", f"{store.prefix}/{folder}".lstrip("/"))
