"""Notes per second and core on Spark beside plain processes, and what a million notes cost at list prices.

    python -m benchmarks.spark                              # 5 minutes of two idle cores; the extra spark, and Java
    python -m benchmarks.spark --notes 400 --cores 4 --price .0425 --price-of "c5 on demand, us-east-1, 2024"

Both read the same notes of 508 tokens of the dev world with the same engine: the shipped models, a lexicon of invented
people, each patient's record, and no cache of sentences. Every worker has built its engine before time counts. Spark is
a ``local-cluster``: executors are processes of their own, with one core each. Core-seconds are those of all processes,
the Java ones too. John Snow Labs' figures are those that they publish: 100,000 notes of 508 tokens on 32 vCPU in 1 h 10
min, and dollars for a million notes on an optimised cluster.
"""

import argparse
import base64
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.support.corpora import hospital_rows, invented_terms
from benchmarks.support.process_trees import core_seconds
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.lexicon import compile_lexicon
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.text import Document
from deid_tasks.platform.runs.institution_engine import lexicon_dir, load_candidate, load_engine
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.settings.secrets import variable_of
from deid_tasks.spark.frames import EngineReference, deidentify_frame
from deid_tasks.spark.requirements import require_spark

TOKENS = 508
_BATCH = 100
_KEY = base64.b64encode(bytes(range(32))).decode()
_PEER = "John Snow Labs, published"
_PEER_SPEED, _PEER_DOLLARS = 100_000 / (70 * 60) / 32, 17.85
"""Notes per second and vCPU, and dollars for a million notes."""
_RECORDS = pa.schema(
    [
        ("patient_id", pa.string()),
        ("sex", pa.string()),
        ("birth_date", pa.date32()),
        ("ethnicity_hint", pa.string()),
        ("terms", pa.list_(pa.struct([("kind", pa.string()), ("term", pa.string())]))),
    ]
)


class Measured(NamedTuple):
    """The seconds of one way."""

    wall: float
    cores: float
    """Processor seconds of all processes."""


