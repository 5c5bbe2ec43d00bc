"""How many spans do not rest on one detector alone."""

from collections.abc import Mapping, Sequence

from deid_tasks.core.span import Span


def count_agreed(spans: Sequence[Span], spans_by_detector: Mapping[str, Sequence[Span]]) -> int:
    """How many of ``spans``, which are sorted and disjoint, were touched by spans of two or more detectors.

    The entity does not matter: two detectors that see a name and a city in the same word agree that it identifies someone.
    O(n log n).
    """
    votes = [0] * len(spans)
    for found in spans_by_detector.values():
        place, reached = 0, -1
        for span in sorted(found):
            while place < len(spans) and spans[place].end <= span.start:
                place += 1
            here = place
            while here < len(spans) and spans[here].start < span.end:
                if here > reached:
                    votes[here] += 1
                    reached = here
                here += 1
    return sum(vote >= 2 for vote in votes)
