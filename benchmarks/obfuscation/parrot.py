"""The parrot attack: can a reader of published notes tell leaked identifiers from surrogates?

    python -m benchmarks.obfuscation.parrot --notes 300 --seeds 3    # about 5 minutes of one core

Notes of a simulated hospital are de-identified with some identifiers left in. Attackers rank every identifier that a
careful reader sees, real or surrogate, by how much it looks like a leak. Leaks are planted in two ways: any identifier
with the same probability, and identifiers that a weaker detector (the patterns alone) misses, since the leaks of a real
engine have something in common.

- parrot: trains a tagger on the published notes of one half, which learns to mark what the engine marked, and suspects
what it does not recognize in
  the other half (Carrell et al. 2019, doi 10.1093/jamia/ocz114, who found 68 % of leaks with 191 false alarms).
- source: has this package and its lists but not the key; makes surrogates under its own keys, and suspects values that
they never hold. - guess: suspects at random.

With masks instead of surrogates every leak can be read off the page: 100 %.
"""

import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.support.corpora import record_of
from benchmarks.support.results import parser_of, results
from deid_tasks.core.entities import GROUP_ENTITIES, Entity, Group
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import GoldNote, Hospital, HospitalSpec, World
from deid_tasks.settings import ObfuscateSettings, PolicySettings

_WORD = re.compile(r"\w+|[^\w\s]")
_UNCHANGED = frozenset({Entity.TIME, Entity.AGE})
_EPOCHS = 4
_OWN_KEYS = 4
_RESAMPLES = 300


@dataclass(frozen=True)
class Mention:
    """One identifier that a reader of the published note sees."""

    note: int
    start: int
    end: int
    entity: Entity
    is_leak: bool


@dataclass(frozen=True)
class Corpus:
    """Published notes, and every identifier that a reader sees in them."""

    texts: list[str]
    mentions: list[Mention]


Attack = Callable[[Corpus, random.Random], list[float]]
"""A function from a corpus to a suspicion for each mention; higher is more like a leak."""


def publish(
    hospital: Hospital, notes: Sequence[GoldNote], share: float, key: bytes, *, is_missed: bool, rng: random.Random
) -> Corpus:
    """Return the notes with surrogates, and with about ``share`` of their identifiers unchanged."""
    records = {patient.patient_id: record_of(patient) for patient in hospital.patients}
    hide = Obfuscator(key, "parrot", PolicySettings(), ObfuscateSettings(key="key"))
    shown = GROUP_ENTITIES[Group.C] - _UNCHANGED
    documents = [Document(note.note_id, note.text, note.patient_id) for note in notes]
    spans = [[span for span in note.spans if span.entity in shown] for note in notes]
    candidates = [(i, span) for i, some in enumerate(spans) for span in some]
    wanted = round(share * len(candidates))
    if is_missed:
        missed = _missed(documents, spans)
        candidates = [one for one in candidates if one in missed]
    leaks = set(rng.sample(candidates, min(wanted, len(candidates))))
    texts: list[str] = []
    mentions: list[Mention] = []
    for i, (note, document) in enumerate(zip(notes, documents, strict=True)):
        kept = [span for span in note.spans if (i, span) not in leaks]
        made = hide.obfuscate(document, kept, records[note.patient_id], note.note_datetime)
        texts.append(made.text)
        moves = list(zip(made.originals, made.replaced, strict=True))
        mentions += [Mention(i, *_moved(span, moves), span.entity, (i, span) in leaks) for span in spans[i]]
    return Corpus(texts, mentions)


def _missed(documents: Sequence[Document], spans: Sequence[Sequence[Span]]) -> set[tuple[int, Span]]:
    """Return the identifiers that the patterns do not find."""
    found = PatternDetector({}).detect(documents)
    return {
        (i, span)
        for i, (some, hits) in enumerate(zip(spans, found, strict=True))
        for span in some
        if not any(hit.start < span.end and span.start < hit.end for hit in hits)
    }


def _moved(span: Span, moves: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> tuple[int, int]:
    """Return the offsets of the span's text in the published note."""
    shift = 0
    for (start, end), (new_start, new_end) in moves:
        if start < span.end and span.start < end:
            return new_start, new_end
        if end > span.start:
            break
        shift = new_end - end
    return span.start + shift, span.end + shift


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


def source_attack(hospital: Hospital, notes: Sequence[GoldNote]) -> Attack:
    """Return an attack by someone who runs this package under keys of its own over other notes."""
    made: defaultdict[Entity, Counter[str]] = defaultdict(Counter)
    for number in range(_OWN_KEYS):
        own = publish(
            hospital, notes, 0.0, hashlib.sha256(b"own %d" % number).digest(), is_missed=False, rng=random.Random(0)
        )
        for mention in own.mentions:
            made[mention.entity].update(_traits(own.texts[mention.note][mention.start : mention.end], mention.entity))

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


@dataclass(frozen=True)
class Result:
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


def judge(corpus: Corpus, scores: Sequence[float], rng: random.Random) -> Result:
    """Return how well the suspicions separate leaks from surrogates."""
    ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
    leaks = sum(m.is_leak for m in corpus.mentions)
    wanted, hits, alarms = round(0.68 * leaks), 0, 0
    for i in ranked:
        if hits >= wanted:
            break
        hits, alarms = hits + corpus.mentions[i].is_leak, alarms + (not corpus.mentions[i].is_leak)
    by_note: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for mention, score in zip(corpus.mentions, scores, strict=True):
        by_note[mention.note].append((score, mention.is_leak))
    notes = list(by_note.values())
    areas = sorted(_area(one for note in rng.choices(notes, k=len(notes)) for one in note) for _ in range(_RESAMPLES))
    return Result(
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


def main() -> None:
    """Run each attack on each kind of leak under each seed."""
    parser = parser_of(__doc__)
    parser.add_argument("--world", type=World, choices=list(World), default=World.DEV)
    parser.add_argument("--notes", type=int, default=300, help="published notes, 200 or more")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.02, help="share of identifiers that leak")
    arguments = parser.parse_args()
    notes = arguments.notes
    spec = HospitalSpec("parrot", arguments.world, seed=1, patients=150, providers=40, notes=notes)
    hospital = build_hospital(spec)
    written = list(write_notes(hospital))
    elsewhere = build_hospital(HospitalSpec("elsewhere", World.TRAIN, seed=2, patients=150, providers=40, notes=notes))
    attacks: dict[str, Attack] = {
        "guess": guess,
        "parrot": parrot,
        "source": source_attack(elsewhere, list(write_notes(elsewhere))),
    }
    with results("parrot", "The parrot attack", arguments) as out:
        columns = {"leaks": ",d", "surrogates": ",d", "found among as many suspects": ",d", "share": ".0%"}
        columns |= {"false alarms at 68 %": ",d", "area": ".3f", "area low": ".3f", "area high": ".3f"}
        out.table("Attacks", {"leaks are": "", "seed": "d", "attack": "", **columns})
        for kind, is_missed in (("any identifier", False), ("missed by patterns", True)):
            for seed in range(arguments.seeds):
                key = hashlib.sha256(b"key %d" % seed).digest()
                rng = random.Random(seed)
                corpus = publish(hospital, written, arguments.share, key, is_missed=is_missed, rng=rng)
                for name, attack in attacks.items():
                    found = judge(corpus, attack(corpus, random.Random(seed)), random.Random(seed))
                    share = found.found / max(1, found.leaks)
                    counts = found.leaks, found.surrogates, found.found, share, found.false_alarms_at_68
                    out.add(kind, seed, name, *counts, found.area, *found.interval)


if __name__ == "__main__":
    main()
