"""Steps of a notes run: planning its shards, and processing one shard into a file of de-identified notes."""

import datetime
import logging
import math
import time
from collections import Counter

import pyarrow.parquet as pq

from deid_tasks.core.files import atomic_path
from deid_tasks.core.notes import RESULT_SCHEMA, Outcome
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.originals import sealed_originals
from deid_tasks.platform.runs.pseudonyms import slice_pseudonym
from deid_tasks.platform.runs.reports import EnginePin, ShardPlan, ShardReport
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import Shard, connect, count_notes, read_patients, read_shard
from deid_tasks.platform.workspace import shard_file
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)


@logged_step
def plan_shards(
    settings: InstitutionSettings, secrets: Secrets, start: datetime.datetime, end: datetime.datetime
) -> list[ShardPlan]:
    """Return the shards of ``[start, end)``; one if there are no notes, so that the empty slice is still published."""
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        notes = count_notes(connection, settings, start, end)
    count = max(1, min(settings.notes.max_shards, math.ceil(notes / settings.notes.shard_notes)))
    logger.info("%d notes of %s until %s in %d shards", notes, start.isoformat(), end.isoformat(), count)
    return [{"index": index, "count": count} for index in range(count)]


@logged_step
def process_shard(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    pin: EnginePin,
    start: datetime.datetime,
    end: datetime.datetime,
    shard: ShardPlan,
) -> ShardReport:
    """Detect, obfuscate and audit one shard, and write one file that appears when it is complete.

    A killed worker leaves nothing that a later step reads; a retry writes the same file again. If the institution has a
    vault, originals go to a second file beside it, sealed for a key that this worker does not have.

    A note that the engine cannot process is quarantined. An error that no note causes fails the shard, and Airflow
    retries it.
    """
    engine = load_engine(settings, secrets, pin)
    types_without_patient = frozenset(settings.notes.types_without_patient)
    part = Shard(**shard)
    schema = RESULT_SCHEMA.with_metadata({"fingerprint": engine.fingerprint})
    outcomes: Counter[str] = Counter()
    recovered: Counter[str] = Counter()
    words, began = 0, time.monotonic()
    target = shard_file(settings, run_id, part)
    with (
        connect(secrets.text(settings.warehouse.connection)) as reader,
        connect(secrets.text(settings.warehouse.connection)) as lookup,
        atomic_path(target) as partial,
        pq.ParquetWriter(partial, schema, compression="zstd") as writer,
        sealed_originals(settings, secrets, engine, target, slice_pseudonym(engine, start, end)) as keep,
    ):
        for batch in read_shard(reader, settings, start, end, part):
            patients = read_patients(lookup, settings, filter(None, batch["patient_id"].to_pylist()))
            result = deidentify(batch, BatchContext(engine, patients, types_without_patient))
            writer.write_batch(result.replace_schema_metadata(schema.metadata))
            keep(batch, result)
            outcomes.update(result["outcome"].to_pylist())
            recovered.update(entity for row in result["recovered"].to_pylist() for entity in row or ())
            words += sum(result["words"].to_pylist())
    logger.info(
        "shard=%d of=%d notes=%d quarantined=%d",
        part.index,
        part.count,
        outcomes.total(),
        outcomes[Outcome.QUARANTINED],
    )
    return {
        "notes": outcomes.total(),
        "quarantined": outcomes[Outcome.QUARANTINED],
        "words": words,
        "recovered": dict(recovered),
        "sentences": dict(_sentence_counts(engine)),
        "seconds": round(time.monotonic() - began, 3),
    }


def _sentence_counts(engine: EngineParts) -> Counter[str]:
    """Return how many sentences the models were given, and how many the inclusion list and the cache saved."""
    counts: Counter[str] = Counter()
    for detector in engine.detectors:
        if isinstance(detector, SentenceDetector):
            counts += detector.counts
    return counts
