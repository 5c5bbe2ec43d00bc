"""Published tables with our figures beside or below theirs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from deid_tasks.comparison.published import layouts
from deid_tasks.comparison.published.layouts import Figures, PredictedSets
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

_FIGURES = Path(__file__).parent / "figures.json"
_COUNTS = frozenset({"gold", "missed", "false", "predicted_yes", "predicted_no"})
_OURS = "ours"

_BESIDE: Mapping[str, Callable[[PredictedSets, str], Figures]] = {
    "tokenizations": layouts.tokenizations,
    "confusion": layouts.confusion,
    "categories": layouts.categories,
    "entities": layouts.entities,
    "coarse_labels": layouts.coarse_labels,
    "fine_labels": layouts.fine_labels,
}
"""Layouts whose rows are parts of the notes: our figure stands beside the published one."""
_BELOW: Mapping[str, Callable[[PredictedSets], Figures]] = {
    "models": layouts.models,
    "names": layouts.names,
    "methods": layouts.methods,
    "people_and_places": layouts.people_and_places,
    "seconds": layouts.seconds,
}
"""Layouts whose rows are systems: ours is one more row."""


@dataclass(frozen=True)
class PublishedTable:
    """One table of a paper."""

    number: str
    caption: str
    layout: str
    datasets: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]


@dataclass(frozen=True)
class PublishedPaper:
    """A paper, and the tables of it that can be computed."""

    name: str
    paper: str
    datasets: Mapping[str, str]
    """The annotation format of each dataset; its name is that of its folder or file."""
    scale: float
    """1 for proportions, 100 for percent."""
    omitted: str
    tables: tuple[PublishedTable, ...]


@cache
def published_papers() -> Mapping[str, PublishedPaper]:
    """Return the papers by the name that ``deid reproduce`` takes."""
    papers = json.loads(_FIGURES.read_text(encoding="utf-8"))
    return {name: _paper(name, record) for name, record in papers.items()}


def reproduce_table(paper: PublishedPaper, table: PublishedTable, sets: PredictedSets) -> FigureTable:
    """Return a published table with our figures; they are missing where a dataset is.

    Args:
        paper: The paper.
        table: One of its tables.
        sets: Predictions of the datasets that are there.
    """
    is_beside = table.layout in _BESIDE
    there = {name: sets[name] for name in table.datasets if name in sets}
    # A table of several datasets shows those that are there.
    has_figures = bool(there) if table.layout == "names" else len(there) == len(table.datasets)
    rows: list[dict[str, Any]] = []
    for name, values in table.rows:
        row: dict[str, Any] = {"row": name, **dict(zip(table.columns, values, strict=True))}
        if is_beside and has_figures:
            figures = _BESIDE[table.layout](there, name)
            row |= {f"{_OURS} {key}": _scaled(key, figures.get(key), paper.scale) for key in table.columns}
        rows.append(row)
    if not is_beside:
        figures = _BELOW[table.layout](there) if has_figures else {}
        rows.append(
            {"row": "Palimpsest", **{key: _scaled(key, figures.get(key), paper.scale) for key in table.columns}}
        )
    columns = [Column("row", "")]
    for key in table.columns:
        columns.append(Column(key, key.replace("_", " "), _format(key, paper.scale)))
        if is_beside:
            columns.append(Column(f"{_OURS} {key}", _OURS, _format(key, paper.scale)))
    title = f"{paper.paper}, table {table.number}: {table.caption}"
    return FigureTable(title, columns, rows, lambda row: row["row"] == "Palimpsest")


def _scaled(key: str, value: float | None, scale: float) -> float | None:
    return value if value is None or key in _COUNTS or key == "seconds" else value * scale


def _format(key: str, scale: float) -> str:
    if key in _COUNTS:
        return COUNT
    return ".2f" if scale > 1 or key == "seconds" else ".3f"


def _paper(name: str, record: Mapping[str, Any]) -> PublishedPaper:
    tables = tuple(_table(table) for table in record["tables"])
    return PublishedPaper(name, record["paper"], record["datasets"], record["scale"], record["omitted"], tables)


def _table(record: Mapping[str, Any]) -> PublishedTable:
    rows: Sequence[Sequence[Any]] = record["rows"]
    return PublishedTable(
        record["number"],
        record["caption"],
        record["layout"],
        tuple(record["datasets"]),
        tuple(record["columns"]),
        tuple((row[0], tuple(row[1:])) for row in rows),
    )
