"""A comparison as one self-contained HTML page. It holds no text of a note."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from deid_tasks.core.entities import Category
from deid_tasks.core.files import write_atomically
from deid_tasks.evidence.report.plots import DotRow, dot_plot

_LISTED = 30
"""Failed notes of one system that the page names."""


def write_comparison(document: Mapping[str, Any], target: Path) -> None:
    """Write the page of a comparison document.

    Raises:
        StorageError: The page cannot be written.
    """
    write_atomically(target, comparison_page(document), file_mode=0o644)


def comparison_page(document: Mapping[str, Any]) -> str:
    """Return the page as HTML."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        svg=Markup,
        share=lambda value: f"{value:.3f}",
        signed=lambda value: f"{value:+.3f}".replace("-", "−"),
        percent=lambda value: f"{value:.1%}",
        number=lambda value: "–" if value is None else f"{value:,.0f}",
        seconds=lambda value: "–" if value is None else (f"{value:,.1f}" if value >= 1 else f"{value:.3f}"),
    )
    text = files(__package__ or __name__).joinpath("page.html").read_text(encoding="utf-8")
    return environment.from_string(text).render(
        document=document,
        sets=[_set(one) for one in document["sets"]],
        absent=[system for system in document["systems"] if system["message"]],
        percent=round(100 * document["confidence"]),
    )


def _set(one: Mapping[str, Any]) -> dict[str, Any]:
    rows = [row for row in one["rows"] if row["figures"]]
    return {
        **one,
        "has_all_categories": len(one["categories"]) == len(Category),
        "ran": [{**row, "verdicts": _verdicts(row)} for row in rows],
        "absent": [row for row in one["rows"] if not row["figures"]],
        "best": _best(rows),
        "plots": [
            _plot(rows, "recall", "false_negatives", "missed"),
            _plot(rows, "precision", "false_positives", "wrong"),
        ],
        "by_category": _by_category(rows),
        "better": [text for row in rows for text in _better(row)],
        "failed": [
            {
                "title": row["title"],
                "count": len(row["failures"]),
                "listed": row["failures"][:_LISTED],
                "left_out": max(0, len(row["failures"]) - _LISTED),
            }
            for row in rows
            if row["failures"]
        ],
        "unknown": [(row["title"], row["unknown_labels"]) for row in rows if row["unknown_labels"]],
        "totals": [(row["title"], row["totals"]) for row in rows if row["totals"]],
    }


def _best(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the best value of each figure."""
    best = {}
    for name, choose in (("recall", max), ("precision", max), ("f1", max), ("full", max), ("over_redaction", min)):
        values = [row["figures"][name]["value"] for row in rows if row["figures"][name]]
        if len(values) > 1:
            best[name] = choose(values)
    return best


def _verdicts(row: Mapping[str, Any]) -> dict[str, str]:
    """Return for each metric whether the system is better or worse than ours; empty where chance could explain it."""
    verdicts = {}
    for metric, difference in row["differences"].items():
        better, worse = difference["lower"] > 0, difference["upper"] < 0
        verdicts[metric] = "better" if better else "worse" if worse else ""
    return verdicts


def _better(row: Mapping[str, Any]) -> list[str]:
    names = {"recall": "finds more", "precision": "marks fewer words needlessly for what it finds"}
    verdicts = _verdicts(row)
    return [f"{row['title']} {text}" for metric, text in names.items() if verdicts.get(metric) == "better"]


def _plot(rows: Sequence[Mapping[str, Any]], metric: str, count: str, what: str) -> str:
    dots = [
        DotRow(
            row["title"],
            row["figures"][metric]["value"],
            row["figures"][metric]["lower"],
            row["figures"][metric]["upper"],
            f"{row['figures'][metric][count]:,} {what}",
        )
        for row in rows
        if row["figures"][metric]
    ]
    return dot_plot(dots, f"{metric.capitalize()} by word, with intervals")


def _by_category(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return for each category its gold words and what each system, in the order of ``rows``, found of them."""
    found: dict[str, dict[str, Any]] = {}
    for position, row in enumerate(rows):
        for one in row["categories"]:
            entry = found.setdefault(
                one["category"],
                {"category": one["category"], "gold_words": one["gold_words"], "cells": [None] * len(rows)},
            )
            entry["cells"][position] = one
    for entry in found.values():
        values = [cell["recall"]["value"] for cell in entry["cells"] if cell]
        entry["best"] = max(values) if len(values) > 1 else None
    return [found[name] for name in sorted(found)]
