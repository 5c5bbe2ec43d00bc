"""How many spans were found by more than one detector."""

from collections.abc import Mapping, Sequence

from deid_tasks.core.span import Span


def count_agreed(spans: Sequence[Span], spans_by_detector: Mapping[str, Sequence[Span]]) -> int:
    """Return how many spans overlap the spans of two or more detectors.

    The entity does not matter: a detector that finds a name and one that finds a city in the same word agree that the
    word identifies someone. O(n log n).

    Args:
        spans: the final spans, sorted and disjoint.
        spans_by_detector: what each detector found.
    """
    votes = [0] * len(spans)
    for found in spans_by_detector.values():
        first, counted = 0, -1
        for span in sorted(found):
            while first < len(spans) and spans[first].end <= span.start:
                first += 1
            index = first
            while index < len(spans) and spans[index].start < span.end:
                if index > counted:
                    votes[index] += 1
                    counted = index
                index += 1
    return sum(vote >= 2 for vote in votes)
