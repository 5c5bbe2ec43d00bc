"""One simulated day on each executor: one process, Airflow's LocalExecutor, Celery with two workers, and Spark.

    python -m benchmarks.scale.executors                        # 400 notes, rules and dictionaries; 10 idle minutes
    python -m benchmarks.scale.executors --notes 2000 --models

The same notes go from the plan to the published table each time, with one engine and without a cache of sentences, and
the files of the table must have the same bytes each time. Airflow's own share is what a way takes beyond the process
that calls the same functions one after the other. The last table computes that share for shards of other sizes. Spark
is a ``local-cluster`` of two executors, and needs the extra ``spark`` and Java. Core-seconds are those of all processes
and of PostgreSQL; those of the object store are not counted.
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.scale import stages
from benchmarks.scale.airflow_site import AirflowSite, airflow_site
from benchmarks.scale.measure import in_process
from benchmarks.scale.site import ScaleSite
from benchmarks.support.process_trees import core_seconds, peak_memory
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.errors import SparkError
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.runs.reports import EnginePin, ShardReport
from deid_tasks.settings import CacheSettings
from deid_tasks.settings.secrets import variable_of
from deid_tasks.spark import run_shards
from deid_tasks.spark.reports import read_shard_reports, reports_file
from deid_tasks.spark.requirements import require_spark

_MASTER = "local-cluster[2,1,1024]"
_LOCAL = "LocalExecutor"
_MEGABYTE = 1_000_000
_IDLE_SECONDS = 30
_SHARD_NOTES = (2_000, 20_000, 100_000)
_WORKER_CORES = 16


@dataclass(frozen=True)
class Way:
    """What one executor took for the day."""

    name: str
    shards: int
    wall: float
    cores: float
    peak_mb: float
    digest: str
    """Of the bytes of the published files."""


def one_process(site: ScaleSite, run_id: str) -> float:
    """Publish the day as one process; return the processor seconds of its shards alone."""
    shards = runs.plan_notes_run(site.settings, site.secrets, run_id, *site.interval)["shards"]
    pin = runs.pin_engine(site.settings, site.secrets)
    began = time.process_time()
    done = [runs.process_shard(site.settings, site.secrets, run_id, pin, shard) for shard in shards]
    used = time.process_time() - began
    _publish(site, run_id, pin, done)
    return used


def on_spark(site: ScaleSite, run_id: str) -> None:
    """Publish the day with its shards on Spark."""
    import pyspark

    shards = runs.plan_notes_run(site.settings, site.secrets, run_id, *site.interval)["shards"]
    pin = runs.pin_engine(site.settings, site.secrets)
    secrets = {variable_of(name): site.secrets.text(name) for name in run_shards.shard_secrets(site.settings)}
    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    given = ["--settings", site.folder / "institutions" / f"{site.settings.institution}.yaml", "--run-id", run_id]
    given += ["--pin", json.dumps(pin), "--shards", len(shards)]
    command = [program, "--master", _MASTER, "--conf", "spark.ui.enabled=false", run_shards.__file__, *given]
    python = {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(Path.cwd())}
    environment = {**os.environ, **secrets, **python, "SPARK_LOCAL_IP": "127.0.0.1"}
    with (site.folder / "spark.log").open("w") as log:
        done = subprocess.run(
            list(map(str, command)), env=environment, cwd=site.folder, stdout=log, stderr=log, check=False
        )
    if done.returncode:
        raise SystemExit(f"Spark's application failed; see {site.folder / 'spark.log'}")
    _publish(site, run_id, pin, read_shard_reports(reports_file(site.settings, run_id), pin, len(shards)))


def prepare(site: ScaleSite) -> None:
    """Fill the warehouse, and promote an engine on its dictionaries."""
    for stage in (stages.load_raw, stages.upgrade_tables, stages.build_models, stages.compile_dictionaries):
        stage(site)
    stages.certify(site)


def published_digest(site: ScaleSite) -> str:
    """Return a digest of the bytes of the published files."""
    table = open_table(site.settings, site.secrets)
    found = []
    for task in table.scan().plan_files():
        with table.io.new_input(task.file.file_path).open() as file:
            found.append(hashlib.sha256(file.read()).hexdigest())
    return hashlib.sha256(" ".join(sorted(found)).encode()).hexdigest()


def _publish(site: ScaleSite, run_id: str, pin: EnginePin, done: list[ShardReport]) -> None:
    released = runs.reconcile_run(site.settings, site.secrets, run_id, pin, "notes", done)
    runs.publish_notes(site.settings, site.secrets, run_id, pin, released)


class _Bench:
    """Measures the ways one after the other."""

    def __init__(self, airflow: AirflowSite, notes: int, made: Results) -> None:
        self._airflow, self._notes, self._made = airflow, notes, made
        self.ways: list[Way] = []

    def measure(self, name: str, shards: int, step: Callable[[], object], *, has_airflow: bool) -> None:
        """Measure a way that publishes the day in that many shards, and print it."""
        airflow = self._airflow
        airflow.cut(-(-self._notes // shards))

        def roots() -> list[int]:
            return airflow.processes() if has_airflow else [os.getpid()]

        def used() -> float:
            return core_seconds([*roots(), airflow.postmaster], store)

        store = airflow.object_store
        before, began = used(), time.monotonic()
        with peak_memory(roots, store) as peak:
            step()
        wall, cores = time.monotonic() - began, used() - before
        digest = in_process(published_digest, airflow.site)
        way = Way(name, shards, wall, cores, peak.bytes / _MEGABYTE, digest)
        self.ways.append(way)
        first = self.ways[0]
        beyond = 100 * (1 - first.cores / cores) if way is not first else None
        same = "yes" if digest == first.digest else "NO"
        self._made.add(name, shards, wall, cores, beyond, way.peak_mb, same)


def main() -> None:
    """Take the day through each way, and print what each took."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--shards", type=int, default=8, help="shards of the day; one more run of each has one shard")
    parser.add_argument("--models", action="store_true", help="the whole engine, not rules and dictionaries alone")
    arguments = parser.parse_args()
    # So that the services end too where the command is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ["OMP_NUM_THREADS"] = "1"
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-executors-"))
    folder.chmod(0o755)

    def make(uri: str, folder: Path, store: Mapping[str, str]) -> ScaleSite:
        site = ScaleSite.of(
            uri, arguments.notes, folder, store, has_models=arguments.models, shard_notes=arguments.notes, days=1
        )
        # A backfill of one date contains the start of that day in UTC alone.
        notes = site.settings.notes.model_copy(update={"timezone": "UTC"})
        cache = site.settings.detect.model_copy(update={"cache": CacheSettings(enabled=False)})
        return replace(site, settings=site.settings.model_copy(update={"notes": notes, "detect": cache}))

    with (
        airflow_site(make, folder) as airflow,
        results("scale-executors", "One day on each executor", arguments) as out,
    ):
        in_process(prepare, airflow.site)
        _measure_all(_Bench(airflow, arguments.notes, out), airflow, arguments, out)
    # Where something failed, the logs stay.
    shutil.rmtree(folder, ignore_errors=True)


