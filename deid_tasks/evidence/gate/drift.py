"""Does a run look like the notes that were certified? Figures by note type against a band around the certified baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from deid_tasks.core.notes import Amounts
from deid_tasks.settings import DriftSettings

_SURE = 0.99
"""Confidence of the baseline's own interval, by which the band is widened."""
_RESAMPLES = 1_000
_LEAST_NOTES = 5
"""Fewer gold notes of a type are no baseline while another design has more."""
_LEAST_DIVISOR = 200
"""A share of fewer spans than this says nothing."""


class Measure(NamedTuple):
    """A figure: ``scale`` times one amount per another."""

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
    """One figure of one note type in a run, and what the certificate lets it be."""

    note_type: str
    measure: str
    words: int
    value: float | None
    baseline: float | None
    lowest: float | None
    highest: float | None
    judgement: str
    """``within``, ``outside``, ``too_few`` (not enough words or entities to say), ``unknown`` (the type has no gold notes)."""

    @property
    def is_held(self) -> bool:
        """Whether a person must see it before the run is published."""
        return self.judgement in {"outside", "unknown"}

    def sentence(self) -> str:
        """What is odd about it."""
        if self.judgement == "unknown":
            return f"note type {self.note_type}: {self.words:,} words, and no gold note to compare them with"
        return (
            f"note type {self.note_type}: {MEASURES[self.measure].title} {self.value:.4g}, baseline {self.baseline:.4g}"
            f" (from {self.lowest:.4g} to {self.highest:.4g} allowed)"
        )


def baseline(gold: Mapping[str, Mapping[str, Sequence[Amounts]]]) -> dict[str, Any]:
    """The certified figures by note type, with their intervals, from the amounts of each gold note by design and note type.

    A note type's figures come from the ``random`` gold set, since enriched notes hold more identifiers than others; from the
    enriched one only where the random one has too few of it.
    """
    found: dict[str, Any] = {}
    for note_type in sorted({name for notes in gold.values() for name in notes}):
        by_design = {design: notes[note_type] for design, notes in gold.items() if note_type in notes}
        ranked = sorted(by_design, key=lambda d: (len(by_design[d]) < _LEAST_NOTES, d != "random", -len(by_design[d])))
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
    """Every figure of a run by note type.

    A figure may be ``max_ratio`` times the upper end of the baseline's own interval, or the lower end divided by it: a small gold
    set widens the band and never narrows it.
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
            if amounts.words < settings.min_words or value is None or whole < _LEAST_DIVISOR:
                judgement = "too_few"
            else:
                judgement = "within" if low <= value <= high else "outside"
            figures.append(RunFigure(note_type, name, amounts.words, value, middle, low, high, judgement))
    return figures


def drift_reasons(figures: Sequence[RunFigure]) -> list[str]:
    """Why the run is held, a sentence for each figure; a note type without gold notes is told once."""
    return list(dict.fromkeys(figure.sentence() for figure in figures if figure.is_held))


def _interval(notes: Sequence[Amounts], measure: Measure) -> dict[str, float]:
    """The figure and its interval, from resampling notes; the upper end allows for three more events than were seen."""
    parts = np.array([getattr(note, measure.part) for note in notes], dtype=np.float64)
    wholes = np.array([getattr(note, measure.whole) for note in notes], dtype=np.float64)
    total = float(wholes.sum())
    if not total:
        # Nothing was there to measure: everything is allowed.
        return {"value": 0.0, "lower": 0.0, "upper": measure.scale}
    weights = np.random.default_rng(0).multinomial(len(notes), np.full(len(notes), 1 / len(notes)), size=_RESAMPLES)
    sums = weights @ wholes
    rates = (weights @ parts)[sums > 0] / sums[sums > 0]
    lower, upper = np.quantile(rates, [(1 - _SURE) / 2, (1 + _SURE) / 2])
    # The rule of three: what was never seen in n words may still come three times in n.
    upper = max(float(upper), (float(parts.sum()) + 3) / total)
    value = float(parts.sum()) / total
    return {
        key: round(measure.scale * x, 6) for key, x in (("value", value), ("lower", float(lower)), ("upper", upper))
    }
