"""What the detectors said of each merged span of a note."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deid_tasks.core.detectors import DetectorName, is_neural
from deid_tasks.core.span import Span


@dataclass(frozen=True, slots=True)
class SpanEvidence:
    """One merged span, and who found it or a part of it."""

    span: Span
    is_recovered: bool
    """Whether the rules of recovery take it for medical language."""
    model_score: float
    """Highest score of a model's span that shares a character with it; 0 where there is none."""
    has_rule: bool
    """Whether patterns found it or a part of it."""
    has_own: bool
    """Whether the institution's dictionaries, rules or templates, or the patient's record, found it or a part of it."""

    @property
    def is_of_models_alone(self) -> bool:
        """Whether nothing but a model found it; names that propagation marked are not of models alone."""
        return not (self.has_rule or self.has_own) and is_neural(self.span.detector)


def collect_evidence(
    kept: Sequence[Span], recovered: Sequence[Span], spans_by_detector: Mapping[str, Sequence[Span]]
) -> list[SpanEvidence]:
    """Return the evidence of each merged span of a note, by position. O(n log n).

    Args:
        kept: the spans that recovery kept.
        recovered: those that it removed; no two of all these spans overlap.
        spans_by_detector: what each detector found.
    """
    merged = sorted([*((span, False) for span in kept), *((span, True) for span in recovered)])
    ends = [span.end for span, _ in merged]
    scores = [0.0] * len(merged)
    rules, own = [False] * len(merged), [False] * len(merged)
    for name, found in spans_by_detector.items():
        is_model = is_neural(name)
        marks = rules if name == DetectorName.PATTERNS else own
        for other in found:
            index = bisect_right(ends, other.start)
            while index < len(merged) and merged[index][0].start < other.end:
                if is_model:
                    scores[index] = max(scores[index], other.score)
                else:
                    marks[index] = True
                index += 1
    return [
        SpanEvidence(span, is_recovered, score, has_rule, has_own)
        for (span, is_recovered), score, has_rule, has_own in zip(merged, scores, rules, own, strict=True)
    ]
