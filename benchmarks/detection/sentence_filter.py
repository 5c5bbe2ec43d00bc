"""What the sentence filter passes over, and what is lost in it, at several thresholds.

    python -m benchmarks.detection.sentence_filter                    # about 2 minutes of one core
    python -m benchmarks.detection.sentence_filter --corpora FOLDER   # also the open sets and prose, about 5 minutes
    … --speed                                                         # also words per core-second with it and without

Each set is read once by the default engine on public resources without a filter. For each threshold the models' spans
in the sentences that the filter passes over are dropped, and what remains is merged and recovered: those are the spans
of the engine with that filter. Lost words are identifiers that it misses and the engine without a filter finds; saved
words are needless ones that it no longer marks. The prose has no gold: only the passed-over share is counted there.
"""

import json
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.support.corpora import OPEN_SETS, Row, count_words, counted_spans, hospital_rows, open_set_rows
from benchmarks.support.external_notes import SETS, external_notes
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.comparison.gold import narrowed, read_compared_set
from deid_tasks.core.detectors import is_neural
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.detect.sentence_filter import SentenceFilter
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers, run_detectors
from deid_tasks.engine.resolve import resolve_batch
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.settings import EngineSettings, SentenceFilterSettings

THRESHOLDS = (0.005, 0.01, 0.02, 0.05)
EXTERNAL = "external_a"
PROSE = ("acibench_notes_unannotated", "primock57_notes_unannotated", "mtsdialog_sections_unannotated")
_BATCH = 100
_SPEED_RUNS = 3


class NoteSet(NamedTuple):
    """Notes to be read, and the categories that they annotate; none for prose without gold."""

    name: str
    rows: Sequence[Row]
    categories: frozenset[Category]


