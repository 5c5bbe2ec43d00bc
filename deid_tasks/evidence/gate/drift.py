"""Drift: the figures of a run by note type, against a band around those of the certified gold notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from deid_tasks.core.notes import Amounts
from deid_tasks.settings import DriftSettings

_BASELINE_CONFIDENCE = 0.99
"""Confidence of the baseline's interval, which widens the band."""
_RESAMPLES = 1_000
_MIN_NOTES = 5
"""With fewer gold notes of a type, the gold set of another design is the baseline if it has more."""
_MIN_DIVISOR = 200
"""The minimum denominator of a figure; below it the figure is not judged."""


class Measure(NamedTuple):
    """A figure: ``scale`` times one amount divided by another."""

    title: str
    part: str
    whole: str
    scale: float


MEASURES = {
    "entities_per_1000_words": Measure("entities per 1,000 words", "spans", "words", 1_000),
    "changed_share": Measure("share of words changed", "changed_words", "words", 1),
    "agreement": Measure("share of entities found by two detectors or more", "agreed_spans", "spans", 1),
}


@dataclass(frozen=True, slots=True)
class RunFigure:
    """One figure of one note type in a run, with the band that the certificate allows."""

    note_type: str
    measure: str
    words: int
    value: float | None
    baseline: float | None
    lowest: float | None
    highest: float | None
    judgement: str
    """``within``, ``outside``, ``too_few`` (words or entities), ``unknown`` (the type has no gold notes)."""
    window_days: int = 1
    """Days of which the figure speaks: the run's own, or a window that ends with it."""

    @property
    def is_held(self) -> bool:
        """Whether a person must review the run before it is published."""
        return self.judgement in {"outside", "unknown"}

    def sentence(self) -> str:
        """Return the reason for the review."""
        name = self.note_type if self.window_days == 1 else f"{self.note_type}, in {self.window_days} days"
        if self.judgement == "unknown":
            return f"note type {name}: {self.words:,} words, and no gold note to compare them with"
        return (
            f"note type {name}: {MEASURES[self.measure].title} {self.value:.4g}, baseline {self.baseline:.4g}"
            f" (from {self.lowest:.4g} to {self.highest:.4g} allowed)"
        )


def baseline(gold: Mapping[str, Mapping[str, Sequence[Amounts]]]) -> dict[str, Any]:
    """Return the figures of the gold notes by note type, with their intervals.

    The figures of a note type come from the ``random`` gold set, since enriched notes hold more identifiers than
    others. They come from the enriched gold set only if the random one has too few notes of the type.

    Args:
        gold: The amounts of each gold note, by design and note type.
    """
    found: dict[str, Any] = {}
    for note_type in sorted({name for notes in gold.values() for name in notes}):
        by_design = {design: notes[note_type] for design, notes in gold.items() if note_type in notes}
        ranked = sorted(by_design, key=lambda d: (len(by_design[d]) < _MIN_NOTES, d != "random", -len(by_design[d])))
        notes = by_design[ranked[0]]
        found[note_type] = {
            "design": ranked[0],
            "notes": len(notes),
            "words": sum(note.words for note in notes),
            **{name: _interval(notes, measure) for name, measure in MEASURES.items()},
        }
    return found


