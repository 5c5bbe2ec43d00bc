"""The publishing rules of the staging models, read from dbt's own files."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import SettingsError
from deid_tasks.core.yaml_text import parse_yaml
from deid_tasks.engine.obfuscate.tables import TableRules, table_rules


def read_contract(path: Path, wanted: Iterable[str]) -> list[TableRules]:
    """Return the rules of the ``wanted`` tables, from dbt's ``models.yml`` or ``manifest.json``.

    Raises:
        SettingsError: The file cannot be read, does not declare a table, or a column's rule is missing or wrong.
    """
    declared = {name: (model, columns) for model, name, columns in _models(path) if name}
    rules = []
    for name in wanted:
        if name not in declared:
            raise SettingsError(
                f"publish.tables: {path.name} declares no table {name!r}; choose from {', '.join(sorted(declared))}"
            )
        model, columns = declared[name]
        rules.append(table_rules(model, name, columns))
    return rules


def _models(path: Path) -> list[tuple[str, str, dict[str, dict[str, Any]]]]:
    """Return ``(model, published name or "", columns)`` for every model."""
    try:
        text = path.read_text(encoding="utf-8")
        document = json.loads(text) if path.suffix == ".json" else parse_yaml(text)
        if path.suffix == ".json":
            nodes = [node for node in document["nodes"].values() if node["resource_type"] == "model"]
        else:
            nodes = document["models"]
        return [_model(node) for node in nodes]
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SettingsError(
            f"{path}: not a models.yml or manifest.json of dbt; run `dbt parse` to see what is wrong"
        ) from None


def _model(node: Mapping[str, Any]) -> tuple[str, str, dict[str, dict[str, Any]]]:
    listed = node.get("columns") or ()
    columns = listed.values() if isinstance(listed, Mapping) else listed
    return (
        str(node["name"]),
        str(_meta(node).get("deid_table") or ""),
        {column["name"]: {"data_type": column.get("data_type"), **_meta(column)} for column in columns},
    )


def _meta(node: Mapping[str, Any]) -> dict[str, Any]:
    return dict((node.get("config") or {}).get("meta") or {})
