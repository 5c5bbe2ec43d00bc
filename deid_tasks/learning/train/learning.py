"""Learning from errors: version after version, each trained on what the one before it got wrong.

Source: Murugadoss et al., Patterns 2021, supplement (iterative fine-tuning; the two best versions of each type in
tandem). Errors are looked for in simulated notes of the ``train`` world that no training saw; versions are chosen on
the ``dev`` world.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

from deid_tasks.core.entities import Category
from deid_tasks.core.files import write_atomically
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.text import Document
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.learning.train.configuration import write_config
from deid_tasks.learning.train.encoders import encoder_folder
from deid_tasks.learning.train.export import export
from deid_tasks.learning.train.leaks import without_foreign
from deid_tasks.learning.train.mistakes import Mistake, find_disagreements, find_mistakes, neighbours
from deid_tasks.learning.train.mixture import build_mixture
from deid_tasks.learning.train.run import TOKENIZER, build_tagger, train
from deid_tasks.learning.train.sample import Sample
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.learning.train.settings import TrainSettings
from deid_tasks.learning.train.simulated import read_contexts, read_world, write_hospital, write_sentences
from deid_tasks.learning.train.version_choice import Choice, choose, marked_words, score, score_any
from deid_tasks.learning.train.weights import load_mean
from deid_tasks.settings import TransformerSettings

Report = Callable[[str], None]
_DEV_SEED = 23


@dataclass(frozen=True, slots=True)
class LearnSettings:
    """How many versions to train, and on how much text."""

    rounds: int = 3
    """Versions after the first."""
    steps: int = 200
    """Of each training after the first."""
    pool_notes: int = 300
    """Simulated notes in which each round looks for errors."""
    pool_rounds: int = 2
    """Writings of each training context beside them."""
    writings: int = 40
    """How often a skeleton with an error is rendered again."""
    copies: int = 20
    """Most fillings of one sentence."""
    replay: float = 1.0
    """Samples of the first training, for each new one."""
    dev_notes: int = 150
    precision_floor: float = 0.9
    outside_bias: float = -1.0


def learn(settings: TrainSettings, learning: LearnSettings, report: Report = print) -> list[Choice]:
    """Train ``v0`` … ``vN`` in subfolders of ``settings.folder``, score each, and choose for each category.

    Their mean is one version more, ``mean``: it reads more steadily than any of them. Writes ``curve.json`` (what each
    version scored and what it learned from) and ``choice.json``. A stopped run goes on: versions that are there are not
    trained again.

    Raises:
        InputError, ModelError: as ``train``.
    """
    folder = settings.folder
    base = build_mixture(replace(settings.mixture, seed=settings.seed), report)
    versions = [replace(settings, folder=folder / "v0", has_safetensors=True)]
    _train(versions[0], base, report)
    sizes: list[dict[str, int]] = [{"samples": len(base)}]
    for number in range(1, learning.rounds + 1):
        before = versions[-1]
        now = replace(
            before,
            folder=folder / f"v{number}",
            start=before.exported,
            fit=replace(settings.fit, steps=learning.steps, minutes=None),
            seed=settings.seed + number,
        )
        new, size = _new_samples(versions, base, learning, settings.seed + 1_000 * number, report)
        versions.append(now)
        sizes.append(size)
        _train(now, new, report)
    versions.append(_mean(versions, report))
    sizes.append({})
    gold = _dev_notes(learning.dev_notes)
    of_gold = marked_words(gold)
    said = {one.folder.name: marked_words(_predicted(_open(one, learning), gold)) for one in versions}
    choices = choose(of_gold, said, learning.precision_floor)
    curve = []
    for size, (name, words) in zip(sizes, said.items(), strict=True):
        scores = {"any": score_any(of_gold, words)} | {
            str(category): score(of_gold, [words], category) for category in Category if of_gold[category]
        }
        curve.append(
            {"version": name, **size, "scores": {c: {"recall": round(s.recall, 5), "precision": round(s.precision,
            5)} for c, s in scores.items()}}
        )  # fmt: skip
    _write(folder / "curve.json", curve)
    _write(
        folder / "choice.json",
        [{**asdict(one), "recall": round(one.scores.recall, 5), "precision": round(one.scores.precision,
        5)} for one in choices],
    )  # fmt: skip
    for earlier, later in pairwise(curve):
        report(f"{earlier['version']} to {later['version']}: {_format_change(earlier, later)}")
    for one in choices:
        report(
            f"{one.category}: {' and '.join(one.versions)}, recall {one.scores.recall:.4f},"
            f" precision {one.scores.precision:.4f}"
            + ("" if one.reaches_floor else f", below the floor of {learning.precision_floor}")
        )
    return choices


def pool_of(learning: LearnSettings, seed: int) -> list[Sample]:
    """Return sentences of the ``train`` world, written anew, in which errors are looked for."""
    maker = SceneMaker(World.TRAIN, seed)
    samples = write_sentences(read_contexts(), maker, "contexts", learning.pool_rounds, learning.pool_rounds)
    return [*samples, *write_hospital(learning.pool_notes, seed, 1)]


def _new_samples(
    versions: Sequence[TrainSettings], base: Sequence[Sample], learning: LearnSettings, seed: int, report: Report
) -> tuple[list[Sample], dict[str, int]]:
    """Return what the next version learns from: neighbours of the last version's errors, and samples for replay."""
    last = _open(versions[-1], learning)
    pool = pool_of(learning, seed)
    mistakes = find_mistakes(last, pool)
    disagreements: list[Sample] = []
    if len(versions) > 1:
        disagreements = find_disagreements(_open(versions[-2], learning), last, pool)
    counted = Counter(f"missed {c}" for m in mistakes for c in m.missed) + Counter(
        f"wrong {c}" for m in mistakes for c in m.wrong
    )
    report(f"{len(mistakes)} of {len(pool)} sentences with errors, {len(disagreements)} disagreements: {dict(counted)}")
    skeletons = [*read_world(World.TRAIN), *read_contexts()]
    found = [*mistakes, *(Mistake(sample, (), ()) for sample in disagreements)]
    written = neighbours(found, skeletons, SceneMaker(World.TRAIN, seed + 1), learning.writings, learning.copies)
    new = without_foreign(written)
    chance = random.Random(seed)  # noqa: S311 - repeatable chance, no secrecy
    kept = chance.sample(list(base), min(len(base), round(len(new) * learning.replay)))
    size = {
        "samples": len(new) + len(kept),
        "errors": len(mistakes),
        "disagreements": len(disagreements),
        "neighbours": len(new),
    }
    return [*new, *kept], size


