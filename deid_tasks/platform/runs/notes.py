"""The step of a run that processes one shard of notes into a file of de-identified notes."""

import logging
import time
from collections import Counter

import pyarrow as pa
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.entities import Entity, category_of
from deid_tasks.core.notes import RESULT_SCHEMA, Outcome
from deid_tasks.engine.audit import PatientValues
from deid_tasks.engine.cascade import CascadeDetector
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.observer import NO_OBSERVER, PipelineObserver
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.platform.lineage import lexicon_dataset, recorded_lineage, shards_dataset, warehouse_dataset
from deid_tasks.platform.runs.content_hashes import content_hash
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.originals import sealed_originals
from deid_tasks.platform.runs.pseudonyms import digest_seed, key_pseudonym, ledger_key, slice_pseudonym
from deid_tasks.platform.runs.reports import EnginePin, ShardPlan, ShardReport
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.stage_times import timed_stages
from deid_tasks.platform.telemetry import ShardFigures, record_shard
from deid_tasks.platform.warehouse import Shard, connect, read_patients, read_shard
from deid_tasks.platform.warehouse.needed_records import mark_digest
from deid_tasks.platform.warehouse.notes import ReadNotes
from deid_tasks.platform.warehouse.record_digests import read_record_digests
from deid_tasks.platform.warehouse.work_list import work_days
from deid_tasks.platform.workspace import RunFiles, run_dir
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)


SHARD_SCHEMA = pa.schema(
    [
        *RESULT_SCHEMA,
        # Which version of the note was read; the real times stay in the workspace and the ledger.
        pa.field("note_datetime", pa.timestamp("us"), nullable=False),
        pa.field("author_id", pa.string()),
        pa.field("modified_at", pa.timestamp("us")),
        pa.field("record_digest", pa.string(), nullable=False),
        pa.field("content_hash", pa.string(), nullable=False),
        pa.field("slice_key", pa.string(), nullable=False),
    ]
)
"""Columns of a shard's file."""


@logged_step
def process_shard(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    pin: EnginePin,
    shard: ShardPlan,
    engine: EngineParts | None = None,
) -> ShardReport:
    """Detect, obfuscate and audit one shard, and write one file that appears when it is complete.

    A killed worker leaves nothing that a later step reads; a retry writes a file of its own. If the institution has a
    vault, originals go to a second file beside it, sealed for a key that this worker does not have.

    A note that the engine cannot process is quarantined. An error that no note causes fails the shard, which is
    retried.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        pin: The run's engine.
        shard: The shard.
        engine: The engine that ``pin`` names, if this process has already loaded it.
    """
    engine = engine or load_engine(settings, secrets, pin)
    answered = sentence_counts(engine)
    part = Shard(**shard)
    schema = SHARD_SCHEMA.with_metadata({"fingerprint": engine.fingerprint, "key": key_pseudonym(engine)})
    figures, began = ShardFigures(), time.monotonic()
    replaced = PatientValues()
    files = RunFiles(settings, secrets, run_dir(settings, run_id))
    uri = secrets.text(settings.warehouse.connection_of("engine"))
    with (
        recorded_lineage(settings, "process_shard", secrets, run_id) as lineage,
        connect(uri) as reader,
        connect(uri) as lookup,
        timed_stages(settings.institution) as stages,
        files.new_shard(part, schema) as (target, writer),
        sealed_originals(settings, secrets, engine, target) as keep,
    ):
        lineage.fingerprint = engine.fingerprint
        lineage.inputs = [
            warehouse_dataset(settings, uri, "staging", "stg_note"),
            warehouse_dataset(settings, uri, "staging", "stg_patient"),
            warehouse_dataset(settings, uri, "dictionaries", "dict_patient"),
            lexicon_dataset(settings, pin["lexicon"]),
        ]
        source = ShardSource(settings, secrets, reader, lookup, engine, stages, replaced)
        for day in work_days(reader, settings, run_id, part.index):
            slice_key = slice_pseudonym(source.obfuscator, day)
            for notes in read_shard(reader, settings, run_id, day, part):
                result = source.deidentify(notes, slice_key)
                writer.write_batch(result.replace_schema_metadata(schema.metadata))
                keep(notes.batch, result, slice_key)
                _count(result, figures)
        lineage.outputs = [shards_dataset(settings, uri, figures.notes.total())]
        lineage.counts = {str(outcome): notes for outcome, notes in figures.notes.items()} | {"words": figures.words}
    logger.info(
        "shard=%d of=%d notes=%d quarantined=%d",
        part.index,
        part.count,
        figures.notes.total(),
        figures.notes[Outcome.QUARANTINED],
    )
    figures.sentences = sentence_counts(engine) - answered
    record_shard(settings.institution, figures)
    return {
        "file": target.name,
        "notes": figures.notes.total(),
        "quarantined": figures.notes[Outcome.QUARANTINED],
        "words": figures.words,
        "recovered": dict(figures.recovered),
        "repeats": dict(figures.repeats),
        "judged": dict(figures.judged),
        "sentences": dict(figures.sentences),
        "seconds": round(time.monotonic() - began, 3),
    }


