"""Accuracy of models by themselves, and with the patterns.

    python -m benchmarks.models.accuracy minilm                            # about 4 minutes of one core
    python -m benchmarks.models.accuracy minilm mpnet --corpora FOLDER     # both read every note; also the open sets

No dictionary takes part. Measured are the dev world (every entity, intervals over notes), names in seven spellings,
open sets that training did not see (intervals over templates if a set has them), identifiers planted in genuine prose,
and the share of words marked in genuine prose without any. Training reads the same prose with other identifiers planted
in it; the figure shows whether other people are found there. ``--errors`` prints what was missed and wrongly found in
the planted prose.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.support.corpora import (
    OPEN_SETS,
    SCORES,
    Row,
    counted_spans,
    hospital_rows,
    open_set_rows,
    score_cells,
)
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.base import Detector
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.lexicon import default_lexicon
from deid_tasks.engine.merge import merge_spans
from deid_tasks.engine.recover import recover
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import split_words
from deid_tasks.evidence.evaluate import Evaluation, Scorer
from deid_tasks.hospital.name_pools import GROUPS as NAME_GROUPS
from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.records import World
from deid_tasks.learning.train.corpora import read_prose
from deid_tasks.learning.train.mixture import PROSE, all_name_words, medical_words
from deid_tasks.learning.train.planting import Planter
from deid_tasks.learning.train.sample import sentences_of
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.settings import MergeSettings, TransformerSettings

Find = Callable[[Sequence[Document]], list[list[Span]]]
EVERY = frozenset(Category)
_BATCH = 500
_BEFORE, _AFTER = 40, 30
"""Characters printed around an error."""

SPELLINGS: dict[str, str] = {
    "as usual": "{first} {last}",
    "ALL-CAPS": "{FIRST} {LAST}",
    "lower-case": "{lower}",
    "LAST, FIRST": "{LAST}, {FIRST}",
    "hyphenated": "{first} {last}-{second}",
    "initial and last": "{initial}. {last}",
    "last alone": "{last}",
}
FRAMES = (
    ("Dr. {} was called about the potassium.", Entity.PROVIDER),
    ("I saw {} in clinic this morning for chest pain.", Entity.PATIENT),
    ("Family meeting: {} agrees with comfort care.", Entity.RELATIVE),
    ("Assessed by {} and cleared for the stairs.", Entity.PROVIDER),
    ("{} slept well and took breakfast.", Entity.PATIENT),
    ("Will ask {} to review the films.", Entity.PROVIDER),
    ("His wife {} brought the pill bottles.", Entity.RELATIVE),
    ("Patient: {}", Entity.PATIENT),
    ("Seen with {} on rounds, no new orders.", Entity.PROVIDER),
    ("signed out to {} at change of shift", Entity.PROVIDER),
)
"""Sentences with one name, and what the name is."""


class MemoizedDetector:
    """A detector that reads each text once."""

    def __init__(self, detector: Detector) -> None:
        self.name, self._detector = detector.name, detector
        self._known: dict[str, list[Span]] = {}

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document."""
        fresh = [document for document in documents if document.text not in self._known]
        for document, spans in zip(fresh, self._detector.detect(fresh), strict=True):
            self._known[document.text] = spans
        return [self._known[document.text] for document in documents]


def finder(detectors: Sequence[Detector], *, is_recovering: bool = False) -> Find:
    """Return a function from documents to the merged spans of ``detectors``, after recovery if ``is_recovering``."""
    lexicon = default_lexicon() if is_recovering else None

    def find(documents: Sequence[Document]) -> list[list[Span]]:
        found: list[dict[str, list[Span]]] = [{} for _ in documents]
        for detector in detectors:
            for by_detector, spans in zip(found, detector.detect(documents), strict=True):
                by_detector.setdefault(detector.name, []).extend(spans)
        merged = [merge_spans(d, spans, MergeSettings()) for d, spans in zip(documents, found, strict=True)]
        if lexicon is None:
            return merged
        return [list(recover(d, spans, lexicon, ()).kept) for d, spans in zip(documents, merged, strict=True)]

    return find


