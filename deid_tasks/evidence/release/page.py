"""The release report as one self-contained HTML page, in the order in which a review board reads."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from deid_tasks.core.pem import key_fingerprint
from deid_tasks.evidence.release.equivalence import BINS, MIN_CLASS
from deid_tasks.evidence.release.signed import SignedReport
from deid_tasks.evidence.report.plots import DotRow, dot_plot

_MAX_ROWS = 30
_GROUPS = {"sex": "Sex", "age": "Age at the note, in years", "name_origin": "Origin of the name (US Census group)"}
_STATUSES = {
    "repaired": "replaced there too",
    "counted": "published as it stood",
    "quarantined": "note withheld",
    "medical": "left: a medical term",
    "retained": "left: the policy retains it there",
    "surrogate": "no leak: a surrogate that equals it by chance",
}
_OUTCOMES = {
    "published": "published, with identifiers replaced",
    "unchanged": "published as they are: no identifier was found",
    "quarantined": "withheld",
    "excluded": "left out: retracted, or of a patient without consent",
}
_SCOPES = {"note": "in the same note", "patient": "in another note of the patient"}
_ATTACKERS = {
    "guess": "guesses at random",
    "parrot": "learns from the published notes what a surrogate looks like",
    "source": "has this software and its lists, and not the key",
}

_BECOMES = {
    "keep": "stays in the text",
    "age_group": "another age of its group",
    "surrogate": "a surrogate",
    "list": "a replacement from the institution's list",
    "hash": "a keyed hash",
    "mask": "a mark, such as [DATE]",
    "stars": "asterisks, as many as characters",
    "fixed_stars": "asterisks",
    "remove": "nothing: it is removed",
}
_TREATMENTS = {
    "keep": "as in the warehouse",
    "shift": "dates, moved as the patient's are",
    "birth_date": "birth date, moved likewise, empty for the oldest",
    "entity": "surrogate",
    "entity_of": "surrogate of what another column names",
    "key": "pseudonym",
}

Row = Mapping[str, Any]


def render_release(report: SignedReport) -> str:
    """Return the page. It needs no other file, and holds nothing that the signed report does not."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        svg=Markup,
        share=_share,
        change=_change,
        percent=_percent,
        count=_count,
        about=_about,
        date=lambda value: str(value)[:10],
    )
    template = environment.from_string(files(__package__ or __name__).joinpath("page.html").read_text(encoding="utf-8"))
    content = report.content
    return template.render(
        report=content,
        signed=report,
        attestations=[
            {**one.content, "key": key_fingerprint(str(one.content["public_key"]))} for one in report.attestations
        ],
        parts=[_part(content, one) for one in content["gold"]],
        repeats=_repeats(content["safeguards"]["repeats"]),
        bins=[_bin(low, high) for low, high in BINS],
        small_classes=[_small_classes(row) for row in content["disclosure"]["classes"]],
        smallest_accepted=MIN_CLASS,
        uncovered=_uncovered(content),
        attackers=_ATTACKERS,
        outcomes=_outcomes(content["safeguards"]["outcomes"]),
        reached=_reached(content),
        missing=[name for name, value in content["context"].items() if value is None],
        policy_rows=_policy_rows(content["policy"].get("forms", ())),
        columns=_columns(content["release"]),
        patients_by_type=_patients_by_type(content["release"]),
        reidentifications=sum(
            row["acts"]
            for row in content["safeguards"]["acts"]
            if (row["event"], row["role"]) == ("reidentification", "performed")
        ),
    )


def _policy_rows(forms: Sequence[Row]) -> list[tuple[str, list[str], list[str]]]:
    """Return, for each thing that an identifier may become, what becomes it and by which rules."""
    return [
        (
            title,
            [row["means"] for row in forms if row["becomes"] == becomes],
            sorted({row["rule"] for row in forms if row["becomes"] == becomes}),
        )
        for becomes, title in _BECOMES.items()
        if any(row["becomes"] == becomes for row in forms)
    ]


def _columns(release: Row) -> dict[str, list[tuple[str, list[str]]]]:
    """Return each published table's columns by what was done to them; none where that was not recorded."""
    found: dict[str, list[tuple[str, list[str]]]] = {row["table_name"]: [] for row in release["tables"]}
    for table, treatments in release.get("columns", {}).items():
        of_title: dict[str, list[str]] = {}
        for column, treatment in treatments.items():
            of_title.setdefault(_TREATMENTS[treatment.partition(":")[0]], []).append(column)
        found[table] = sorted(of_title.items(), key=lambda item: list(_TREATMENTS.values()).index(item[0]))
    return found