def judge_run(
    run: Mapping[str, Amounts], certified: Mapping[str, Mapping[str, Any]], settings: DriftSettings
) -> list[RunFigure]:
    """Return every figure of a run by note type, each with its judgement.

    The band of a figure goes from the lower end of the baseline's interval divided by ``max_ratio`` to the upper end
    times ``max_ratio``. A small gold set therefore widens the band and never narrows it.

    Args:
        run: The amounts of the run by note type.
        certified: The ``baseline`` of the certificate.
        settings: The ratio, and the minimum number of words.
    """
    figures = []
    for note_type, amounts in sorted(run.items()):
        known = certified.get(note_type)
        for name, measure in MEASURES.items():
            part, whole = getattr(amounts, measure.part), getattr(amounts, measure.whole)
            value = measure.scale * part / whole if whole else None
            if known is None:
                judgement = "unknown" if amounts.words >= settings.min_words else "too_few"
                figures.append(RunFigure(note_type, name, amounts.words, value, None, None, None, judgement))
                continue
            middle = known[name]["value"]
            low, high = known[name]["lower"] / settings.max_ratio, known[name]["upper"] * settings.max_ratio
            if amounts.words < settings.min_words or value is None or whole < _MIN_DIVISOR:
                judgement = "too_few"
            else:
                judgement = "within" if low <= value <= high else "outside"
            figures.append(RunFigure(note_type, name, amounts.words, value, middle, low, high, judgement))
    return figures


def judge_window(
    figures: Sequence[RunFigure],
    run: Mapping[str, Amounts],
    earlier: Mapping[str, Amounts],
    certified: Mapping[str, Mapping[str, Any]],
    settings: DriftSettings,
) -> list[RunFigure]:
    """Return the figures of the window that ends with a run, where the run alone has too few words or entities.

    Only note types of the run are judged: a run is not held for what it does not publish.

    Args:
        figures: What ``judge_run`` returned for the run.
        run: The amounts of the run by note type.
        earlier: The amounts of the days before it, within the window.
        certified: The ``baseline`` of the certificate.
        settings: The ratio, the minimum number of words, and the days of the window.
    """
    if settings.window_days == 1:
        return []
    open_figures = {(one.note_type, one.measure) for one in figures if one.judgement == "too_few"}
    summed = {name: amounts.plus(earlier.get(name, Amounts())) for name, amounts in run.items()}
    return [
        replace(one, window_days=settings.window_days)
        for one in judge_run(summed, certified, settings)
        if (one.note_type, one.measure) in open_figures and one.judgement != "too_few"
    ]


def amounts_of(words: int, values: Mapping[str, float | None]) -> Amounts:
    """Return the amounts from which the figures of a note type were computed.

    Args:
        words: Words of the type.
        values: Value of each measure; ``None`` where it had no denominator.
    """

    def part(measure: str, whole: int) -> int:
        return round((values.get(measure) or 0.0) * whole / MEASURES[measure].scale)

    spans = part("entities_per_1000_words", words)
    return Amounts(words, spans, part("changed_share", words), part("agreement", spans))


def drift_reasons(figures: Sequence[RunFigure]) -> list[str]:
    """Return why the run is held: one sentence for each figure, and one for a note type without gold notes."""
    return list(dict.fromkeys(figure.sentence() for figure in figures if figure.is_held))


def _interval(notes: Sequence[Amounts], measure: Measure) -> dict[str, float]:
    """Return the figure and its bootstrap interval over notes; the upper end allows for three more events."""
    parts = np.array([getattr(note, measure.part) for note in notes], dtype=np.float64)
    wholes = np.array([getattr(note, measure.whole) for note in notes], dtype=np.float64)
    total = float(wholes.sum())
    if not total:
        # Without a denominator there is no baseline, and the band allows everything.
        return {"value": 0.0, "lower": 0.0, "upper": measure.scale}
    weights = np.random.default_rng(0).multinomial(len(notes), np.full(len(notes), 1 / len(notes)), size=_RESAMPLES)
    sums = weights @ wholes
    rates = (weights @ parts)[sums > 0] / sums[sums > 0]
    lower, upper = np.quantile(rates, [(1 - _BASELINE_CONFIDENCE) / 2, (1 + _BASELINE_CONFIDENCE) / 2])
    # The rule of three: an event that was never seen in n words may have a rate of up to 3 / n.
    upper = max(float(upper), (float(parts.sum()) + 3) / total)
    value = float(parts.sum()) / total
    return {
        key: round(measure.scale * x, 6) for key, x in (("value", value), ("lower", float(lower)), ("upper", upper))
    }
