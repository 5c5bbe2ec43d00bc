"""How well models read by themselves, with the patterns and without: `python benchmarks/models.py MODEL… [--corpora FOLDER]`.

No dictionary takes part. Measured are the `dev` world (every entity, intervals over notes), names alone written in six ways, open sets that
training did not see (intervals over templates where a set has them), identifiers planted in genuine prose, and the share of words flagged in
genuine prose with none. `--errors` lists what was missed and what was wrongly found on the planted prose.

The planted prose is that which models train on with other identifiers; what it shows is whether other people are found in it.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.models.speed import open_set, simulated
from benchmarks.support.corpora import OPEN_SETS
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
from deid_tasks.evidence.evaluate import ALL, Evaluation, Figure, Scorer
from deid_tasks.hospital.name_pools import GROUPS as NAME_GROUPS
from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.records import World
from deid_tasks.learning.train.corpora import read_prose
from deid_tasks.learning.train.mixture import PROSE, TEMPLATES, all_name_words, is_held_out, medical_words
from deid_tasks.learning.train.planting import Planter
from deid_tasks.learning.train.sample import sentences_of
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.settings import MergeSettings, TransformerSettings

Row = tuple[str, list[Span], list[Span], str]
"""Text, gold, ignored, group."""
Find = Callable[[Sequence[Document]], list[list[Span]]]

WAYS: dict[str, str] = {
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


class Remembering:
    """A detector that reads each text once, however often it is asked."""

    def __init__(self, detector: Detector) -> None:
        self.name, self._detector = detector.name, detector
        self._known: dict[str, list[Span]] = {}

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """As the detector does."""
        fresh = [document for document in documents if document.text not in self._known]
        for document, spans in zip(fresh, self._detector.detect(fresh), strict=True):
            self._known[document.text] = spans
        return [self._known[document.text] for document in documents]


def finder(detectors: Sequence[Detector], *, is_recovering: bool = False) -> Find:
    """What ``detectors`` find together, merged; the public medical terms given back where ``is_recovering``."""
    lexicon = default_lexicon() if is_recovering else None

    def find(documents: Sequence[Document]) -> list[list[Span]]:
        found: list[dict[str, list[Span]]] = [{} for _ in documents]
        for detector in detectors:
            for held, spans in zip(found, detector.detect(documents), strict=True):
                held.setdefault(detector.name, []).extend(spans)
        merged = [merge_spans(d, spans, MergeSettings()) for d, spans in zip(documents, found, strict=True)]
        if lexicon is None:
            return merged
        return [list(recover(d, spans, lexicon, ()).kept) for d, spans in zip(documents, merged, strict=True)]

    return find


def score(find: Find, rows: Iterable[Row], categories: frozenset[Category], errors: Counter[str]) -> Evaluation:
    """Scores over ``rows``; what was missed and wrongly found is counted in ``errors``, with what stands around it."""
    scorer, held = Scorer(), list(rows)
    for first in range(0, len(held), 500):
        part = held[first : first + 500]
        documents = [Document(str(number), text) for number, (text, *_) in enumerate(part)]
        for (text, gold, ignored, group), spans in zip(part, find(documents), strict=True):
            kept = [s for s in spans if s.category in categories and not any(s.overlaps(other) for other in ignored)]
            scorer.add(text, gold, kept, group)
            for kind, ones, others in (("missed", gold, kept), ("wrong", kept, [*gold, *ignored])):
                for span in ones:
                    if not any(span.overlaps(other) for other in others):
                        around = text[max(0, span.start - 40) : span.start], text[span.end : span.end + 30]
                        errors[
                            f"{kind} {span.entity}: {around[0]!r} [{text[span.start : span.end]}] {around[1]!r}"
                        ] += 1
    return scorer.finish()


def names_alone(world: World, way: str, group: str, count: int, seed: int) -> list[Row]:
    """``count`` sentences with one name of ``world`` each, of people of ``group`` (all where empty), written in one way."""
    rng, pools = random.Random(seed), name_pools(world)
    rows: list[Row] = []
    while len(rows) < count:
        kind, sex = group or rng.choice(NAME_GROUPS), rng.choice("FM")
        person = pools.person(kind, sex, rng)
        last = person.last.split("-")[0]
        second = pools.person(kind, sex, rng).last.split("-")[0]
        name = WAYS[way].format(
            first=person.first, last=last, second=second, initial=person.first[0],
            FIRST=person.first.upper(), LAST=last.upper(), lower=f"{person.first} {last}".lower(),
        )  # fmt: skip
        before, after = FRAMES[len(rows) % len(FRAMES)][0].split("{}")
        entity = FRAMES[len(rows) % len(FRAMES)][1]
        text = before + name + after
        rows.append((text, [Span(len(before), len(before) + len(name), entity)], [], str(len(rows))))
    return rows


def with_marks(group: str, count: int, seed: int) -> list[Row]:
    """The usual names of ``group`` that have letters beyond ASCII."""
    rows = names_alone(World.DEV, "as usual", group, count, seed)
    return [row for row in rows if not row[0].isascii()]


def planted(paths: Sequence[Path], count: int, seed: int) -> list[Row]:
    """Sentences of genuine prose with people, places and numbers of the `dev` world in them."""
    known = medical_words() - all_name_words()
    sentences = [s for document in read_prose(paths, known.__contains__) for s in sentences_of(document)]
    random.Random(seed).shuffle(sentences)
    planter = Planter(SceneMaker(World.DEV, seed))
    rows: list[Row] = []
    for sentence in sentences:
        made = planter(sentence)
        gold = [Span(m.start, m.end, Entity(m.target)) for m in made.marks if m.target in set(Entity)]
        ignored = [Span(m.start, m.end, Entity.OTHER_ID) for m in made.marks if m.target not in set(Entity)]
        if gold:
            rows.append((made.text, gold, ignored, sentence.group))
        if len(rows) == count:
            break
    return rows


def plain_prose(paths: Sequence[Path]) -> list[Row]:
    """Sentences of genuine prose without any identifier of their own, and without a word that may be one."""
    known = medical_words() - all_name_words()
    return [
        (s.text, [], [], s.group)
        for document in read_prose(paths, known.__contains__)
        for s in sentences_of(document)
        if not s.marks and len(s.text) > 3
    ]


def line(title: str, evaluation: Evaluation) -> str:
    """One row of a table: recall and precision with intervals."""
    figures = [_figures(evaluation, metric)[ALL] for metric in ("recall", "precision")]
    cells = [f"{f.value:.4f} [{f.lower:.4f}, {f.upper:.4f}]" for f in figures]
    return f"| {title} | {cells[0]} | {cells[1]} | {evaluation.words} |"


def by_entity(evaluation: Evaluation) -> Iterable[str]:
    """Rows by entity, of those that stand in the gold."""
    recall, precision = _figures(evaluation, "recall"), _figures(evaluation, "precision")
    for name in map(str, Entity):
        if name in recall and name in precision:
            cells = [f"{f.value:.3f} [{f.lower:.3f}, {f.upper:.3f}]" for f in (recall[name], precision[name])]
            counts = recall[name].counts
            yield f"| {name} | {counts.true_positives + counts.false_negatives} | {cells[0]} | {cells[1]} |"


def _figures(evaluation: Evaluation, metric: str) -> dict[str, Figure]:
    return {figure.entity: figure for figure in evaluation.select(metric=metric)}


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", help="names of shipped models or folders")
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--names", type=int, default=400, help="sentences of each way of writing names")
    parser.add_argument("--outside-bias", type=float, default=-1.0)
    parser.add_argument("--errors", type=int, default=0)
    arguments = parser.parse_args()
    models = [
        Remembering(TransformerDetector(TransformerSettings(model=name, outside_bias=arguments.outside_bias)))
        for name in arguments.models
    ]
    patterns = Remembering(PatternDetector())
    finders = {
        "models": finder(models),
        "models and patterns": finder([patterns, *models]),
        "models and patterns, terms given back": finder([patterns, *models], is_recovering=True),
    }
    every, quiet = frozenset(Category), Counter[str]()
    print("| what | recall | precision | words |\n|---|---|---|---|")
    rows = list(simulated(arguments.notes))
    evaluations = {}
    for title, find in finders.items():
        begun = time.process_time()
        evaluations[title] = score(find, rows, every, quiet)
        print(line(f"dev world, {title}, {time.process_time() - begun:.0f} core-s", evaluations[title]), flush=True)
    alone, both = finders["models"], finders["models and patterns"]
    for way in WAYS:
        people = names_alone(World.DEV, way, "", arguments.names, 3)
        print(line(f"names, {way}", score(alone, people, every, quiet)), flush=True)
    for group in NAME_GROUPS:
        people = names_alone(World.DEV, "as usual", group, arguments.names, 4)
        print(line(f"names, Census group {group}", score(alone, people, every, quiet)), flush=True)
    marked = with_marks("", 6 * arguments.names, 5)
    if marked:
        print(line("names, letters beyond ASCII", score(alone, marked, every, quiet)), flush=True)
    if arguments.corpora:
        _open_sets(arguments.corpora, alone, both, arguments.errors)
    print("\n| entity | words | recall | precision |\n|---|---|---|---|")
    print("\n".join(by_entity(evaluations["models and patterns"])))


def _open_sets(corpora: Path, alone: Find, both: Find, errors: int) -> None:
    for name, categories in OPEN_SETS.items():
        found = open_set(corpora / f"{name}.jsonl")
        rows = [row for row in found if f"{name}.jsonl" != TEMPLATES or is_held_out(row[3])]
        print(line(f"{name}, models", score(alone, rows, categories, Counter())), flush=True)
    prose = [corpora / name for name in PROSE]
    every, listed = frozenset(Category), Counter[str]()
    print(line("planted ACI-Bench, models", score(alone, planted(prose[1:2], 1_500, 6), every, listed)), flush=True)
    plain = plain_prose(prose)
    random.Random(9).shuffle(plain)
    for title, find in (("models", alone), ("models and patterns", both)):
        rows, counted = plain[:4_000], Counter[str]()
        words = sum(len(split_words(text)) for text, *_ in rows)
        flagged = 0
        for first in range(0, len(rows), 500):
            part = [Document(str(n), row[0]) for n, row in enumerate(rows[first : first + 500])]
            for document, spans in zip(part, find(part), strict=True):
                for span in spans:
                    flagged += len(split_words(document.text[span.start : span.end]))
                    around = (
                        document.text[max(0, span.start - 40) : span.start],
                        document.text[span.end : span.end + 30],
                    )
                    counted[
                        f"flagged {span.entity}: {around[0]!r} [{document.text[span.start : span.end]}] {around[1]!r}"
                    ] += 1
        print(f"| prose without identifiers, {title}: {flagged} of {words} words flagged | {flagged / words:.4%} | | |")
        for text, count in counted.most_common(errors if title == "models" else 0):
            print(f"  {count} {text}", file=sys.stderr)
    for kind in ("missed", "wrong"):
        for text, count in Counter({k: v for k, v in listed.items() if k.startswith(kind)}).most_common(errors):
            print(f"  {count} {text}", file=sys.stderr)


if __name__ == "__main__":
    main()
