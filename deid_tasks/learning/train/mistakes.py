"""Where a model errs, and what to learn from it: the sentences themselves, or others like them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.base import Detector
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.hospital.grammar import Skeleton
from deid_tasks.learning.train.sample import Sample, frame_of
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.learning.train.simulated import write_sentences

_BATCH = 256


@dataclass(frozen=True, slots=True)
class Mistake:
    """One sentence that a model reads wrongly."""

    sample: Sample = field(repr=False)
    missed: tuple[Category, ...]
    """Of each word that is an identifier and was not found."""
    wrong: tuple[Category, ...]
    """What each word that is none was taken for."""


def find_mistakes(detector: Detector, samples: Sequence[Sample]) -> list[Mistake]:
    """Return the samples in which the detector misses a word or marks one too many; their marks are entities."""
    found = []
    for sample, spans in _read(detector, samples):
        words = split_words(sample.text)
        gold = mark_words(words, [Span(m.start, m.end, Entity(m.target), "gold") for m in sample.marks])
        said = mark_words(words, spans)
        missed = tuple(category_of(Entity(gold[word])) for word in sorted(gold.keys() - said.keys()))
        wrong = tuple(category_of(Entity(said[word])) for word in sorted(said.keys() - gold.keys()))
        if missed or wrong:
            found.append(Mistake(sample, missed, wrong))
    return found


def find_disagreements(one: Detector, other: Detector, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples in which two models do not mark the same words; no gold is needed, so it works on any text."""
    found = []
    for (sample, spans), (_, others) in zip(_read(one, samples), _read(other, samples), strict=True):
        words = split_words(sample.text)
        if mark_words(words, spans).keys() != mark_words(words, others).keys():
            found.append(sample)
    return found


def neighbours(
    mistakes: Iterable[Mistake], skeletons: Sequence[Skeleton], maker: SceneMaker, rounds: int, copies: int
) -> list[Sample]:
    """Return new fillings of the sentences in ``mistakes``: the same words around other people, places and numbers.

    Args:
        mistakes: of simulated sentences; each names the skeleton that it comes from as its group.
        skeletons: those that the sentences may come from.
        maker: gives the identifiers.
        rounds: how often a skeleton with a mistake is rendered again.
        copies: most fillings of one sentence.
    """
    frames: defaultdict[str, set[str]] = defaultdict(set)
    for mistake in mistakes:
        frames[mistake.sample.group].add(frame_of(mistake.sample))
    chosen = [skeleton for skeleton in skeletons if skeleton.name in frames]
    wanted = {frame for group in frames.values() for frame in group}
    written = write_sentences(chosen, maker, "errors", rounds, copies)
    return [sample for sample in written if frame_of(sample) in wanted]


def _read(detector: Detector, samples: Sequence[Sample]) -> Iterable[tuple[Sample, Sequence[Span]]]:
    for first in range(0, len(samples), _BATCH):
        part = samples[first : first + _BATCH]
        documents = [Document(str(number), sample.text) for number, sample in enumerate(part)]
        yield from zip(part, detector.detect(documents), strict=True)