def _train(settings: TrainSettings, samples: Sequence[Sample], report: Report) -> None:
    if (settings.exported / "config.json").is_file():
        report(f"{settings.folder.name} exists already")
        return
    report(f"{settings.folder.name}: {len(samples)} samples")
    train(settings, report, samples)


def _mean(versions: Sequence[TrainSettings], report: Report) -> TrainSettings:
    """Export the mean of the versions' weights."""
    first = versions[0]
    mean = replace(first, folder=first.folder.parent / "mean")
    tagger = build_tagger(encoder_folder(first.model.encoder), first.model)
    load_mean(tagger, [one.exported for one in versions])
    export(tagger, first.folder / TOKENIZER, mean.exported)
    write_config(tagger, mean.exported, first.model)
    report(f"mean of {len(versions)} versions exported")
    return mean


def _open(settings: TrainSettings, learning: LearnSettings) -> TransformerDetector:
    return TransformerDetector(TransformerSettings(model=str(settings.exported), outside_bias=learning.outside_bias))


def _dev_notes(count: int) -> list[tuple[str, Sequence[Span]]]:
    spec = HospitalSpec("learning", World.DEV, _DEV_SEED, max(50, count // 2), max(20, count // 8), count)
    return [(note.text, note.spans) for note in write_notes(build_hospital(spec))]


def _predicted(
    detector: TransformerDetector, notes: Sequence[tuple[str, Sequence[Span]]]
) -> list[tuple[str, Sequence[Span]]]:
    documents = [Document(str(number), text) for number, (text, _) in enumerate(notes)]
    return [(text, spans) for (text, _), spans in zip(notes, detector.detect(documents), strict=True)]


def _format_change(earlier: dict[str, object], later: dict[str, object]) -> str:
    before, after = earlier["scores"], later["scores"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    return ", ".join(f"{c} {before[c]['recall']:.4f} → {after[c]['recall']:.4f}" for c in after)


def _write(path: Path, content: object) -> None:
    write_atomically(path, json.dumps(content, indent=1) + "\n")
