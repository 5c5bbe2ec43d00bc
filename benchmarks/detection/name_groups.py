"""Recall of people's names by origin group, sex, letter case and frequency: the same notes about other people.

    python -m benchmarks.detection.name_groups               # about 3 minutes of one core
    python -m benchmarks.detection.name_groups --rounds 4

Every skeleton of the dev world is written about people of one group of the US Census and one sex, with names as their
bearers' shares weigh them, and read by the public engine: no dictionary knows anybody. The notes of all groups are then
read again in small and in capital letters. Frequency is that of the word among surnames and given names of the Census,
a 100,000 people. Intervals are 95 % bootstraps over skeletons; a difference is against all other groups, on the same
resamples of skeletons. What it can't show: how names are written in notes that are not simulated.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import read_tsv
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.hospital.name_pools import GROUPS
from deid_tasks.hospital.records import Person, World
from deid_tasks.hospital.worlds import fold_for_world
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.learning.train.simulated import read_world, write
from deid_tasks.settings import EngineSettings

_PEOPLE = frozenset((Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE))
_BATCH = 100
_RESAMPLES = 1_000
_FREQUENCIES = ((50.0, "50 and more"), (5.0, "5 to 50"), (0.5, "0.5 to 5"), (0.0, "below 0.5, or unlisted"))
_COLUMNS = {"words": ",d", "missed": ",d", "recall": ".4f", "low": ".4f", "high": ".4f"}
_DIFFERENCES = {"against others": "+.4f", "low ": "+.4f", "high ": "+.4f"}


class Word(NamedTuple):
    """One word of a person's name in a note."""

    skeleton: str
    group: str
    sex: str
    frequency: str
    case: str
    is_found: bool


class GroupSceneMaker(SceneMaker):
    """Makes scenes whose people are all of one group."""

    def __init__(self, seed: int, group: str, sex: str) -> None:
        """Draw from the dev world."""
        super().__init__(World.DEV, seed)
        self._group, self._sex = group, sex

    def _person(self, sex: str) -> Person:
        return self._names.person(self._group, self._sex or sex, self.rng)


def _notes(rounds: int, seed: int) -> Iterator[tuple[str, str, str, str, list[Span]]]:
    """Yield skeleton, group, sex, text and the spans of people's names."""
    skeletons = read_world(World.DEV)
    for group in GROUPS:
        for sex in "FM":
            maker = GroupSceneMaker(seed, group, sex)
            for turn in range(rounds):
                for skeleton in skeletons:
                    maker.rng = random.Random(f"{seed} {skeleton.name} {turn}")
                    sample = write(skeleton, maker, "")
                    spans = [Span(m.start, m.end, Entity(m.target)) for m in sample.marks if m.target in _PEOPLE]
                    yield skeleton.name, group, sex, sample.text, spans


@cache
def _per_100k() -> dict[str, float]:
    counts: dict[str, float] = defaultdict(float)
    for row in read_tsv("surnames.tsv"):
        counts[fold_for_world(row["surname"])] += float(row["per_100k"])
    for row in read_tsv("given_names.tsv"):
        counts[fold_for_world(row["given_name"])] += (float(row["women_per_100k"]) + float(row["men_per_100k"])) / 2
    return counts


def _frequency(word: str) -> str:
    count = _per_100k().get(fold_for_world(word.strip(".,'’-")), 0.0)
    return next(name for least, name in _FREQUENCIES if count >= least)


def read_words(rounds: int, seed: int, case: str, change: Callable[[str], str]) -> list[Word]:
    """Return every name word of the notes of all groups, after ``change`` of the text, which keeps its length."""
    context = BatchContext(build_engine(EngineSettings.public()))
    words: list[Word] = []
    notes = [note for note in _notes(rounds, seed) if len(change(note[3])) == len(note[3])]
    for first in range(0, len(notes), _BATCH):
        batch = notes[first : first + _BATCH]
        documents = [Document(str(number), change(text)) for number, (_, _, _, text, _) in enumerate(batch)]
        for (skeleton, group, sex, text, gold), found in zip(batch, find_identifiers(documents, context), strict=True):
            places = split_words(text)
            marked = mark_words(places, found.spans)
            for index in mark_words(places, gold):
                start, end = places[index]
                words.append(Word(skeleton, group, sex, _frequency(text[start:end]), case, index in marked))
    return words


def _table(out: Results, title: str, words: Sequence[Word], key: Callable[[Word], str], order: Sequence[str]) -> None:
    """Add one row a value of ``key``, with its recall and the difference to all other values."""
    out.table(title, {"": "", **_COLUMNS, **_DIFFERENCES})
    skeletons = {name: number for number, name in enumerate(sorted({word.skeleton for word in words}))}
    counts = {value: np.zeros((len(skeletons), 2)) for value in order}
    for word in words:
        counts[key(word)][skeletons[word.skeleton]] += (word.is_found, 1)
    weights = np.random.default_rng(0).multinomial(
        len(skeletons), np.full(len(skeletons), 1 / len(skeletons)), size=_RESAMPLES
    )
    total = np.sum(list(counts.values()), axis=0)
    for value in order:
        own, others = counts[value], total - counts[value]
        if not own[:, 1].sum():
            continue
        found, all_words = own.sum(axis=0)
        recalls = _share(weights @ own)
        differences = recalls - _share(weights @ others)
        difference = found / all_words - float(_share(others.sum(axis=0)[None])[0])
        out.add(
            value, int(all_words), int(all_words - found), found / all_words, *np.quantile(recalls, (0.025, 0.975)),
            difference, *np.quantile(differences, (0.025, 0.975)),
        )  # fmt: skip


def _share(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 0] / np.maximum(sums[:, 1], 1)


def show_groups(out: Results, rounds: int, seed: int) -> None:
    """Add the tables of all groups."""
    changes: dict[str, Callable[[str], str]] = {"as written": str, "small": str.lower, "capitals": str.upper}
    words = {case: read_words(rounds if case == "as written" else 1, seed, case, do) for case, do in changes.items()}
    written = words["as written"]
    _table(out, "Origin group", written, lambda word: word.group, GROUPS)
    _table(out, "Sex", written, lambda word: word.sex, "FM")
    _table(out, "Frequency of the word", written, lambda word: word.frequency, [name for _, name in _FREQUENCIES])
    every = [word for case in words.values() for word in case]
    _table(out, "Letters of the whole note", every, lambda word: word.case, list(changes))


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="notes of each skeleton, group and sex")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with results("name-groups", "Recall of people's names by group, the public engine", arguments) as out:
        show_groups(out, arguments.rounds, arguments.seed)


if __name__ == "__main__":
    main()
