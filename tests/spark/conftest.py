"""A real Spark, and an institution whose notes it reads. Skipped only where pyspark or Java is missing."""

import os
import sys
from pathlib import Path

import pytest

from deid_tasks.core.errors import SparkError
from deid_tasks.settings.secrets import variable_of
from deid_tasks.spark.requirements import require_spark
from deid_tasks.spark.run_shards import shard_secrets
from tests.platform.runs.conftest import built_site, site

__all__ = ["built_site", "site"]

MASTER = "local-cluster[2,1,2048]"


@pytest.fixture(scope="session")
def _spark_starts():
    try:
        require_spark()
    except SparkError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def executor_environment(_spark_starts, built_site, tmp_path_factory) -> dict[str, str]:
    """The environment of a process that starts Spark; its executors inherit it, and find the secrets in it."""
    secrets = {variable_of(name): built_site.secrets.text(name) for name in shard_secrets(built_site.settings)}
    return {
        **secrets,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(Path.cwd()), os.environ.get("PYTHONPATH")])),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(tmp_path_factory.mktemp("spark")),
    }


@pytest.fixture(scope="module")
def pin(site):
    """The promoted engine."""
    from deid_tasks.platform import runs

    runs.evaluate_and_certify(site.settings, site.secrets)
    return runs.pin_engine(site.settings, site.secrets)
