"""Scores and speeds of each system on one gold set, from the project's own scorer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from deid_tasks.comparison.gold import ComparedNote, ComparedSet, covered, cut_out
from deid_tasks.comparison.labels import LabelMap, read_label_map
from deid_tasks.comparison.protocol import SystemAnswer
from deid_tasks.comparison.registry import OURS, SystemDefinition
from deid_tasks.comparison.run import SystemRun
from deid_tasks.core.entities import Group
from deid_tasks.core.span import Span
from deid_tasks.evidence.evaluate import Evaluation, Interval, Scorer
from deid_tasks.settings import PolicySettings

METRICS = ("recall", "precision", "f1")


@dataclass(frozen=True)
class Speed:
    """How fast a system read the notes that it answered; start-up is apart."""

    words: int
    seconds: float
    cpu_seconds: float | None
    """``None`` if the system cannot tell."""
    median_seconds: float
    """Of one note."""

    @property
    def words_per_core_second(self) -> float | None:
        """Words between blanks by processor second."""
        return self.words / self.cpu_seconds if self.cpu_seconds else None


@dataclass(frozen=True)
class FailedNote:
    """A note on which a system failed: all of its identifiers count as missed."""

    note_id: str
    error: str


@dataclass
class SystemScores:
    """One system on one gold set."""

    run: SystemRun
    evaluation: Evaluation | None = None
    """``None`` if the system did not start, or did not read every note."""
    speed: Speed | None = None
    failures: list[FailedNote] = field(default_factory=list)
    differences: dict[str, Interval] = field(default_factory=dict)
    """Interval of each metric minus that of the baseline, in paired resamples; empty for the baseline itself."""
    unknown_labels: Counter[str] = field(default_factory=Counter)
    totals: dict[str, float] = field(default_factory=dict)
    """Tokens, dollars and the counts of ``details``, over all notes; a service that was not used has none."""


def score_systems(
    gold: ComparedSet,
    runs: Sequence[SystemRun],
    first: int,
    group: Group = Group.C,
    confidence: float = 0.95,
    resamples: int = 1_000,
    *,
    policy: PolicySettings | None = None,
    baseline: str = OURS,
) -> list[SystemScores]:
    """Return the scores of each system on one gold set.

    Args:
        gold: The notes.
        runs: The systems, with answers to the notes of all sets.
        first: Position of this set's first note among the answers.
        group: The entities that count.
        confidence: Of the intervals.
        resamples: Of patients, for the bootstrap.
        policy: Which forms count as identifiers; every form if not given.
        baseline: Key of the system that the others are compared with.
    """
    scorers: dict[int, Scorer] = {}
    rows = []
    for number, run in enumerate(runs):
        scores = SystemScores(run)
        rows.append(scores)
        answers = run.answers[first : first + len(gold.notes)]
        if run.announcement is None or len(answers) < len(gold.notes):
            continue
        scorers[number] = Scorer(group, confidence, resamples, policy=policy)
        _score(gold, answers, scores, scorers[number])
        scores.evaluation = scorers[number].finish()
    ours = next((n for n in scorers if runs[n].choice.key == baseline), None)
    for number, scorer in scorers.items():
        if ours is not None and number != ours:
            rows[number].differences = {metric: scorer.difference(scorers[ours], metric) for metric in METRICS}
    return rows


def counted_spans(
    note: ComparedNote, spans: Sequence[Span], gold: ComparedSet, definition: SystemDefinition
) -> list[Span]:
    """Return the spans that count: of what the set annotates, without the text that it ignores.

    A system without types marks identifiers of every kind: what it marks counts whatever the set annotates.
    """
    if definition.is_untyped:
        return cut_out(spans, note.ignored)
    return covered(note, spans, gold.categories, gold.without)


def _score(gold: ComparedSet, answers: Sequence[SystemAnswer], scores: SystemScores, scorer: Scorer) -> None:
    """Add every note to the scorer, and the rest to the scores."""
    definition = scores.run.choice.definition
    labels = read_label_map(definition.folder / "labels.json")
    answered: list[tuple[ComparedNote, SystemAnswer]] = []
    totals: Counter[str] = Counter()
    for note, answer in zip(gold.notes, answers, strict=True):
        spans = _spans(note, answer, labels, gold, definition)
        scorer.add(note.text, note.spans, spans, note.group, note.note_type)
        totals.update(_amounts(answer))
        if answer.error is not None:
            scores.failures.append(FailedNote(note.note_id, answer.error))
        else:
            answered.append((note, answer))
    scores.speed = _speed(answered)
    scores.unknown_labels, scores.totals = labels.unknown, dict(totals)


def _spans(
    note: ComparedNote, answer: SystemAnswer, labels: LabelMap, gold: ComparedSet, definition: SystemDefinition
) -> list[Span]:
    if answer.error is not None:
        return []
    return counted_spans(note, labels.spans(answer.spans, definition.name), gold, definition)


def _amounts(answer: SystemAnswer) -> dict[str, float]:
    amounts = {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out, "dollars": answer.dollars}
    return {name: value for name, value in amounts.items() if value is not None} | dict(answer.details)


def _speed(answered: Sequence[tuple[ComparedNote, SystemAnswer]]) -> Speed | None:
    if not answered:
        return None
    processor = [answer.cpu_seconds for _, answer in answered]
    return Speed(
        sum(len(note.text.split()) for note, _ in answered),
        sum(answer.seconds for _, answer in answered),
        None if None in processor else sum(value for value in processor if value is not None),
        median(answer.seconds for _, answer in answered),
    )
