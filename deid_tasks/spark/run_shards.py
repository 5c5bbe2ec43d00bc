"""The Spark application that processes the shards of one run: one Spark task a shard.

    spark-submit [--master …] run_shards.py --settings riverside.yaml --run-id RUN --pin '{…}' --shards 64

Each task calls ``process_shard``, as an Airflow task does, on an executor with the platform installed, which reaches
``work_dir`` and the warehouse, and finds the institution's secrets in its own environment
(``PALIMPSEST_SECRET_<NAME>``): no secret passes through Spark. A shard's file appears when it is complete, so a killed
executor changes nothing: Spark runs its tasks again elsewhere.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from deid_tasks.core.errors import DeidError
from deid_tasks.engine.failures import WithheldTexts
from deid_tasks.platform.runs.notes import process_shard
from deid_tasks.platform.runs.reports import EnginePin, ShardPlan, ShardReport
from deid_tasks.platform.workspace import SharedFiles
from deid_tasks.settings import InstitutionSettings, Secrets, load_institution
from deid_tasks.spark.reports import reports_file, write_shard_reports
from deid_tasks.spark.requirements import require_spark
from deid_tasks.spark.worker_engine import worker_engine


def shard_secrets(settings: InstitutionSettings) -> list[str]:
    """Return the names of the secrets that an executor needs."""
    names = [settings.warehouse.connection_of("engine"), settings.obfuscate.key]
    names += filter(None, (settings.workspace.object_store, settings.workspace.key))
    if settings.vault:
        names.append(settings.vault.kms if settings.vault.wrap == "aws-kms" else settings.vault.public_key)
    if settings.judge:
        cache = settings.judge.cache
        names += filter(None, (settings.judge.api_key_secret, cache.key_secret if cache else None))
    return names


def shard_task(settings: InstitutionSettings, run_id: str, pin: EnginePin, count: int) -> Callable[[int], ShardReport]:
    """Return the function that a Spark task calls with a shard's index, on an executor.

    The errors that it raises have safe texts: Spark writes them to the logs of the executor and the driver.
    """

    def run_one(index: int) -> ShardReport:
        with WithheldTexts():
            secrets = Secrets()
            engine = worker_engine(settings, secrets, pin)
            return process_shard(settings, secrets, run_id, pin, ShardPlan(index=index, count=count), engine=engine)

    return run_one


def run_shards(settings: InstitutionSettings, run_id: str, pin: EnginePin, count: int) -> list[ShardReport]:
    """Process all shards of a run on the Spark cluster of this process, and return their reports in order.

    Raises:
        SparkError: this machine cannot start Spark.
        Py4JJavaError: a shard failed as often as ``spark.task.maxFailures`` allows.
    """
    # Under spark-submit a Java runs already.
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        require_spark()
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName(f"shards of {settings.institution}").getOrCreate()
    try:
        indexes = session.sparkContext.parallelize(range(count), count)
        return list(indexes.map(shard_task(settings, run_id, pin, count)).collect())
    finally:
        session.stop()


def run_application(arguments: Sequence[str]) -> Path:
    """Process the shards that the command line names; return the file of their reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=Path, required=True, help="the institution's YAML, on the driver")
    parser.add_argument("--run-id", required=True, help="the run, which has been planned")
    parser.add_argument("--pin", type=json.loads, required=True, help="JSON: the engine that pin_engine returned")
    parser.add_argument("--shards", type=int, required=True, help="how many shards the run has")
    parser.add_argument("--reports", type=Path, help="JSON to write; beside the run's shards if not given")
    given = parser.parse_args(arguments)
    settings = load_institution(given.settings)
    reports = run_shards(settings, given.run_id, given.pin, given.shards)
    target = given.reports or reports_file(settings, given.run_id)
    write_shard_reports(target, given.pin, reports)
    if given.reports is None:
        SharedFiles(settings, Secrets()).share(target)
    return target


if __name__ == "__main__":
    try:
        print(run_application(sys.argv[1:]))
    except DeidError as error:
        sys.exit(f"run_shards: {error}")