def _measure_all(bench: _Bench, airflow: AirflowSite, arguments: argparse.Namespace, out: Results) -> None:
    columns = {
        "way": "",
        "shards": ",d",
        "seconds": ",.1f",
        "core-seconds": ",.1f",
        "% beyond one process": ",.0f",
        "peak MB of all processes": ",.0f",
        "the same bytes": "",
    }
    out.table(f"{arguments.notes:,} notes of one day, from the plan to the published table", columns)
    used: list[float] = []

    def plainly(name: str) -> Callable[[], None]:
        return lambda: used.append(in_process(one_process, airflow.site, name))

    many = arguments.shards
    bench.measure("one process", many, plainly("plain"), has_airflow=False)
    try:
        require_spark()
    except SparkError as error:
        print(f"without Spark: {error}")
    else:
        bench.measure(
            "Spark, two executors", many, lambda: in_process(on_spark, airflow.site, "spark"), has_airflow=False
        )
    airflow.start()
    # Few shards first: Airflow 3.3 does not run again the tasks of shards that a run had, lost, and has again.
    bench.measure(_LOCAL, 1, airflow.run_day, has_airflow=True)
    bench.measure(_LOCAL, many, airflow.run_day, has_airflow=True)
    idle = _idle(airflow)
    with airflow.celery():
        bench.measure("Celery, two workers", many, airflow.run_day, has_airflow=True)
    if len({way.digest for way in bench.ways}) > 1:
        raise SystemExit("the published bytes differ by executor")
    _compute(out, bench.ways, arguments.notes, used[0], idle)


def _idle(airflow: AirflowSite) -> float:
    """Return the cores that Airflow uses while it has nothing to do."""
    before = core_seconds(airflow.processes())
    time.sleep(_IDLE_SECONDS)
    return (core_seconds(airflow.processes()) - before) / _IDLE_SECONDS


def _compute(out: Results, ways: list[Way], notes: int, used: float, idle: float) -> None:
    """Print what Airflow takes by run, shard and second, and its share at larger shards."""
    plain, (one, many) = ways[0], (way for way in ways if way.name == _LOCAL)
    a_shard = max(0.0, (many.cores - one.cores) / (many.shards - one.shards))
    a_note = used / notes
    out.table("Airflow's own core-seconds, computed from the runs above", {"what": "", "amount": ",.2f"})
    out.add("a run with one shard, beyond one process", one.cores - plain.cores)
    out.add("each further shard", a_shard)
    out.add("cores while nothing runs", idle)
    out.add("for 1,000 notes, the engine", 1_000 * a_note)
    columns = {"notes of a shard": ",d", "engine's core-seconds": ",.0f", "% Airflow": ",.1f"}
    out.table(f"Airflow's share beside {_WORKER_CORES} busy cores of workers, computed", columns)
    for size in _SHARD_NOTES:
        engine = size * a_note
        extra = a_shard + idle * engine / _WORKER_CORES
        out.add(size, engine, 100 * extra / (engine + extra))


if __name__ == "__main__":
    main()
