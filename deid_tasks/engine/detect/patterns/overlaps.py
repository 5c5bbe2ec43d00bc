"""The choice among candidates of several rules that overlap."""

from collections.abc import Sequence

from deid_tasks.engine.detect.patterns.rule import Candidate


def strongest_candidates(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that remain, sorted and disjoint.

    Of two that overlap the stronger remains, then the longer, then the earlier. Takes O(n log n) for ``n`` candidates.
    """
    chosen: list[Candidate] = []
    cluster: list[Candidate] = []
    cluster_end = -1
    for candidate in sorted(candidates):
        if candidate.start >= cluster_end and cluster:
            chosen.extend(_strongest_of_cluster(cluster))
            cluster = []
        cluster.append(candidate)
        cluster_end = max(cluster_end, candidate.end)
    chosen.extend(_strongest_of_cluster(cluster))
    return chosen


def _strongest_of_cluster(cluster: list[Candidate]) -> list[Candidate]:
    if len(cluster) < 2:
        return cluster
    origin = cluster[0].start
    taken = bytearray(max(candidate.end for candidate in cluster) - origin)
    chosen = []
    for candidate in sorted(cluster, key=_rank):
        low, high = candidate.start - origin, candidate.end - origin
        if taken.find(1, low, high) < 0:
            taken[low:high] = b"\x01" * (high - low)
            chosen.append(candidate)
    return sorted(chosen)


def _rank(candidate: Candidate) -> tuple[int, int, int, str]:
    return -candidate.strength, candidate.start - candidate.end, candidate.start, candidate.entity
