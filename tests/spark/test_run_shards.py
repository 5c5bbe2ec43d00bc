"""The shards of a run on a Spark cluster of two executors, one of which is killed while it works."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import SparkError
from deid_tasks.platform import runs
from deid_tasks.platform.workspace import run_dir
from deid_tasks.spark import run_shards
from deid_tasks.spark.reports import read_shard_reports, reports_file
from tests.spark.conftest import MASTER
from tests.support.published_days import DAY, START, plan_day, with_settings

LIMIT = 600
"""Seconds after which the application is ended; nothing is asserted of them."""


def submit(settings, run_id, pin, count, environment, folder):
    """Start the application as ``spark-submit`` does."""
    import pyspark

    file = folder / f"{settings.institution}.yaml"
    file.write_text(settings.model_dump_json())
    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    arguments = ["--settings", file, "--run-id", run_id, "--pin", json.dumps(pin), "--shards", count]
    command = [
        "timeout",
        LIMIT,
        program,
        "--master",
        MASTER,
        "--conf",
        "spark.ui.enabled=false",
        run_shards.__file__,
        *arguments,
    ]
    # A file, not a pipe: nobody reads while the application runs.
    log = (folder / "spark.log").open("w")
    return subprocess.Popen(
        list(map(str, command)), env=os.environ | environment, stdout=log, stderr=subprocess.STDOUT, cwd=folder
    )


def executors(of: int) -> list[int]:
    """Return the processes of the executors that a process has started."""
    parents, programs = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            programs[int(path.name)] = (path / "cmdline").read_bytes()
        except (OSError, ValueError):
            continue

    def descends(one: int) -> bool:
        while one in parents and one != of:
            one = parents[one]
        return one == of

    return [one for one, text in programs.items() if b"CoarseGrainedExecutorBackend" in text and descends(one)]


def wait_for(happened, application):
    """Wait until the application has come so far; fail where it ends before, as ``submit`` makes it do in the end."""
    while not happened():
        assert application.poll() is None, "the application ended"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def application(site, pin, executor_environment, tmp_path_factory):
    """Process a run on Spark and kill an executor meanwhile; return the settings and the number of shards."""
    settings = with_settings(site, notes={"shard_notes": 10})
    shards = plan_day(settings, site, "spark", START, START + 2 * DAY)
    folder = run_dir(settings, "spark")
    home = tmp_path_factory.mktemp("submitted")
    started = submit(settings, "spark", pin, len(shards), executor_environment, home)
    try:
        wait_for(lambda: list(folder.glob("*.parquet")), started)
        killed = executors(started.pid)[0]
        os.kill(killed, signal.SIGKILL)
        done_before = len(list(folder.glob("*.parquet")))
        status = started.wait()
    finally:
        # A signal that "timeout" passes on to the application.
        started.terminate()
        started.wait()
    log = (home / "spark.log").read_text()
    assert status == 0, log[-5_000:]
    assert done_before < len(shards), "the executor was killed after the last shard"
    assert "Lost executor" in log
    return settings, shards, log


def rows(path):
    """Return a shard's rows and metadata without the time that each took."""
    table = pq.read_table(path)
    return table.drop_columns("milliseconds").to_pylist(), table.schema.metadata


def counts(report):
    return {key: value for key, value in report.items() if key not in {"seconds", "file"}}


def test_a_run_on_spark_with_a_killed_executor_has_the_rows_of_one_process(site, pin, application):
    settings, shards, _ = application
    plan_day(settings, site, "plain", START, START + 2 * DAY)
    plain = [runs.process_shard(settings, site.secrets, "plain", pin, shard) for shard in shards]
    on_spark = read_shard_reports(reports_file(settings, "spark"), pin, len(shards))
    assert list(map(counts, on_spark)) == list(map(counts, plain))
    files = [
        [run_dir(settings, run_id) / report["file"] for report in reports]
        for run_id, reports in (("spark", on_spark), ("plain", plain))
    ]
    for one, other in zip(*files, strict=True):
        assert rows(one) == rows(other)


def test_it_passes_the_same_gate_and_is_published(site, pin, application):
    settings, shards, _ = application
    reports = read_shard_reports(reports_file(settings, "spark"), pin, len(shards))
    released = runs.reconcile_run(settings, site.secrets, "spark", pin, "notes", reports)
    published = runs.publish_notes(settings, site.secrets, "spark", pin, released)
    assert released["notes_read"] == len(site.notes)
    assert published["notes"] == released["published"] > 0


def test_neither_the_log_nor_the_reports_hold_anything_of_a_note_or_a_secret(site, application, executor_environment):
    settings, _, log = application
    said = log + reports_file(settings, "spark").read_text()
    known = [
        text
        for patient in site.hospital.patients
        for text in (patient.mrn, patient.ssn, patient.email, f"{patient.person.first} {patient.person.last}")
    ]
    assert not [text for text in known if text and text in said]
    assert not [name for name, value in executor_environment.items() if "SECRET" in name and value in said]


def test_reports_of_another_engine_or_another_division_are_refused(pin, application):
    settings, shards, _ = application
    path = reports_file(settings, "spark")
    with pytest.raises(SparkError, match="another engine"):
        read_shard_reports(path, {**pin, "fingerprint": "other"}, len(shards))
    with pytest.raises(SparkError, match="another number"):
        read_shard_reports(path, pin, len(shards) + 1)
    with pytest.raises(SparkError, match="share work_dir"):
        read_shard_reports(path.with_name("none.json"), pin, 1)


def test_an_application_that_cannot_start_says_what_to_install(site, pin, tmp_path):
    file = tmp_path / "riverside.yaml"
    file.write_text(site.settings.model_dump_json())
    command = [sys.executable, "-m", "deid_tasks.spark.run_shards", "--settings", file, "--run-id", "r"]
    command += ["--pin", json.dumps(pin), "--shards", "1"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYSPARK", "JAVA"))}
    done = subprocess.run(command, env=environment | {"PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "install" in done.stderr
    assert "Traceback" not in done.stderr
