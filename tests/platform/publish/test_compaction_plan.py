"""Which files are rewritten together."""

import random

from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.platform.publish.compaction_plan import (
    MAX_OVERLAPPING,
    CompactionBounds,
    TableFile,
    plan_rewrites,
)

BOUNDS = CompactionBounds(file_bytes=100, commit_bytes=1_000, min_files=3)


def file(name: str, size: int, partition: str = "p", first: str = "a", last: str = "z") -> TableFile:
    return TableFile(name, partition, size, first, last)


def test_small_files_of_a_partition_are_merged_and_large_ones_stay():
    files = [file("1", 10), file("2", 20), file("3", 30), file("large", 90), file("4", 10, "q")]
    [rewrite] = plan_rewrites(files, BOUNDS)
    assert [one.path for one in rewrite.files] == ["1", "2", "3"]
    assert rewrite.parts == 1


def test_too_few_small_files_stay():
    assert plan_rewrites([file("1", 10), file("2", 20)], BOUNDS) == []


def test_a_rewrite_that_leaves_as_many_files_is_not_made():
    assert plan_rewrites([file(str(number), 74) for number in range(3)], BOUNDS) == []
    [rewrite] = plan_rewrites([file(str(number), 74) for number in range(4)], BOUNDS)
    assert rewrite.parts == 3


def test_a_commit_is_bounded():
    files = [file(f"{partition}{number}", 50, partition) for partition in "pq" for number in range(15)]
    rewrites = plan_rewrites(files, BOUNDS)
    assert sum(one.size for rewrite in rewrites for one in rewrite.files) <= BOUNDS.commit_bytes
    assert {one.partition for rewrite in rewrites for one in rewrite.files} == {"p", "q"}


def test_files_that_span_the_same_slices_are_sorted_together():
    apart = [file(str(number), 90, first=f"{number}a", last=f"{number}z") for number in range(9)]
    assert plan_rewrites(apart, BOUNDS) == []
    [rewrite] = plan_rewrites([*apart, *(file(f"o{number}", 90) for number in range(5))], BOUNDS)
    assert {one.path for one in rewrite.files} == {f"o{number}" for number in range(5)}
    assert rewrite.parts == 5


def written(rewrite, number: int) -> list[TableFile]:
    """Return what a rewrite leaves: the range of slices in equal parts."""
    size = sum(one.size for one in rewrite.files)
    first, last = min(one.first_slice for one in rewrite.files), max(one.last_slice for one in rewrite.files)
    edges = [first] + [f"{first}{part:03d}" for part in range(1, rewrite.parts)] + [last]
    return [
        TableFile(f"w{number}-{part}", rewrite.files[0].partition, size // rewrite.parts, edges[part], edges[part + 1])
        for part in range(rewrite.parts)
    ]


@given(st.integers(0, 10_000))
def test_planning_and_rewriting_comes_to_an_end(seed):
    chance = random.Random(seed)
    files = [
        file(str(number), chance.randint(1, 200), chance.choice("pq"), *sorted(chance.choices("abcdefgh", k=2)))
        for number in range(chance.randint(0, 60))
    ]
    for number in range(300):
        rewrites = plan_rewrites(files, BOUNDS)
        if not rewrites:
            break
        for at, rewrite in enumerate(rewrites):
            files = [one for one in files if one not in rewrite.files] + written(rewrite, number * 100 + at)
    assert plan_rewrites(files, BOUNDS) == []
    for partition in "pq":
        left = [one for one in files if one.partition == partition]
        assert sum(map(BOUNDS.is_small, left)) < BOUNDS.min_files + 2
        full = [one for one in left if not BOUNDS.is_small(one)]
        # Neighbours share the slice at which one ends and the other begins.
        assert all(
            sum(one.first_slice <= at.first_slice <= one.last_slice for one in full) <= MAX_OVERLAPPING for at in full
        )