def _count(result: pa.RecordBatch, figures: ShardFigures) -> None:
    """Add a batch of a shard to its figures."""
    figures.notes.update(result["outcome"].to_pylist())
    figures.words += sum(result["words"].to_pylist())
    figures.reasons.update(reason for reason in result["reason"].to_pylist() if reason)
    for repeats in result["repeats"].to_pylist():
        figures.repeats.update(f"{one['scope']}:{one['status']}:{one['category']}" for one in repeats or ())
    for judged in result["judged"].to_pylist():
        for one in judged or ():
            figures.judged[f"{one['decision']}:{category_of(Entity(one['entity']))}"] += 1
            figures.judged["cached"] += one["is_cached"]
            figures.judged["tokens_in"] += one["tokens_in"] or 0
            figures.judged["tokens_out"] += one["tokens_out"] or 0
    for spans, recovered in zip(result["spans"].to_pylist(), result["recovered"].to_pylist(), strict=True):
        figures.spans.update((one["entity"], one["detector"]) for one in spans or ())
        figures.recovered.update(recovered or ())


class ShardSource:
    """De-identifies batches with the records of their patients, and says which version of each note was read."""

    def __init__(
        self,
        settings: InstitutionSettings,
        secrets: Secrets,
        reader: Connection,
        lookup: Connection,
        engine: EngineParts,
        observer: PipelineObserver = NO_OBSERVER,
        replaced: PatientValues | None = None,
    ) -> None:
        """Begin with ``replaced``, the values that notes of the shard had replaced."""
        assert engine.obfuscator is not None
        self.obfuscator = engine.obfuscator
        self._settings, self._reader, self._lookup, self._engine = settings, reader, lookup, engine
        self._observer = observer
        self._key, self._seed = ledger_key(settings, secrets), digest_seed(settings, secrets)
        self._replaced = replaced or PatientValues()
        self._without_patient = frozenset(settings.notes.types_without_patient)

    def deidentify(self, notes: ReadNotes, slice_key: str) -> pa.RecordBatch:
        """Return the rows of ``SHARD_SCHEMA`` of a batch."""
        ids = [one for one in notes.batch["patient_id"].to_pylist() if one is not None]
        # Before the records: a record that changes between the two reads looks changed later, and is read again.
        digests = read_record_digests(self._lookup, self._settings, self._seed, ids)
        patients = read_patients(self._lookup, self._settings, ids)
        context = BatchContext(self._engine, patients, self._without_patient, self._replaced)
        result = deidentify(notes.batch, context, observer=self._observer)
        read = notes.batch.to_pylist()
        added = (
            pa.array([note["note_datetime"] for note in read], pa.timestamp("us")),
            pa.array([note["author_id"] for note in read], pa.string()),
            pa.array(notes.modified_at, pa.timestamp("us")),
            pa.array(
                [mark_digest(self._settings, digests.get(note["patient_id"], ""), note["note_type"]) for note in read]
            ),
            pa.array([content_hash(self._key, note) for note in read]),
            pa.array([slice_key] * len(read)),
        )
        return pa.RecordBatch.from_arrays([*result.columns, *added], schema=SHARD_SCHEMA)


def sentence_counts(engine: EngineParts) -> Counter[str]:
    """Return how many sentences the models were given, and how many the inclusion list and the cache saved.

    ``second_stage`` are those of the read ones that the second model read, too.
    """
    counts: Counter[str] = Counter()
    for detector in engine.detectors:
        if isinstance(detector, SentenceDetector):
            counts += detector.counts
            if isinstance(detector.reader, CascadeDetector):
                counts += Counter(second_stage=detector.reader.second_stage_texts)
    return counts