def notes_of_length(count: int) -> tuple[pa.Table, Mapping[str, PatientRecord]]:
    """Return notes of ``TOKENS`` tokens, each of one patient's notes in their order, and the patients' records."""
    rows, records = hospital_rows(count * 4)
    texts: dict[str, list[str]] = {}
    for row in rows:
        texts.setdefault(row.document.patient_id or "", []).append(row.document.text)
    found: list[dict[str, object]] = []
    for patient_id, written in texts.items():
        whole = "\n\n".join(written)
        tokens = Document("", whole).tokens
        for first in range(0, len(tokens) - TOKENS + 1, TOKENS):
            text = whole[tokens[first].start : tokens[first + TOKENS - 1].end]
            note = {"note_id": str(len(found)), "patient_id": patient_id, "text": text}
            found.append(dict.fromkeys(NOTE_SCHEMA.names) | note)
    if len(found) < count:
        raise SystemExit(f"only {len(found)} notes of {TOKENS} tokens were made")
    # From all patients: the first ones alone would repeat each other's sentences less than a hospital's do.
    return pa.Table.from_pylist(found[:: len(found) // count][:count], schema=NOTE_SCHEMA), records


@contextmanager
def engine_of(terms: int) -> Iterator[EngineReference]:
    """Yield a reference to an engine whose files are removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-spark-"))
    settings = InstitutionSettings.model_validate(
        {
            "institution": "benchmark",
            "title": "Benchmark",
            "warehouse": {"connection": "ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01"},
            "detect": {
                "patterns": {"identifiers": {"MRN": [r"\bRH\d{7}\b"]}},
                "cache": {"enabled": False},
            },
            "obfuscate": {"key": "key"},
            "publish": {"bucket": "none", "object_store": "none", "catalog": "none"},
            "work_dir": str(folder),
        }
    )
    try:
        secrets = Secrets()
        lexicon_dir(settings).mkdir(parents=True)
        compile_lexicon(invented_terms(terms), lexicon_dir(settings), key=secrets.key("key"))
        yield EngineReference(settings, load_candidate(settings, secrets)[1])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(step: Callable[[], object]) -> Measured:
    """Return the seconds of one step."""
    own = [os.getpid()]
    cores, began = core_seconds(own), time.monotonic()
    step()
    return Measured(time.monotonic() - began, core_seconds(own) - cores)


_engine: EngineParts
_records: Mapping[str, PatientRecord]


def _start_process(
    engine: EngineReference, records: Mapping[str, PatientRecord], first: pa.Table, ready: Barrier
) -> None:
    global _engine, _records
    _engine, _records = load_engine(engine.settings, Secrets(), engine.pin), records
    _run_process(first)
    # No process begins to work while another still builds its engine.
    ready.wait()


def _run_process(rows: pa.Table) -> None:
    for batch in rows.to_batches(max_chunksize=_BATCH):
        deidentify(batch, BatchContext(_engine, _records, frozenset()))


def plain(notes: pa.Table, records: Mapping[str, PatientRecord], engine: EngineReference, cores: int) -> Measured:
    """Measure plain processes, one a core."""
    parts = [notes.slice(first, _BATCH).combine_chunks() for first in range(0, notes.num_rows, _BATCH)]
    context = multiprocessing.get_context("spawn")
    given = (engine, records, notes.slice(0, 5).combine_chunks(), context.Barrier(cores))
    with ProcessPoolExecutor(cores, mp_context=context, initializer=_start_process, initargs=given) as pool:
        # A process starts when a task finds none idle: all of them have to, or they wait for each other for ever.
        for started in [pool.submit(len, ()) for _ in range(cores)]:
            started.result()
        return measure(lambda: list(pool.map(_run_process, parts)))


def spark(notes: pa.Table, records: Mapping[str, PatientRecord], engine: EngineReference, cores: int) -> Measured:
    """Measure ``deidentify_frame`` on as many executors of one core."""
    from pyspark.sql import SparkSession

    folder = Path(engine.settings.work_dir)
    pq.write_table(notes, folder / "notes.parquet")
    rows = [
        {
            "patient_id": one.patient_id,
            "sex": one.sex,
            "birth_date": one.birth_date,
            "ethnicity_hint": one.ethnicity_hint,
            "terms": [{"kind": str(term.kind), "term": term.term} for term in one.terms],
        }
        for one in records.values()
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=_RECORDS), folder / "records.parquet")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local-cluster[{cores},1,2048]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.adaptive.enabled", "false").getOrCreate()
    try:
        session.sparkContext.setLogLevel("ERROR")
        # In parts as long as those of the plain processes.
        read = session.read.parquet(str(folder / "notes.parquet")).repartition(-(-notes.num_rows // _BATCH))
        known = session.read.parquet(str(folder / "records.parquet"))
        deidentify_frame(read.limit(20 * cores).repartition(4 * cores), engine, known).toArrow()
        target = str(folder / "out")
        return measure(lambda: deidentify_frame(read, engine, known).write.parquet(target))
    finally:
        session.stop()


def main() -> None:
    """Measure both ways and print their speed and price."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=1_000, help="notes that each way reads")
    parser.add_argument("--terms", type=int, default=100_000, help="terms of the institution's dictionaries")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--price", type=float, default=0.0425, help="dollars of one vCPU for an hour")
    parser.add_argument("--price-of", default="c5 on demand, us-east-1, $.34 for 8 vCPU, list price of 2024")
    arguments = parser.parse_args()
    require_spark()
    os.environ[variable_of("key")] = _KEY
    os.environ["OMP_NUM_THREADS"] = "1"
    with results("spark", "Spark beside plain processes", arguments) as out, engine_of(arguments.terms) as engine:
        notes, records = notes_of_length(arguments.notes)
        measured = {way.__name__: way(notes, records, engine, arguments.cores) for way in (plain, spark)}
        _print_all(out, arguments, measured)


def _print_all(out: Results, arguments: argparse.Namespace, measured: Mapping[str, Measured]) -> None:
    columns = {
        "way": "",
        "seconds": ",.1f",
        "core-seconds": ",.1f",
        "notes/s/core by the clock": ",.2f",
        "notes per core-second": ",.2f",
        "$ for 1,000,000 notes": ",.2f",
    }
    out.table(f"{arguments.notes:,} notes of {TOKENS} tokens on {arguments.cores} cores", columns)
    for way, one in measured.items():
        # A core is one vCPU here: both are what the machine shows as a processor.
        speed = arguments.notes / one.cores
        clock = arguments.notes / one.wall / arguments.cores
        out.add(way, one.wall, one.cores, clock, speed, 1e6 / speed / 3_600 * arguments.price)
    out.add(_PEER, None, None, _PEER_SPEED, None, _PEER_DOLLARS)
    out.table("Assumptions", {"what": "", "value": ""})
    out.add("price", f"${arguments.price:g} a vCPU and hour: {arguments.price_of}")
    out.add("dollars", "core-seconds × price: machines that are always busy, without storage, network or a start")
    out.add("peer at the same price", f"${1e6 / _PEER_SPEED / 3_600 * arguments.price:,.2f} for 1,000,000 notes")


if __name__ == "__main__":
    main()
