"""The stages of the platform, each as one call that a process of its own can make."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any

import psycopg2

from benchmarks.changes.big_warehouse import fill_warehouse, publish_ledger
from benchmarks.changes.living_site import NAME
from benchmarks.scale.site import LAYOUT, RUN, ScaleSite
from benchmarks.support.institution import build_dictionaries
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.layouts import load
from deid_tasks.hospital.records import GoldNote
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.runs.reports import EnginePin, GateReport, RunPlan, ShardPlan, ShardReport
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.gold import NewGoldNote, freeze_gold_set
from deid_tasks.platform.workspace import run_dir
from deid_tasks.settings import CacheSettings

_GOLD_NOTES = 160


@dataclass
class Simulated:
    """Seconds that the simulation of notes took inside a stage, which are not the platform's."""

    wall: float = 0
    process: float = 0

    def watched(self, notes: Iterable[GoldNote]) -> Iterator[GoldNote]:
        """Yield the notes, and count the seconds until each is there."""
        remaining = iter(notes)
        while True:
            wall, process = time.monotonic(), time.process_time()
            note = next(remaining, None)
            self.wall += time.monotonic() - wall
            self.process += time.process_time() - process
            if note is None:
                return
            yield note


@dataclass(frozen=True)
class RunSizes:
    """Bytes of one run's notes on their way."""

    texts: int
    shards: int
    """0 before the run."""


def load_raw(site: ScaleSite) -> Simulated:
    """Write the hospital and its notes into the raw tables; return the seconds of the simulation."""
    simulated = Simulated()
    wall, process = time.monotonic(), time.process_time()
    hospital = build_hospital(site.hospital)
    simulated.wall, simulated.process = time.monotonic() - wall, time.process_time() - process
    with closing(psycopg2.connect(site.uri)) as connection:
        load(connection, hospital, simulated.watched(write_notes(hospital)), f"{NAME}_ehr", LAYOUT)
    return simulated


def build_models(site: ScaleSite) -> None:
    """Let dbt build staging, snapshots and dictionaries."""
    build_dictionaries(site.uri, NAME, LAYOUT, site.folder)


def upgrade_tables(site: ScaleSite) -> None:
    """Make the platform's own tables."""
    runs.upgrade_tables(site.settings, site.secrets)


def compile_dictionaries(site: ScaleSite) -> dict[str, Any]:
    """Compile the lexicon and the known people."""
    return runs.compile_dictionaries(site.settings, site.secrets)


def certify(site: ScaleSite) -> EnginePin:
    """Freeze gold notes, evaluate the engine on them, and return the pin of the promoted engine."""
    chosen = list(islice(write_notes(build_hospital(site.hospital)), _GOLD_NOTES))
    for design, part in (("stratified", chosen[0::2]), ("random", chosen[1::2])):
        gold = [
            NewGoldNote(n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.text, n.spans)
            for n in part
        ]
        with connect(site.uri) as connection:
            freeze_gold_set(connection, site.settings, gold, design=design, sample_version="simulated")  # type: ignore[arg-type]
    # The gold notes are notes of the run, whose sentences the cache would have answered before.
    detect = site.settings.detect.model_copy(update={"cache": CacheSettings(enabled=False)})
    runs.evaluate_and_certify(site.settings.model_copy(update={"detect": detect}), site.secrets)
    return runs.pin_engine(site.settings, site.secrets)


def fill_ledger(site: ScaleSite, notes: int, pin: EnginePin) -> None:
    """Give source, ledger and table that many other notes, all of them published, of the year before."""
    _execute(site, f"create table kept_note as select * from {NAME}_ehr.note")
    fill_warehouse(site.settings, site.secrets, notes, fingerprint=pin["fingerprint"])
    publish_ledger(site.settings, site.secrets)
    _execute(site, f"insert into {NAME}_ehr.note select * from kept_note; drop table kept_note; analyze")


def plan(site: ScaleSite) -> RunPlan:
    """Plan the run over all simulated notes."""
    return runs.plan_notes_run(site.settings, site.secrets, RUN, *site.interval)


def detect(site: ScaleSite, pin: EnginePin, shard: ShardPlan) -> ShardReport:
    """Detect and obfuscate one shard."""
    return runs.process_shard(site.settings, site.secrets, RUN, pin, shard)


def gate(site: ScaleSite, pin: EnginePin, done: list[ShardReport]) -> GateReport:
    """Reconcile the run and let it through the gate."""
    return runs.reconcile_run(site.settings, site.secrets, RUN, pin, "notes", done)


def publish(site: ScaleSite, pin: EnginePin, released: GateReport) -> int:
    """Publish the run; return the number of published notes."""
    return runs.publish_notes(site.settings, site.secrets, RUN, pin, released)["notes"]


def follow_changes(site: ScaleSite) -> None:
    """Plan a run of changes where nothing has changed since.

    Raises:
        SystemExit: something has changed: the figures are not those of a run with nothing to do.
    """
    causes = runs.plan_changes_run(site.settings, site.secrets, "changes")["causes"]
    if causes:
        raise SystemExit(f"the source differs from the ledger after the publication: {causes}")


def reconcile(site: ScaleSite) -> None:
    """Count source, ledger and table."""
    runs.reconcile_ledger(site.settings, site.secrets)


def maintain(site: ScaleSite) -> None:
    """Do what weekly maintenance does."""
    runs.compact_table(site.settings, site.secrets)
    runs.expire_snapshots(site.settings, site.secrets)
    runs.prune_files(site.settings, site.secrets)


def sizes(site: ScaleSite) -> RunSizes:
    """Return the bytes of the texts, and of the shards where there are any."""
    with connect(site.uri) as connection, connection.cursor() as cursor:
        cursor.execute(f"select sum(octet_length(note_text))::bigint from {NAME}_ehr.note")
        [(texts,)] = cursor.fetchall()
    files = run_dir(site.settings, RUN)
    shards = sum(path.stat().st_size for path in files.rglob("*") if path.is_file()) if files.is_dir() else 0
    return RunSizes(texts, shards)


def published_bytes(site: ScaleSite) -> int:
    """Return the bytes of the files of the published table."""
    tasks = open_table(site.settings, site.secrets).scan().plan_files()
    return sum(task.file.file_size_in_bytes for task in tasks)


def sentence_counts(reports: Iterable[ShardReport]) -> Counter[str]:
    """Return how the sentences of all shards were answered."""
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report["sentences"])
    return counts


def _execute(site: ScaleSite, statement: str) -> None:
    with connect(site.uri) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
