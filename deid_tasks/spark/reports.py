"""The file in which the Spark application of a run hands back its shards' reports: counts, and nothing of a note."""

import json
from collections.abc import Sequence
from pathlib import Path

from deid_tasks.core.errors import SparkError
from deid_tasks.core.files import write_atomically
from deid_tasks.platform.runs.reports import EnginePin, ShardReport
from deid_tasks.platform.workspace import run_dir
from deid_tasks.settings import InstitutionSettings


def reports_file(settings: InstitutionSettings, run_id: str) -> Path:
    """Return the path of a run's file, beside its shards."""
    return run_dir(settings, run_id) / "spark-reports.json"


def write_shard_reports(path: Path, pin: EnginePin, reports: Sequence[ShardReport]) -> None:
    """Write the reports of all shards, in the shards' order; the file appears when it is complete."""
    write_atomically(path, json.dumps({"fingerprint": pin["fingerprint"], "shards": list(reports)}))


def read_shard_reports(path: Path, pin: EnginePin, count: int) -> list[ShardReport]:
    """Return the reports of a run's ``count`` shards.

    Raises:
        SparkError: the file is missing or damaged, or is that of another engine or another division into shards.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        fingerprint, reports = found["fingerprint"], found["shards"]
    except (OSError, ValueError, KeyError, TypeError):
        raise SparkError(
            f"{path} is missing or damaged, though the Spark application ended: check that the driver and Airflow's"
            " workers share work_dir, and clear detect_and_obfuscate"
        ) from None
    if fingerprint != pin["fingerprint"] or len(reports) != count:
        raise SparkError(f"{path} is of another engine or of another number of shards; clear detect_and_obfuscate")
    return list(reports)
