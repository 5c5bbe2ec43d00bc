"""Random histories of changes, runs and kills: the published table is what one run from nothing would publish."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from benchmarks.changes.living_site import LivingSite
from benchmarks.changes.random_history import RandomHistory, history_of
from tests.conftest import fresh_database

# The same short histories every time; `python -m benchmarks.changes.histories` lives through many others.
SHORT = settings(
    max_examples=3,
    stateful_step_count=12,
    derandomize=True,
    database=None,
    deadline=None,
    # To shrink a failure takes many minutes: the benchmark does that.
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def living_site(postgres, object_store, tmp_path_factory) -> LivingSite:
    return LivingSite.build(fresh_database(postgres), "omop", object_store, tmp_path_factory.mktemp("living"))


def test_every_history_converges(living_site):
    run_state_machine_as_test(history_of(living_site), settings=SHORT)
    assert RandomHistory.counts["histories"] >= SHORT.max_examples
    assert RandomHistory.counts["published rows"] > 0