def note_sets(corpora: Path | None, notes: int) -> Iterator[NoteSet]:
    """Yield the external notes, notes of the simulated hospital, the open sets and prose without gold."""
    for name in SETS:
        rows = [Row(Document(n.note_id, n.text), list(n.spans), [], n.note_id) for n in external_notes(name)]
        yield NoteSet(f"external, {name}", rows, frozenset(Category))
    yield NoteSet(f"{notes} simulated notes", hospital_rows(notes)[0], frozenset(Category))
    if corpora is None:
        return
    read = read_compared_set(corpora / f"{EXTERNAL}.jsonl")
    # Its times of day are not annotated.
    timeless = [narrowed(note, read.categories, frozenset({Entity.TIME})) for note in read.notes]
    rows = [Row(Document(n.note_id, n.text), list(n.spans), list(n.ignored), n.group) for n in timeless]
    yield NoteSet(EXTERNAL, rows, frozenset(Category))
    for name, categories in OPEN_SETS.items():
        yield NoteSet(name, open_set_rows(corpora / f"{name}.jsonl"), categories)
    for name in PROSE:
        lines = (corpora / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        documents = [Document(str(number), json.loads(line)["text"]) for number, line in enumerate(lines)]
        yield NoteSet(name, [Row(document, [], [], document.note_id) for document in documents], frozenset())


class Counts(NamedTuple):
    """Counts of words over notes."""

    words: int
    passed: int
    """Words of the sentences that the filter passes over."""
    missed: int
    wrong: int

    def plus(self, other: "Counts") -> "Counts":
        """Return the sums."""
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


def read_set(notes: NoteSet, context: BatchContext, filters: Sequence[SentenceFilter | None]) -> list[Counts]:
    """Return the counts of each filter; ``None`` filters nothing."""
    totals = [Counts(0, 0, 0, 0)] * len(filters)
    for first in range(0, len(notes.rows), _BATCH):
        rows = notes.rows[first : first + _BATCH]
        documents = [row.document for row in rows]
        spans = run_detectors(documents, context) if notes.categories else [{} for _ in rows]
        distinct = list({document.text[a:b]: None for document in documents for a, b in document.sentences})
        for number, one in enumerate(filters):
            kept = {distinct[index] for index in one.keeps(distinct)} if one else set(distinct)
            passed = [[(a, b) for a, b in d.sentences if d.text[a:b] not in kept] for d in documents]
            used = [
                {name: [s for s in own if not (is_neural(name) and _is_inside(s, over))] for name, own in found.items()}
                for found, over in zip(spans, passed, strict=True)
            ]
            detections = resolve_batch(documents, used, context.engine) if notes.categories else []
            counts = [
                _missed_and_wrong(row, one.spans, notes.categories) for row, one in zip(rows, detections, strict=False)
            ]
            totals[number] = totals[number].plus(
                Counts(
                    sum(len(document.text.split()) for document in documents),
                    sum(len(d.text[a:b].split()) for d, over in zip(documents, passed, strict=True) for a, b in over),
                    sum(missed for missed, _ in counts),
                    sum(wrong for _, wrong in counts),
                )
            )
    return totals


def _is_inside(span: Span, sentences: Sequence[tuple[int, int]]) -> bool:
    return any(start <= span.start < end for start, end in sentences)


def _missed_and_wrong(row: Row, found: Sequence[Span], categories: frozenset[Category]) -> tuple[int, int]:
    words = split_words(row.document.text)
    gold = mark_words(words, row.gold).keys()
    marked = mark_words(words, counted_spans(row, found, categories)).keys()
    return len(gold - marked), len(marked - gold)


def add_rows(out: Results, notes: NoteSet, counts: Sequence[Counts]) -> None:
    """Add a row for each threshold; the first counts are without a filter."""
    full = counts[0]
    for threshold, one in zip(THRESHOLDS, counts[1:], strict=True):
        scores = (one.missed, one.missed - full.missed, full.wrong - one.wrong) if notes.categories else (None,) * 3
        out.add(notes.name, len(notes.rows), one.words, threshold, one.passed / one.words, *scores)


def add_speeds(out: Results, sets: Sequence[NoteSet], engines: Sequence[EngineParts]) -> None:
    """Add the speed of the engine with the default filter and without it, in turns, on texts of each set."""
    columns = {"words": ",d", "without": ",.0f", "with": ",.0f", "times": ".2f"}
    out.table("Words per core-second of one process, the best of three", {"set": "", **columns})
    for notes in sets:
        documents = [row.document for row in notes.rows]
        best = [math.inf] * len(engines)
        for _ in range(_SPEED_RUNS):
            for number, engine in enumerate(engines):
                texts = [Document(one.note_id, one.text) for one in documents]
                began = time.process_time()
                find_identifiers(texts, BatchContext(engine))
                best[number] = min(best[number], time.process_time() - began)
        words = count_words(documents)
        out.add(notes.name, words, *(words / seconds for seconds in best), best[0] / best[1])


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--corpora", type=Path, help="folder of the open sets")
    parser.add_argument("--model", default="filter", help="the filter's model")
    parser.add_argument("--notes", type=int, default=250, help="simulated notes")
    parser.add_argument("--speed", action="store_true", help="also measure the speed; nothing else may run")
    arguments = parser.parse_args()
    settings = EngineSettings.public()
    [cascade] = settings.detect.transformers
    unfiltered = settings.detect.model_copy(
        update={"transformers": (cascade.model_copy(update={"sentence_filter": None}),)}
    )
    plain = build_engine(settings.model_copy(update={"detect": unfiltered}))
    context = BatchContext(plain)
    filters = [SentenceFilter(SentenceFilterSettings(model=arguments.model, threshold=one)) for one in THRESHOLDS]
    with results("sentence-filter", "What the sentence filter passes over, and what is lost in it", arguments) as out:
        columns = {"notes": ",d", "words": ",d", "threshold": ".4f", "passed over": ".3f"}
        counted = {"missed": ",d", "lost": "+,d", "saved": "+,d"}
        out.table("Words by threshold", {"set": "", **columns, **counted})
        sets = list(note_sets(arguments.corpora, arguments.notes))
        for notes in sets:
            add_rows(out, notes, read_set(notes, context, [None, *filters]))
        if arguments.speed:
            add_speeds(out, sets, [plain, build_engine(settings)])


if __name__ == "__main__":
    main()
