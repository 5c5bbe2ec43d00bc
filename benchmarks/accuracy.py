"""Every figure of the public engine's accuracy in one run: external notes, open sets, policies, groups, calibration.

    python -m benchmarks.accuracy                            # external notes and the dev world, about 3 minutes
    python -m benchmarks.accuracy --corpora FOLDER           # also the open sets and prose, about 10 minutes
    python -m benchmarks.accuracy --rounds 2                 # also recall of names by group, 3 minutes more

Words are counted. "Category" is the share of an identifier's words that were marked with the right category; "whole
notes" the share of notes of which nothing was missed; ECE the mean distance of the spans' probabilities from the share
of identifiers among their words. Intervals are 95 % bootstraps over notes, over templates if a set has them. With an
institution's dictionaries: ``benchmarks.detection.accuracy``.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.detection.external_notes import sets
from benchmarks.detection.name_groups import show_groups
from benchmarks.support.corpora import SCORES, Row, counted_spans, hospital_rows, score, score_cells
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.entities import Category
from deid_tasks.core.policies import PRESETS
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.evidence.evaluate import Evaluation, ReliabilityTally, Scorer
from deid_tasks.evidence.evaluate.evaluation import CATEGORY_VIEW
from deid_tasks.settings import EngineSettings
from deid_tasks.settings.policy import named_policy

_BATCH = 100
_PROSE = ("acibench_notes_unannotated", "mtsdialog_sections_unannotated", "primock57_notes_unannotated")
_DEV_NOTES = 300
_DETAILS = {"category": ".4f", "whole notes": ".3f", "ECE": ".4f", "missed": ",d", "wrong": ",d"}
_Read = Callable[[Sequence[Row]], list[list[Span]]]


def _reader() -> _Read:
    context = BatchContext(build_engine(EngineSettings.public()))

    def read(rows: Sequence[Row]) -> list[list[Span]]:
        found: list[list[Span]] = []
        for first in range(0, len(rows), _BATCH):
            documents = [row.document for row in rows[first : first + _BATCH]]
            found += [list(one.spans) for one in find_identifiers(documents, context)]
        return found

    return read


def _sets(arguments: argparse.Namespace) -> Iterator[tuple[str, list[Row], frozenset[Category]]]:
    yield from sets(arguments.corpora)
    yield "simulated, dev world", hospital_rows(_DEV_NOTES)[0], frozenset(Category)
    for path in arguments.gold or ():
        notes = FORMATS["jsonl"].read(path)
        rows = [Row(Document(n.note_id, n.text), list(n.spans), [], n.note_id) for n in notes]
        yield path.stem, rows, frozenset(Category)


def _details(
    rows: Sequence[Row], found: Sequence[Sequence[Span]], evaluation: Evaluation, categories: frozenset[Category]
) -> tuple[float, ...]:
    tally = ReliabilityTally()
    for row, spans in zip(rows, found, strict=True):
        tally.add(row.document.text, row.gold, counted_spans(row, spans, categories))
    return (
        evaluation.find(view=CATEGORY_VIEW).value,
        evaluation.full_notes / evaluation.notes,
        tally.finish().expected_calibration_error,
        evaluation.find().counts.false_negatives,
        evaluation.find(metric="precision").counts.false_positives,
    )


def _show_policies(out: Results, read: Sequence[tuple[str, list[Row], list[list[Span]]]]) -> None:
    out.table("External notes by policy", {"set": "", "policy": "", **SCORES})
    for name, rows, found in read:
        for policy in PRESETS:
            scorer = Scorer(policy=named_policy(policy))
            for row, spans in zip(rows, found, strict=True):
                scorer.add(row.document.text, row.gold, spans, row.group)
            out.add(name, policy, *score_cells(scorer.finish()))


def _show_prose(out: Results, corpora: Path, read: _Read) -> None:
    """Add the share of words that are marked in prose with hardly an identifier: an upper limit of needless marks."""
    out.table("Clinical prose without gold", {"set": "", "notes": ",d", "words": ",d", "marked": ",d", "share": ".4f"})
    for name in _PROSE:
        rows = [Row(note, [], [], note.note_id) for note in _documents(corpora / f"{name}.jsonl")]
        words = marked = 0
        for row, spans in zip(rows, read(rows), strict=True):
            known = split_words(row.document.text)
            words, marked = words + len(known), marked + len(mark_words(known, spans))
        out.add(name, len(rows), words, marked, marked / words)


def _documents(path: Path) -> Iterator[Document]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Document(str(row["id"]), row["text"])


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--corpora", type=Path, help="folder of the open sets")
    parser.add_argument("--gold", type=Path, action="append", help="JSON lines of further notes with gold spans")
    parser.add_argument("--rounds", type=int, default=0, help="notes of each skeleton, group and sex")
    arguments = parser.parse_args()
    read = _reader()
    with results("accuracy", "The public engine: all figures of accuracy", arguments) as out:
        out.table("All sets", {"set": "", "documents": ",d", "words": ",d", **SCORES, **_DETAILS})
        external = []
        for name, rows, categories in _sets(arguments):
            found = read(rows)
            evaluation = score(rows, found, categories)
            cells = (*score_cells(evaluation), *_details(rows, found, evaluation, categories))
            out.add(name, len(rows), evaluation.words, *cells)
            if name.startswith("external"):
                external.append((name, rows, found))
        _show_policies(out, external)
        if arguments.corpora:
            _show_prose(out, arguments.corpora, read)
        if arguments.rounds:
            show_groups(out, arguments.rounds, seed=1)


if __name__ == "__main__":
    main()