def score(find: Find, rows: Iterable[Row], categories: frozenset[Category], errors: Counter[str]) -> Evaluation:
    """Return the scores over ``rows``; missed and wrongly found spans are counted in ``errors`` with their context."""
    scorer, remaining = Scorer(), list(rows)
    for first in range(0, len(remaining), _BATCH):
        part = remaining[first : first + _BATCH]
        documents = [Document(str(number), row.document.text) for number, row in enumerate(part)]
        for row, found in zip(part, find(documents), strict=True):
            counted = counted_spans(row, found, categories)
            scorer.add(row.document.text, row.gold, counted, row.group)
            for kind, spans, others in (("missed", row.gold, counted), ("wrong", counted, [*row.gold, *row.ignored])):
                errors.update(
                    f"{kind} {span.entity}: {_context(row.document.text, span)}"
                    for span in spans
                    if not any(span.overlaps(other) for other in others)
                )
    return scorer.finish()


def _context(text: str, span: Span) -> str:
    before, after = text[max(0, span.start - _BEFORE) : span.start], text[span.end : span.end + _AFTER]
    return f"{before!r} [{text[span.start : span.end]}] {after!r}"


def names_alone(world: World, spelling: str, group: str, count: int, seed: int) -> list[Row]:
    """Return sentences with one name each.

    Args:
        world: Of the names.
        spelling: One of ``SPELLINGS``.
        group: The Census group of the people; empty for all groups.
        count: How many sentences.
        seed: Of the random numbers.
    """
    rng, pools = random.Random(seed), name_pools(world)
    rows: list[Row] = []
    while len(rows) < count:
        kind, sex = group or rng.choice(NAME_GROUPS), rng.choice("FM")
        person = pools.person(kind, sex, rng)
        last = person.last.split("-")[0]
        second = pools.person(kind, sex, rng).last.split("-")[0]
        name = SPELLINGS[spelling].format(
            first=person.first, last=last, second=second, initial=person.first[0],
            FIRST=person.first.upper(), LAST=last.upper(), lower=f"{person.first} {last}".lower(),
        )  # fmt: skip
        frame, entity = FRAMES[len(rows) % len(FRAMES)]
        before, after = frame.split("{}")
        number, gold = str(len(rows)), [Span(len(before), len(before) + len(name), entity)]
        rows.append(Row(Document(number, before + name + after), gold, [], number))
    return rows


def planted(paths: Sequence[Path], count: int, seed: int) -> list[Row]:
    """Return sentences of genuine prose with people, places and numbers of the dev world planted in them."""
    known = medical_words() - all_name_words()
    sentences = [s for document in read_prose(paths, known.__contains__) for s in sentences_of(document)]
    random.Random(seed).shuffle(sentences)
    planter = Planter(SceneMaker(World.DEV, seed))
    entities = set(map(str, Entity))
    rows: list[Row] = []
    for sentence in sentences:
        sample = planter(sentence)
        gold = [Span(m.start, m.end, Entity(m.target)) for m in sample.marks if m.target in entities]
        ignored = [Span(m.start, m.end, Entity.OTHER_ID) for m in sample.marks if m.target not in entities]
        if gold:
            rows.append(Row(Document(str(len(rows)), sample.text), gold, ignored, sentence.group))
        if len(rows) == count:
            break
    return rows


def plain_prose(paths: Sequence[Path]) -> list[Row]:
    """Return sentences of genuine prose without identifiers, and without a word that may be one."""
    known = medical_words() - all_name_words()
    sentences = [s for document in read_prose(paths, known.__contains__) for s in sentences_of(document)]
    return [
        Row(Document(str(number), s.text), [], [], s.group)
        for number, s in enumerate(sentences)
        if not s.marks and len(s.text) > 3
    ]


def show_names(out: Results, find: Find, count: int) -> None:
    """Add the rows of names in each spelling, of each Census group, and beyond ASCII."""
    unused = Counter[str]()
    for spelling in SPELLINGS:
        rows = names_alone(World.DEV, spelling, "", count, 3)
        _add(out, f"names, {spelling}", score(find, rows, EVERY, unused))
    for group in NAME_GROUPS:
        rows = names_alone(World.DEV, "as usual", group, count, 4)
        _add(out, f"names, Census group {group}", score(find, rows, EVERY, unused))
    rows = [r for r in names_alone(World.DEV, "as usual", "", 6 * count, 5) if not r.document.text.isascii()]
    if rows:
        _add(out, "names, letters beyond ASCII", score(find, rows, EVERY, unused))


