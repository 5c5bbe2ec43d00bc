"""Tables and columns that dbt's models read and write, from their compiled SQL."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from deid_tasks.platform.lineage.datasets import ColumnSource, LineageDataset, database_address
from deid_tasks.settings import InstitutionSettings

_BUILT = frozenset({"model", "snapshot"})


def models_lineage(
    settings: InstitutionSettings, uri: str, outcomes: Iterable[Any]
) -> tuple[list[LineageDataset], list[LineageDataset]]:
    """Return what the models and snapshots of one dbt build read, and what they wrote with the source of each column.

    Args:
        settings: The institution.
        uri: The connection of the build; its credentials are not used.
        outcomes: dbt's results, one a node.
    """
    from openlineage_sql import parse

    address = database_address(settings, uri)
    inputs: dict[str, LineageDataset] = {}
    outputs: list[LineageDataset] = []
    for outcome in outcomes:
        node = outcome.node
        sql = getattr(node, "compiled_code", None)
        if str(node.resource_type) not in _BUILT or not sql or str(outcome.status) != "success":
            continue
        found = parse([f"create table {node.relation_name} as\n{sql}"], dialect="postgres")
        sources: defaultdict[str, dict[tuple[str, str], ColumnSource]] = defaultdict(dict)
        for column in found.column_lineage if found else ():
            for source in column.lineage:
                origin = source.origin and _dataset(address, source.origin.qualified_name)
                if origin:
                    sources[column.descendant.name][origin.name, source.name] = ColumnSource(origin, source.name)
        known = {name: tuple(items.values()) for name, items in sources.items()}
        namespace, database = address
        outputs.append(LineageDataset(namespace, f"{database}.{node.schema}.{node.alias}", sources=known))
        for table in found.in_tables if found else ():
            if dataset := _dataset(address, table.qualified_name):
                inputs[dataset.name] = dataset
    written = {output.name for output in outputs}
    return [dataset for name, dataset in sorted(inputs.items()) if name not in written], outputs


def _dataset(address: tuple[str, str], qualified_name: str) -> LineageDataset | None:
    """Return a table by its name with schema and, where the statement says it, database.

    A name without a schema is a part of the statement and no table: ``None``.
    """
    namespace, database = address
    parts = qualified_name.split(".")
    return LineageDataset(namespace, ".".join((database, *parts[-2:]))) if len(parts) > 1 else None