def _patients_by_type(release: Row) -> dict[str, int | None]:
    """Return the patients of each note type; ``None`` in a report that did not count them."""
    counted = release.get("patients_by_type")
    return {name: counted.get(name, 0) if counted is not None else None for name in release["note_types"]}


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _change(row: Row, metric: str) -> str:
    """Return a difference to the engine with its interval."""
    values = [row[f"{metric}_difference{bound}"] for bound in ("", "_lower", "_upper")]
    return "–" if None in values else "{:+.4f} ({:+.4f} to {:+.4f})".format(*values)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _about(value: float) -> str:
    """Return an estimate with no more digits than it deserves."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _bin(low: int, high: int | None) -> str:
    return f"{low} or more" if high is None else str(low) if low == high else f"{low}–{high}"


def _small_classes(row: Row) -> int:
    """Return the patients in classes below ``MIN_CLASS``."""
    return sum(
        patients
        for (_, high), patients in zip(BINS, row["histogram"], strict=True)
        if high is not None and high < MIN_CLASS
    )


def _uncovered(content: Row) -> tuple[str, str] | None:
    """Return the newest month of the gold notes and that of the release, where the release is later."""
    newest = max((gold["written"]["last_month"] or "" for gold in content["gold"]), default="")
    released = content["release"]["written"]["last_month"] or ""
    return (newest, released) if newest and released > newest else None


def _part(content: Row, gold: Row) -> dict[str, Any]:
    rows = [row for row in content["figures"] if row["design"] == gold["design"]]
    words = [row for row in rows if row["view"] == "word"]
    overall = [row for row in rows if row["entity"] == "ALL" and not row["stratum"]]
    plain = {row["metric"]: row for row in overall if row["view"] == "word"}
    recalls = [row for row in words if row["metric"] == "recall"]
    by_name = {(row["stratum"], row["entity"]): row for row in words if row["metric"] == "precision"}
    entities = [row for row in recalls if not row["stratum"] and row["entity"] != "ALL" and _gold(row)]
    threshold = content["certificate"]["thresholds"]["stratum_recall_min"]

    def strata(kind: str) -> list[Row]:
        return [row for row in recalls if row["entity"] == "ALL" and row["stratum"].startswith(f"{kind}=")]

    return {
        "gold": gold,
        "drawn": gold.get("drawn"),
        "figures": plain,
        # A report of an earlier release compared nothing.
        "compared": [row for row in content.get("compared", ()) if row["design"] == gold["design"]],
        "low": [row for row in entities if row["upper"] < threshold],
        "category": next(
            (row for row in overall if row["view"] == "word:category" and row["metric"] == "recall"), None
        ),
        "entities": _plot([row for row in entities if ":" not in row["entity"]], "Recall by entity", by_name, None),
        "categories": _plot([row for row in entities if ":" in row["entity"]], "Recall by category", by_name, None),
        "note_types": _plot(strata("note_type"), "Recall by note type", by_name, threshold),
        "periods": _plot(strata("period"), "Recall by period", by_name, threshold, worst_first=False),
        "groups": [
            (title, _plot(found, f"Recall by {title}", by_name, None, worst_first=False), _apart(found))
            for kind, title in _GROUPS.items()
            if (found := strata(kind))
        ],
        "lacking": [title for kind, title in _GROUPS.items() if not strata(kind)],
    }


def _plot(
    rows: Sequence[Row],
    title: str,
    precisions: Mapping[tuple[str, str], Row],
    threshold: float | None,
    *,
    worst_first: bool = True,
) -> str:
    ordered = sorted(rows, key=lambda row: (row["value"] if worst_first else 0, row["stratum"], row["entity"]))
    return dot_plot([_dot(row, precisions, threshold) for row in ordered[:_MAX_ROWS]], title, threshold)


def _dot(row: Row, precisions: Mapping[tuple[str, str], Row], threshold: float | None) -> DotRow:
    name = str(row["stratum"]).partition("=")[2] or str(row["entity"]).removeprefix("category:")
    precision = precisions.get((row["stratum"], row["entity"]))
    caption = f"{row['false_negatives']:,} of {_gold(row):,} missed"
    if precision is not None:
        caption += f" · P {precision['value']:.2f}"
    is_low = threshold is not None and row["upper"] < threshold
    return DotRow(name, row["value"], row["lower"], row["upper"], caption, is_low=is_low)


def _gold(row: Row) -> int:
    return int(row["true_positives"] + row["false_negatives"])


def _apart(rows: Sequence[Row]) -> tuple[str, str] | None:
    """Return the two groups whose intervals lie furthest apart, the lower first; ``None`` where all of them meet."""
    if not rows:
        return None
    low, high = min(rows, key=lambda row: row["upper"]), max(rows, key=lambda row: row["lower"])
    names = [str(row["stratum"]).partition("=")[2] for row in (low, high)]
    return (names[0], names[1]) if high["lower"] > low["upper"] else None


def _repeats(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the counts of the second search, by what became of the values."""
    found = []
    for row in rows:
        _, scope, status = str(row["measure"]).split("_", 2)
        found.append({"scope": _SCOPES[scope], "status": _STATUSES[status], "category": row["category"],
                      "value": row["value"]})  # fmt: skip
    return found


def _outcomes(rows: Sequence[Row]) -> list[tuple[str, int]]:
    found = []
    for row in rows:
        reason = f": {row['reason'].replace('_', ' ')}" if row["reason"] else ""
        found.append((f"{_OUTCOMES.get(row['outcome'], row['outcome'])}{reason}", row["notes"]))
    return found


def _reached(content: Row) -> dict[str, Any] | None:
    """Return what the best attacker names of the expected leaks; ``None`` where it was not measured."""
    attack, residual = content["attack"], content["residual"]
    if "problem" in attack or "problem" in residual:
        return None
    rows = [row for row in attack["rows"] if row["attacker"] not in {None, "guess"}]
    measured = [row for row in rows if row["leaks_are"] == "missed by this engine"] or rows
    if not measured:
        return None
    best = max(measured, key=lambda row: row["found"] / row["leaks"])
    share = best["found"] / best["leaks"]
    return {
        "attacker": best["attacker"],
        "leaks_are": best["leaks_are"],
        "share": share,
        "expected": share * residual["identifiers"]["expected"],
        "upper": share * residual["identifiers"]["upper"],
    }
