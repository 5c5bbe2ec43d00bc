"""Attackers: each ranks the identifiers that a reader sees by how much they look like leaks.

- ``parrot`` trains a tagger on the published notes of one half, which learns to mark what the engine marked, and
  suspects what it does not recognise in the other half (Carrell et al. 2019, doi 10.1093/jamia/ocz114, who found 68 %
  of leaks with 191 false alarms).
- ``source_attack`` has this package and its lists but not the key; it makes surrogates under its own keys, and suspects
  values that they never hold.
- ``guess`` suspects at random.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from deid_tasks.core.entities import Entity
from deid_tasks.evidence.attack.corpus import Attack, Corpus

_WORD = re.compile(r"\w+|[^\w\s]")
_EPOCHS = 4


def parrot(corpus: Corpus, rng: random.Random) -> list[float]:
    """Return minus the score of each mention by a tagger that was trained on the other half of the notes."""
    half = [rng.random() < 0.5 for _ in corpus.texts]
    scores = [0.0] * len(corpus.mentions)
    words = [list(_WORD.finditer(text)) for text in corpus.texts]
    inside = _inside(corpus, words)
    for side in (False, True):
        weights = _train([i for i, is_side in enumerate(half) if is_side is side], words, inside, rng)
        for number, mention in enumerate(corpus.mentions):
            if half[mention.note] is not side:
                indices = [k for k, w in enumerate(words[mention.note]) if mention.start <= w.start() < mention.end]
                sums = [sum(weights[f] for f in _features(words[mention.note], k)) for k in indices]
                scores[number] = -max(sums, default=0.0)
    return scores


def _inside(corpus: Corpus, words: Sequence[Sequence[re.Match[str]]]) -> list[set[int]]:
    inside: list[set[int]] = [set() for _ in corpus.texts]
    for mention in corpus.mentions:
        inside[mention.note] |= {
            k for k, word in enumerate(words[mention.note]) if mention.start <= word.start() < mention.end
        }
    return inside


def _train(
    notes: Sequence[int], words: Sequence[Sequence[re.Match[str]]], inside: Sequence[set[int]], rng: random.Random
) -> defaultdict[str, float]:
    """Train an averaged perceptron on the words of these notes."""
    weights: defaultdict[str, float] = defaultdict(float)
    totals: defaultdict[str, float] = defaultdict(float)
    examples = [(note, k) for note in notes for k in range(len(words[note]))]
    cached = {(note, k): _features(words[note], k) for note, k in examples}
    step = 0
    for _ in range(_EPOCHS):
        rng.shuffle(examples)
        for note, k in examples:
            step += 1
            features = cached[note, k]
            answer = 1.0 if k in inside[note] else -1.0
            if answer * sum(weights[f] for f in features) <= 0:
                for feature in features:
                    weights[feature] += answer
                    totals[feature] += answer * step
    return defaultdict(float, {f: weight - totals[f] / max(1, step) for f, weight in weights.items()})


def _features(words: Sequence[re.Match[str]], k: int) -> list[str]:
    """Return the features of a word: the word, its shape, its ends, and its neighbours."""
    word = words[k].group()
    around = [words[k + d].group().lower() if 0 <= k + d < len(words) else "" for d in (-3, -2, -1, 1, 2, 3)]
    shape = re.sub(r"\d", "9", re.sub(r"[a-z]", "x", re.sub(r"[A-Z]", "X", word)))
    return [
        f"w={word.lower()}",
        f"s={shape[:6]}",
        f"p={word[:3].lower()}",
        f"e={word[-3:].lower()}",
        *(f"{d}={other}" for d, other in enumerate(around)),
        f"l={around[1]} {around[2]}",
        f"r={around[3]} {around[4]}",
        f"a={around[2]} {around[3]}",
        "bias",
    ]


def source_attack(own: Iterable[Corpus]) -> Attack:
    """Return an attack by someone who has published other notes with this package under keys of their own."""
    made: defaultdict[Entity, Counter[str]] = defaultdict(Counter)
    for corpus in own:
        for mention in corpus.mentions:
            text = corpus.texts[mention.note][mention.start : mention.end]
            made[mention.entity].update(_traits(text, mention.entity))

    def suspect(corpus: Corpus, rng: random.Random) -> list[float]:
        scores = []
        for mention in corpus.mentions:
            traits = _traits(corpus.texts[mention.note][mention.start : mention.end], mention.entity)
            unseen = [made[mention.entity][trait] == 0 for trait in traits]
            scores.append((sum(unseen) / len(unseen) if unseen else 0.0) + rng.random() * 1e-6)
        return scores

    return suspect


def _traits(text: str, entity: Entity) -> list[str]:
    """Return the parts of a value that the package chooses from lists: words, and numbers by first digit and length."""
    if entity is Entity.EMAIL:
        return [text.lower().rpartition("@")[2]]
    return [
        f"{word[0]}{len(word)}" if word[0].isdigit() else word.lower()
        for word in re.findall(r"[^\W_]+", text)
        if len(word) > 2
    ]


def guess(corpus: Corpus, rng: random.Random) -> list[float]:
    """Return random suspicions."""
    return [rng.random() for _ in corpus.mentions]