def show_open_sets(out: Results, finders: dict[str, Find], corpora: Path, max_errors: int) -> None:
    """Add the rows of the open sets and of planted prose, and the table of words marked in plain prose."""
    alone, errors = finders["models"], Counter[str]()
    for name, categories in OPEN_SETS.items():
        rows = open_set_rows(corpora / f"{name}.jsonl")
        _add(out, f"{name}, models", score(alone, rows, categories, Counter()))
    prose = [corpora / name for name in PROSE]
    _add(out, "planted ACI-Bench, models", score(alone, planted(prose[1:2], 1_500, 6), EVERY, errors))
    plain = plain_prose(prose)
    random.Random(9).shuffle(plain)
    rows = plain[:4_000]
    words = sum(len(split_words(row.document.text)) for row in rows)
    out.table("Genuine prose without identifiers", {"detectors": "", "words": ",d", "marked": ",d", "share": ".4%"})
    for name in ("models", "models and patterns"):
        marked = 0
        for first in range(0, len(rows), _BATCH):
            documents = [row.document for row in rows[first : first + _BATCH]]
            for document, spans in zip(documents, finders[name](documents), strict=True):
                marked += sum(len(split_words(document.text[span.start : span.end])) for span in spans)
                if name == "models":
                    errors.update(f"marked {span.entity}: {_context(document.text, span)}" for span in spans)
        out.add(name, words, marked, marked / words)
    for kind in ("missed", "wrong", "marked"):
        listed = Counter({text: count for text, count in errors.items() if text.startswith(kind)})
        for text, count in listed.most_common(max_errors):
            print(f"  {count} {text}", file=sys.stderr)


def show_entities(out: Results, evaluation: Evaluation) -> None:
    """Add the table of entities that the gold spans hold."""
    out.table("By entity, dev world, models and patterns", {"entity": "", "gold words": ",d", **SCORES})
    for name in map(str, Entity):
        try:
            counts = evaluation.find(entity=name).counts
            cells = score_cells(evaluation, name)
        except KeyError:
            continue  # The notes hold no such entity.
        out.add(name, counts.true_positives + counts.false_negatives, *cells)


def _add(out: Results, title: str, evaluation: Evaluation, seconds: float | None = None) -> None:
    out.add(title, *score_cells(evaluation), evaluation.words, seconds)


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("models", nargs="+", help="names of shipped models, or folders")
    parser.add_argument("--corpora", type=Path, help="folder of the open sets and of the prose")
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--names", type=int, default=400, help="sentences of each spelling of names")
    parser.add_argument("--outside-bias", type=float, default=-1.0)
    parser.add_argument("--errors", type=int, default=0, help="errors printed of each kind")
    arguments = parser.parse_args()
    models = [
        MemoizedDetector(TransformerDetector(TransformerSettings(model=name, outside_bias=arguments.outside_bias)))
        for name in arguments.models
    ]
    patterns = MemoizedDetector(PatternDetector())
    finders = {
        "models": finder(models),
        "models and patterns": finder([patterns, *models]),
        "models and patterns, medical terms recovered": finder([patterns, *models], is_recovering=True),
    }
    names = "-".join(Path(name).name for name in arguments.models)
    with results(f"model-accuracy-{names}", f"Accuracy of {names}", arguments) as out:
        out.table("Models", {"what": "", **SCORES, "words": ",d", "core-s": ".0f"})
        rows, _ = hospital_rows(arguments.notes, 3)
        evaluations = {}
        for title, find in finders.items():
            began = time.process_time()
            evaluations[title] = score(find, rows, EVERY, Counter())
            _add(out, f"dev world, {title}", evaluations[title], time.process_time() - began)
        show_names(out, finders["models"], arguments.names)
        if arguments.corpora:
            show_open_sets(out, finders, arguments.corpora, arguments.errors)
        show_entities(out, evaluations["models and patterns"])


if __name__ == "__main__":
    main()
