"""A few faults of the campaign, with the seeds of those that once were not survived."""

import pytest

from benchmarks.faults.campaign import Campaign, campaign


@pytest.fixture(scope="module")
def trials() -> Campaign:
    with campaign("omop") as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        # The key changes between shards and publication.
        ("surrogate key wrong", 1000021),
        ("shard damaged", 1000017),
        # A worker that was taken for dead goes on after its successor has ended the run.
        ("zombie beside its retry", 1000016),
        ("database connections reset", 1000003),
    ],
)
def test_a_run_ends_as_if_nothing_had_happened(kind, seed, trials):
    assert not trials.try_kind(kind, seed).faults
