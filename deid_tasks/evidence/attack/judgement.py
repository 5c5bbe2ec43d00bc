"""How well an attacker's suspicions separate leaks from surrogates."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deid_tasks.evidence.attack.corpus import Corpus

PUBLISHED_SHARE = 0.68
"""Share of the leaks that the published attack found."""
_RESAMPLES = 300


@dataclass(frozen=True)
class AttackResult:
    """The result of an attack."""

    leaks: int
    surrogates: int
    found: int
    """Leaks among as many suspects as there are leaks; a real attacker does not have that number."""
    false_alarms_at_68: int
    """Surrogates suspected before 68 % of the leaks are found, the share of the published attack."""
    area: float
    """Probability that a leak looks more suspicious than a surrogate."""
    interval: tuple[float, float]
    """95 % interval of ``area`` from resampling notes."""


def judge(corpus: Corpus, scores: Sequence[float], rng: random.Random) -> AttackResult:
    """Return how well the suspicions separate leaks from surrogates."""
    ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
    leaks = sum(m.is_leak for m in corpus.mentions)
    wanted, hits, alarms = round(PUBLISHED_SHARE * leaks), 0, 0
    for i in ranked:
        if hits >= wanted:
            break
        hits, alarms = hits + corpus.mentions[i].is_leak, alarms + (not corpus.mentions[i].is_leak)
    by_note: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for mention, score in zip(corpus.mentions, scores, strict=True):
        by_note[mention.note].append((score, mention.is_leak))
    notes = list(by_note.values())
    areas = sorted(_area(one for note in rng.choices(notes, k=len(notes)) for one in note) for _ in range(_RESAMPLES))
    return AttackResult(
        leaks,
        len(scores) - leaks,
        sum(corpus.mentions[i].is_leak for i in ranked[:leaks]),
        alarms,
        _area(one for note in notes for one in note),
        (areas[int(0.025 * _RESAMPLES)], areas[int(0.975 * _RESAMPLES)]),
    )


def _area(scored: Iterator[tuple[float, bool]]) -> float:
    """Return the area under the ROC curve, by ranks; ties count half."""
    counts: defaultdict[float, list[int]] = defaultdict(lambda: [0, 0])
    for score, is_leak in scored:
        counts[score][is_leak] += 1
    below = total = 0.0
    for score in sorted(counts):
        surrogates, leaks = counts[score]
        total += leaks * (below + surrogates / 2)
        below += surrogates
    leaks = sum(n for _, n in counts.values())
    return total / (leaks * below) if leaks and below else 0.5
