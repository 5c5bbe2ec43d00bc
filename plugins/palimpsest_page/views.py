"""What the page of one institution draws: the rows of its queries as charts and tables."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deid_tasks.evidence.gate.drift import MEASURES
from palimpsest_page.charts import (
    BandBar,
    IntervalBar,
    Limit,
    LineChart,
    Point,
    Series,
    Sparkline,
    band_bar,
    interval_bar,
    line_chart,
    sparkline,
)
from palimpsest_page.figures import Figures, Row

WITHOUT_FIGURES = {
    "NotInstalled": "not installed on the worker",
    "InstallFailed": "could not be installed",
    "StartFailed": "could not be started",
    "StartTimeout": "did not load in time",
    "TimeLimit": "has not read all notes yet; goes on with the next evaluation",
    "StorageFailed": "a file could not be read or written",
}
"""What the page says of a system that has no figures, by the class of its failure."""
DESIGN_TITLES = {"random": "random (unbiased)", "stratified": "stratified (enriched)"}
_RATE = "entities_per_1000_words"
"""The figure of drift that is no share."""
_LOWEST_AXIS = 0.9
"""Bars of recall begin here, or at the lowest bound where one is lower."""


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A chart with the table that says the same."""

    key: str
    title: str
    description: str
    chart: LineChart | None
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NoteTypeRow:
    """Recall of one note type on the newest gold set."""

    note_type: str
    row: Row = field(repr=False)
    bar: IntervalBar
    course: Sparkline | None
    is_low: bool
    """Whether even the upper bound is below ``gate.stratum_recall_min``."""


@dataclass(frozen=True, slots=True)
class DriftRow:
    """One figure of a note type beside its band."""

    note_type: str
    title: str
    decimals: int
    newest: Row = field(repr=False)
    bar: BandBar | None
    course: Sparkline | None
    judged: int
    outside: int

    @property
    def state(self) -> str:
        """``good``, ``look`` or ``unknown``, for the newest run."""
        return {"within": "good", "too_few": "unknown"}.get(self.newest["last_judgement"], "look")


def design_title(design: str) -> str:
    """Return how a gold set was drawn, and what its figures hold for."""
    return DESIGN_TITLES.get(design, design)


def recall_and_precision(figures: Figures) -> list[DrawnFigure]:
    """Return a chart of recall and one of precision, with a line for each gold set."""
    gate, by_metric = figures.settings.gate, defaultdict(list)
    for row in figures.rows("over_time"):
        by_metric[row["metric"]].append(row)
    found = []
    for metric, required, limit in (
        ("recall", gate.recall_min, "required of the lower bound"),
        ("precision", gate.precision_min, "required"),
    ):
        rows = by_metric[metric]
        chart = line_chart(_by_design(rows), [Limit(f"{required:g} {limit}", required)], decimals=4, top=1.0)
        description = (
            f"Word {metric} of each evaluation with its confidence interval, a line for each gold set; the dashed line"
            f" is the {required:g} that the gate asks for."
        )
        table = [
            (f"{row['evaluated_at']:%Y-%m-%d}", design_title(row["design"]), _number(row["value"], 4),
             _interval(row), row["gold_version"])
            for row in sorted(rows, key=lambda row: (row["evaluated_at"], row["design"]), reverse=True)
        ]  # fmt: skip
        columns = ("Evaluated", "Gold set", metric.capitalize(), "Interval", "Version")
        found.append(DrawnFigure(metric, f"{metric.capitalize()} by evaluation", description, chart, columns, table))
    return found


def scores(figures: Figures) -> list[dict[str, Any]]:
    """Return the figures of the newest evaluation by gold set and metric, each beside that without dictionaries."""
    by_key = {(row["design"], row["metric"], row["variant"]): row for row in figures.rows("quality")}
    return [
        {
            **by_key[design, metric, "full"],
            "without": by_key.get((design, metric, "without_dictionaries"), {}).get("value"),
        }
        for design in DESIGN_TITLES
        for metric in ("recall", "recall_lower_bound", "precision", "f1")
        if (design, metric, "full") in by_key
    ]


def compared_systems(figures: Figures) -> list[tuple[str, list[Row]]]:
    """Return the systems on the notes of the newest evaluation by gold set: the engine first, then by recall."""
    by_design: defaultdict[str, list[Row]] = defaultdict(list)
    for row in figures.rows("compared"):
        by_design[row["design"]].append(row)
    return [(design, by_design[design]) for design in sorted(by_design, key=lambda design: design != "random")]


def note_types(figures: Figures) -> list[tuple[str, list[NoteTypeRow]]]:
    """Return the note types of each gold set with their newest recall, the lowest first."""
    limit = figures.settings.gate.stratum_recall_min
    by_type: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in figures.rows("note_types"):
        by_type[row["design"], row["note_type"]].append(row)
    # A type that the newest evaluation does not know is not shown: its gold notes are of a former set.
    newest = max((row["evaluated_at"] for row in figures.rows("note_types")), default=None)
    shown = {key: rows for key, rows in by_type.items() if rows[-1]["evaluated_at"] == newest}
    low = min([_LOWEST_AXIS, limit, *(_bounds(rows[-1])[0] for rows in shown.values())])
    by_design: defaultdict[str, list[NoteTypeRow]] = defaultdict(list)
    for (design, name), rows in shown.items():
        row = rows[-1]
        lower, upper = _bounds(row)
        course = sparkline([Point(one["evaluated_at"], one["value"]) for one in rows], "evaluations", decimals=4)
        bar = interval_bar(row["value"], lower, upper, low, limit)
        by_design[design].append(NoteTypeRow(name, row, bar, course, upper < limit))
    order = sorted(by_design, key=lambda design: design != "random")
    return [(design, sorted(by_design[design], key=lambda one: one.row["value"])) for design in order]


