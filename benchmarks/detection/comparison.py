"""The engine beside other de-identification systems, each in its own environment, on all open sets.

    python -m benchmarks.detection.comparison --corpora FOLDER                 # environments are made on first use
    … --systems palimpsest,presidio --limit 100 --cache FOLDER --report page.html

The sets: external notes with planted identifiers (``external_a``), spoken handovers, social media, Presidio's own
templates (those that the engine's models were not trained on), and notes of the simulated hospital. Answers are stored
by system version: a second run is quick.
"""

from pathlib import Path

from benchmarks.support.corpora import OPEN_SETS, Row, hospital_rows, open_set_rows
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.cli.comparison import DEFAULT_SYSTEMS
from deid_tasks.comparison.comparison import ComparisonSettings, compare_systems
from deid_tasks.comparison.document import Document
from deid_tasks.comparison.gold import ComparedNote, ComparedSet, narrowed, read_compared_set
from deid_tasks.comparison.registry import parse_systems
from deid_tasks.comparison.report import write_comparison
from deid_tasks.comparison.run import system_launcher
from deid_tasks.core.entities import Category, Entity

EXTERNAL = "external_a"
"""Its times of day are not annotated."""
COLUMNS = {
    "recall": ".3f",
    "recall low": ".3f",
    "recall high": ".3f",
    "precision": ".3f",
    "precision low": ".3f",
    "precision high": ".3f",
    "F1": ".3f",
    "notes with nothing missed": ".3f",
    "needless words per 1,000": ".1f",
    "failed notes": ",d",
    "words per core-second": ",.0f",
}


class PrintedProgress:
    """Says on standard output what is installed."""

    def announce(self, text: str) -> None:
        """Print what takes minutes."""
        if text.startswith("installing"):
            print(text, flush=True)

    def count(self, notes: int) -> None:
        """Print nothing."""


def open_sets(corpora: Path, limit: int | None) -> list[ComparedSet]:
    """Return the open sets of a folder, each with the categories that it annotates."""
    sets = []
    external = corpora / f"{EXTERNAL}.jsonl"
    if external.exists():
        read = read_compared_set(external, limit=limit)
        without = frozenset({Entity.TIME})
        notes = [narrowed(note, read.categories, without) for note in read.notes]
        sets.append(ComparedSet(EXTERNAL, notes, read.categories, without))
    for name, categories in OPEN_SETS.items():
        sets.append(_set_of(name, open_set_rows(corpora / f"{name}.jsonl")[:limit], categories))
    return sets


def _set_of(name: str, rows: list[Row], categories: frozenset[Category]) -> ComparedSet:
    notes = [
        ComparedNote(row.document.note_id, row.document.text, tuple(row.gold), row.group, tuple(row.ignored))
        for row in rows
    ]
    return ComparedSet(name, [narrowed(note, categories, frozenset()) for note in notes], categories)


def add_tables(out: Results, document: Document) -> None:
    """Add a table of scores, one of categories and one of differences."""
    out.table("Scores by word", {"set": "", "system": "", **COLUMNS})
    for one in document["sets"]:
        for row in one["rows"]:
            out.add(one["name"], row["title"], *_cells(row))
    out.table("Found words of each category", {"set": "", "category": "", "words": ",d", "system": "", "share": ".3f"})
    for one in document["sets"]:
        for row in one["rows"]:
            for cell in row.get("categories", ()):
                found = cell["recall"]["value"]
                out.add(one["name"], cell["category"], cell["gold_words"], row["title"], found)
    columns = {"difference": "+.3f", "low": "+.3f", "high": "+.3f"}
    out.table("Minus Palimpsest, paired", {"set": "", "system": "", "figure": "", **columns})
    for one in document["sets"]:
        for row in one["rows"]:
            for metric, difference in row.get("differences", {}).items():
                out.add(one["name"], row["title"], metric, *(difference[key] for key in ("value", "lower", "upper")))
    out.table("Systems", {"system": "", "version": "", "seconds to start": ".1f", "did not run because": ""})
    for system in document["systems"]:
        out.add(system["title"], system["version"], system["start_up_seconds"], system["message"])


def _cells(row: Document) -> list[float | None]:
    figures = row["figures"]
    if figures is None:
        return [None] * len(COLUMNS)
    # A system that marks nothing has no precision.
    ends = [(figures[name] or {}).get(end) for name in ("recall", "precision") for end in ("value", "lower", "upper")]
    others = [figures[name]["value"] for name in ("f1", "full", "over_redaction")]
    speed = row["speed"]["words_per_core_second"] if row["speed"] else None
    return [*ends, *others, len(row["failures"]), speed]


def main() -> None:
    """Compare, print and store the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the open sets")
    parser.add_argument("--systems", default=DEFAULT_SYSTEMS)
    parser.add_argument("--limit", type=int, help="documents of each set at most")
    parser.add_argument("--notes", type=int, default=100, help="notes of the simulated hospital; 0 for none")
    parser.add_argument("--cache", type=Path, default=Path(".run") / "compare")
    parser.add_argument("--report", type=Path, help="also write the page")
    arguments = parser.parse_args()
    sets = open_sets(arguments.corpora, arguments.limit)
    if arguments.notes:
        rows, _ = hospital_rows(arguments.notes)
        sets.append(_set_of("dev world", rows, frozenset(Category)))
    progress = PrintedProgress()
    launch = system_launcher(arguments.cache, progress.announce)
    choices = parse_systems(arguments.systems.split(","))
    document = compare_systems(sets, choices, ComparisonSettings(arguments.cache), launch, progress)
    with results("comparison", "De-identification systems on the same notes", arguments) as out:
        add_tables(out, document)
    if arguments.report:
        write_comparison(document, arguments.report)


if __name__ == "__main__":
    main()
