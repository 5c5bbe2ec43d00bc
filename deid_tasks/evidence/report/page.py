"""The report page: the figures of an evaluation as words, tables and plots in one self-contained HTML file."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import PRIVATE_FILE, write_atomically
from deid_tasks.evidence.evaluate import CATEGORY_VIEW
from deid_tasks.evidence.report.plots import DotRow, dot_plot

_VIEWS = {
    "word": "words of letters and digits, identifier or not (the headline)",
    CATEGORY_VIEW: "the same; the category must be correct",
    "word:type": "the same; the fine type must be correct",
    "word/space": "words between spaces",
    "word/space+relaxed": "words between spaces, without punctuation at their ends",
    "word/treebank": "Treebank tokens",
    "word/treebank+relaxed": "Treebank tokens, without punctuation at their ends",
    "entity:strict": "whole identifiers, exact bounds and type",
    "entity:partial": "whole identifiers, half credit for overlap",
    "entity:overlap60": "whole identifiers, 60 % of the characters covered",
    "entity:any": "whole identifiers, any part covered",
}
_GROUPS = {
    "A": "HIPAA Safe Harbor identifiers alone",
    "B": "group A, providers and user names",
    "C": "group B, facilities, states and countries",
}
DESIGNS = {
    "stratified": (
        "Stratified sample, enriched in identifiers. It shows what is missed;"
        " its figures are not representative of all notes."
    ),
    "random": "Simple random sample: every note had the same probability. Its figures are unbiased for all notes.",
    "": "A gold set from files; how its notes were drawn is not known.",
}
_MAX_ROWS = 30

Document = Mapping[str, Any]


def write_report(document: Document, target: Path, *, title: str = "", restricted: Path | None = None) -> None:
    """Write one self-contained HTML page.

    Args:
        document: ``{"certificate": … or None, "evaluations": [{"design", "gold_version", "variants": {"full": …}}]}``,
            each variant as ``Evaluation.document()`` gives it; ``"history"`` may hold ``{issued_at, recall,
            recall_lower_bound, precision}`` of earlier evaluations, the oldest first.
        target: The file. It appears only when it is complete; it is readable by its owner alone if it holds note text.
        title: What is evaluated; the certificate's institution by default.
        restricted: The institution's restricted folder. A document with terms of notes is written under it and nowhere
            else.

    Raises:
        InputError: The page would hold note text outside ``restricted``.
        StorageError: The page cannot be written.
    """
    holds_text = any("terms" in _full(part) for part in document["evaluations"])
    if holds_text and (restricted is None or not target.resolve().is_relative_to(restricted.resolve())):
        raise InputError(
            f"{target}: a report with terms of notes must be written under the restricted work_dir; choose a file there"
        )
    page = _render(document, title, holds_text=holds_text)
    write_atomically(target, page, file_mode=PRIVATE_FILE if holds_text else 0o644)


def _render(document: Document, title: str, *, holds_text: bool) -> str:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    certificate = document.get("certificate") or {}
    thresholds = certificate.get("thresholds") or {}
    parts = [_part(part, thresholds) for part in document["evaluations"]]
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        svg=Markup, share=lambda value: f"{value:.4f}", percent=lambda value: f"{value:.1%}", interval=_interval
    )
    template = environment.from_string(files(__package__ or __name__).joinpath("page.html").read_text(encoding="utf-8"))
    return template.render(
        title=title or certificate.get("institution") or "Evaluation",
        certificate=certificate,
        thresholds=thresholds,
        verdict=certificate.get("verdict", ""),
        parts=parts,
        history=_history(document.get("history") or (), thresholds),
        holds_text=holds_text,
        designs=DESIGNS,
    )


def _interval(figure: Document) -> str:
    """Return recall or precision with its interval; a dash for 0/0, which is stored as 1.0 with a bound of 0."""
    if figure["value"] == 1.0 and figure["exact_lower"] == 0.0:
        return "–"
    return f"{figure['value']:.4f} ({figure['lower']:.4f}–{figure['upper']:.4f})"


def _full(part: Document) -> Document:
    variants: Mapping[str, Document] = part["variants"]
    return variants.get("full") or next(iter(variants.values()))


class _Figures:
    """The figures of one variant, by name."""

    def __init__(self, document: Document) -> None:
        self._rows: Sequence[Document] = document["figures"]
        self._by_name = {(r["view"], r["stratum"], r["entity"], r["metric"]): r for r in self._rows}

    def get(self, view: str, metric: str, stratum: str = "", entity: str = "ALL") -> Document | None:
        return self._by_name.get((view, stratum, entity, metric))

    def entities(self) -> list[Document]:
        rows = [r for r in self._rows if r["view"] == "word" and not r["stratum"] and r["metric"] == "recall"]
        return [r for r in rows if r["entity"] != "ALL" and ":" not in r["entity"] and _gold(r)]

    def strata(self, kind: str) -> list[Document]:
        rows = [r for r in self._rows if r["view"] == "word" and r["metric"] == "recall" and r["entity"] == "ALL"]
        return [r for r in rows if r["stratum"].startswith(f"{kind}=")]


def _part(part: Document, thresholds: Document) -> dict[str, Any]:
    full = _full(part)
    figures = _Figures(full)
    recall, precision = figures.get("word", "recall"), figures.get("word", "precision")
    assert recall is not None
    assert precision is not None
    stratum_min = thresholds.get("stratum_recall_min")
    note_types = figures.strata("note_type")
    return {
        "design": part.get("design", ""),
        "gold_version": part.get("gold_version", ""),
        "full": full,
        "recall": recall,
        "precision": precision,
        "missed_per_1000": 1_000 * (1 - recall["value"]),
        "missed_at_most": 1_000 * (1 - full["recall_lower_bound"]),
        "over_redaction": figures.get("word", "over_redaction"),
        "notes_full": figures.get("word", "full"),
        "headline": _headline(full, figures, thresholds),
        "entities": _plot(figures.entities(), "Recall by entity, worst first", None),
        "note_types": _plot(note_types, "Recall by note type, worst first", stratum_min),
        "left_out": max(0, len(note_types) - _MAX_ROWS),
        "periods": _plot(
            sorted(figures.strata("period"), key=lambda r: str(r["stratum"])),
            "Recall by period",
            None,
            worst_first=False,
        ),
        "views": [
            (title, figures.get(view, "recall"), figures.get(view, "precision"), figures.get(view, "f1"))
            for view, title in _VIEWS.items()
            if figures.get(view, "recall")
        ],
        "groups": [
            (
                f"group {group}: {title}",
                figures.get("word", "recall", f"group={group}"),
                figures.get("word", "precision", f"group={group}"),
                figures.get("word", "f1", f"group={group}"),
            )
            for group, title in _GROUPS.items()
            if figures.get("word", "recall", f"group={group}")
        ],
        "variants": _variants(part["variants"]),
        "errors": full["errors"],
        "terms": full.get("terms") or [],
    }


def _headline(full: Document, figures: _Figures, thresholds: Document) -> list[str]:
    recall, precision = figures.get("word", "recall"), figures.get("word", "precision")
    assert recall is not None
    assert precision is not None
    recall_min, precision_min = thresholds.get("recall_min"), thresholds.get("precision_min")
    bound = full["recall_lower_bound"]
    found = DotRow(
        "words found (recall)",
        recall["value"],
        recall["lower"],
        recall["upper"],
        f"bound {bound:.4f}",
        bound,
        is_low=recall_min is not None and bound < recall_min,
    )
    right = DotRow(
        "correct marks (precision)",
        precision["value"],
        precision["lower"],
        precision["upper"],
        f"{precision['false_positives']:,} wrong",
        is_low=precision_min is not None and precision["value"] < precision_min,
    )
    return [
        dot_plot([found], "Recall, its interval and its lower bound against the threshold", recall_min),
        dot_plot([right], "Precision and its interval against the threshold", precision_min),
        *_category_plot(figures.get(CATEGORY_VIEW, "recall"), thresholds.get("category_min")),
    ]


def _category_plot(share: Document | None, category_min: float | None) -> list[str]:
    """Return the plot of the words with the right category; evaluations of early releases do not have the figure."""
    if share is None:
        return []
    row = DotRow(
        "in the right category",
        share["value"],
        share["lower"],
        share["upper"],
        f"{share['false_negatives']:,} not",
        is_low=category_min is not None and share["value"] < category_min,
    )
    return [dot_plot([row], "Share of words with the right category against the threshold", category_min)]


def _plot(rows: Sequence[Document], title: str, threshold: float | None, *, worst_first: bool = True) -> str:
    if worst_first:
        rows = sorted(rows, key=lambda r: (r["value"], -r["false_negatives"], str(r["stratum"]), str(r["entity"])))
    dots = [
        DotRow(
            (r["stratum"].partition("=")[2] or r["entity"]) if r["stratum"] else r["entity"],
            r["value"],
            r["lower"],
            r["upper"],
            f"{r['false_negatives']:,} of {_gold(r):,} words missed",
            is_low=threshold is not None and r["upper"] < threshold,
        )
        for r in rows
        if _gold(r)
    ]
    return dot_plot(dots[:_MAX_ROWS], title, threshold)


def _variants(variants: Mapping[str, Document]) -> list[tuple[str, Document | None, Document | None]]:
    if len(variants) < 2:
        return []
    found = [(name, _Figures(document)) for name, document in variants.items()]
    return [(name.replace("_", " "), f.get("word", "recall"), f.get("word", "precision")) for name, f in found]


def _history(rows: Sequence[Document], thresholds: Document) -> str:
    """Return the plot of earlier evaluations, the newest last."""
    dots = [
        DotRow(
            str(row["issued_at"])[:10],
            row["recall"],
            row["recall_lower_bound"],
            row["recall"],
            f"precision {row['precision']:.4f}",
            row["recall_lower_bound"],
            is_low=row["recall_lower_bound"] < thresholds.get("recall_min", 0),
        )
        for row in rows[-_MAX_ROWS:]
    ]
    return dot_plot(dots, "Recall of earlier evaluations and its bound", thresholds.get("recall_min"))


def _gold(row: Document) -> int:
    return int(row["true_positives"] + row["false_negatives"])