def throughput(figures: Figures) -> list[DrawnFigure]:
    """Return the notes of each span of days, and the worker-seconds for a thousand of them."""
    rows = figures.rows("days")
    # A day is the unit: the first and the last span of a chart are seldom whole.
    notes = [Point(row["bucket"], row["notes_read"] / row["days"]) for row in rows]
    cost = [Point(row["bucket"], seconds) for row in rows if (seconds := seconds_per_1000(row)) is not None]
    table = [
        (f"{row['bucket']:%Y-%m-%d}", _number(row["notes_read"] / row["days"], 0), _number(row["notes_read"], 0),
         _number(row["words"], 0), _number(notes_per_second(row), 1), _number(seconds_per_1000(row), 1))
        for row in reversed(rows)
    ]  # fmt: skip
    columns = ("From", "Notes a day", "Notes", "Words", "Notes a worker-second", "Worker-seconds for 1,000 notes")
    return [
        DrawnFigure(
            "notes", "Notes read a day", "Notes of a day that runs of whole days have read, by day of the notes.",
            line_chart([Series("notes a day", notes)], decimals=0, bottom=0.0), columns, table,
        ),
        DrawnFigure(
            "cost", "Worker-seconds for 1,000 notes",
            "Time of the workers that detect and replace, summed over all shards, for a thousand notes.",
            line_chart([Series("worker-seconds", cost)], decimals=1, bottom=0.0), columns, table,
        ),
    ]  # fmt: skip


def quarantine(figures: Figures) -> DrawnFigure:
    """Return the share of quarantined notes over time."""
    rows, highest = figures.rows("days"), figures.settings.gate.max_quarantined_share
    points = [Point(row["bucket"], 100 * row["quarantined"] / row["notes_read"]) for row in rows]
    table = [
        (f"{row['bucket']:%Y-%m-%d}", _number(row["notes_read"], 0), _number(row["quarantined"], 0),
         f"{row['quarantined'] / row['notes_read']:.2%}")
        for row in reversed(rows)
    ]  # fmt: skip
    return DrawnFigure(
        "quarantined",
        "Quarantined notes, % of those read",
        f"Share of the notes that were withheld, by day of the notes; a run with more than {highest:.1%} is stopped.",
        line_chart(
            [Series("quarantined", points)],
            [Limit(f"{highest:.1%} stops a run", 100 * highest)],
            decimals=2,
            bottom=0.0,
        ),
        ("From", "Notes", "Quarantined", "Share"),
        table,
    )


def reasons(figures: Figures) -> list[dict[str, Any]]:
    """Return quarantined notes by reason and kind of run, with their shares of all."""
    rows = figures.rows("reasons")
    total = sum(row["notes"] for row in rows)
    return [{**row, "share": row["notes"] / total} for row in rows]


def drift(figures: Figures) -> list[DriftRow]:
    """Return each figure of each note type: the newest run beside its band, and the course."""
    by_figure: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in figures.rows("drift"):
        by_figure[row["note_type"], row["measure"]].append(row)
    found = []
    for (note_type, measure), rows in by_figure.items():
        newest, decimals = rows[-1], 1 if measure == _RATE else 3
        if measure != _RATE and newest["highest"] is not None:
            # No share is above 1, whatever the width of the band.
            newest = {**newest, "highest": min(newest["highest"], 1.0)}
        band = None if newest["lowest"] is None else (newest["lowest"], newest["highest"])
        points = [Point(row["bucket"], row["value"]) for row in rows if row["value"] is not None]
        bar = band_bar(newest["last_value"], band[0], newest["baseline"], band[1]) if band else None
        sums = {name: sum(row[name] for row in rows) for name in ("judged", "outside")}
        title = MEASURES[measure].title if measure in MEASURES else measure
        course = sparkline(points, "spans of days", decimals=decimals, band=band)
        found.append(DriftRow(note_type, title, decimals, newest, bar, course, **sums))
    # What a person should look at comes first.
    return sorted(found, key=lambda one: (one.state != "look", one.note_type))


def seconds_per_1000(row: Mapping[str, Any]) -> float | None:
    """Return the worker-seconds for a thousand notes; ``None`` where no note was read."""
    return 1_000 * row["seconds"] / row["notes_read"] if row["notes_read"] else None


def notes_per_second(row: Mapping[str, Any]) -> float | None:
    """Return the notes that a worker reads in a second; ``None`` where no time was measured."""
    return row["notes_read"] / row["seconds"] if row["seconds"] else None


def _by_design(rows: list[Row]) -> list[Series]:
    """Return a series for each design, always in the same order, so that a design keeps its colour."""
    return [
        Series(
            design_title(design),
            [Point(row["evaluated_at"], row["value"], *_bounds(row)) for row in rows if row["design"] == design],
        )
        for design in ("random", "stratified")
    ]


def _bounds(row: Row) -> tuple[float, float]:
    lower, upper, value = row["lower"], row["upper"], row["value"]
    return (value if lower is None else lower), (value if upper is None else upper)


def _interval(row: Row) -> str:
    lower, upper = _bounds(row)
    return f"{lower:.4f} to {upper:.4f}"


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:,.{decimals}f}"
