"""De-identifies a DataFrame of notes, wherever Spark reads it from: JDBC, Parquet, Iceberg.

records = patient_records(spark.table("stg_patient"), spark.table("dict_patient"))
clean = deidentify_frame(notes, EngineReference(settings, pin), records)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deid_tasks.core.errors import InputError
from deid_tasks.core.notes import NOTE_SCHEMA, RESULT_SCHEMA
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.engine.failures import WithheldTexts
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.spark.worker_engine import worker_engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_RECORD = "patient_record"
"""The column of the joined record."""
_BATCH_NOTES = 500
"""Notes that a worker reads together; Spark hands over up to ``spark.sql.execution.arrow.maxRecordsPerBatch``."""


@dataclass(frozen=True)
class EngineReference:
    """Names an institution's engine by its settings and the versions of its files, which every executor must reach.

    It is all that travels to the executors; each of their Python workers builds the engine once.
    """

    settings: InstitutionSettings
    pin: EnginePin


def deidentify_frame(
    notes: "DataFrame", engine: EngineReference, patients: "DataFrame | None" = None, secrets: Secrets | None = None
) -> "DataFrame":
    """Return the rows of ``RESULT_SCHEMA`` of notes, computed as ``pipeline.deidentify`` does, in no particular order.

    Args:
        notes: columns of ``NOTE_SCHEMA``; other columns are dropped. ``note_datetime`` may be a timestamp with the
            session's time zone: its wall clock is taken.
        engine: the engine.
        patients: records as ``patient_records`` returns them, one row a patient. Without them no note needs a record,
            and nothing of a patient is searched for.
        secrets: holds the surrogate key on the executors; by default their environment. Another object must be one that
            Spark can send, and then the key passes through Spark.

    Raises:
        InputError: a column is missing.
    """
    from pyspark.sql import functions as f

    if missing := [name for name in NOTE_SCHEMA.names if name not in notes.columns]:
        raise InputError(f"the DataFrame of notes lacks the columns {', '.join(missing)}")
    chosen = notes.select(
        *(
            f.col(name).cast("timestamp_ntz" if name == "note_datetime" else "string").alias(name)
            for name in NOTE_SCHEMA.names
        )
    )
    if patients is not None:
        columns = [name for name in patients.columns if name != "patient_id"]
        records = patients.select(f.col("patient_id").cast("string"), f.struct(*columns).alias(_RECORD))
        chosen = chosen.join(records, "patient_id", "left")

    def run_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return deidentify_batches(batches, engine, secrets or Secrets())

    return chosen.mapInArrow(run_batches, spark_schema(RESULT_SCHEMA))


def patient_records(patients: "DataFrame", terms: "DataFrame") -> "DataFrame":
    """Return one row a patient: ``patient_id``, ``sex``, ``birth_date``, ``ethnicity_hint`` and an array of terms.

    Args:
        patients: the columns of ``stg_patient``, of which the first four are read; one row a patient.
        terms: the columns ``patient_id``, ``kind`` and ``term`` of ``dict_patient``.
    """
    from pyspark.sql import functions as f

    # Sorted by bytes, as PostgreSQL's collation "C" sorts them where the platform reads a record.
    listed = f.sort_array(f.collect_list(f.struct("kind", "term"))).alias("terms")
    people = patients.select("patient_id", "sex", "birth_date", "ethnicity_hint")
    return people.join(terms.groupBy("patient_id").agg(listed), "patient_id", "left")


def deidentify_batches(
    batches: Iterable[pa.RecordBatch], engine: EngineReference, secrets: Secrets
) -> Iterator[pa.RecordBatch]:
    """Yield the results of batches of notes, each with its patient's record in a column; runs on an executor.

    The errors that it raises have safe texts: Spark writes them to its logs.
    """
    with WithheldTexts():
        parts = worker_engine(engine.settings, secrets, engine.pin)
        without_patient = frozenset(engine.settings.notes.types_without_patient)
        for batch in batches:
            has_records = _RECORD in batch.schema.names
            for start in range(0, batch.num_rows, _BATCH_NOTES):
                rows = batch.slice(start, _BATCH_NOTES)
                records = _records(rows) if has_records else {}
                columns = [rows[field.name].cast(field.type) for field in NOTE_SCHEMA]
                notes = pa.RecordBatch.from_arrays(columns, schema=NOTE_SCHEMA)
                yield deidentify(notes, BatchContext(parts, records, without_patient if has_records else None))


def spark_schema(schema: pa.Schema) -> Any:
    """Return Spark's schema of the same columns; a pyarrow time without a zone is a ``timestamp_ntz``."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema, prefer_timestamp_ntz=True)


def _records(rows: pa.RecordBatch) -> dict[str, PatientRecord]:
    """Return the records of a batch's patients by id."""
    found: dict[str, PatientRecord] = {}
    ids = rows["patient_id"].to_pylist()
    for position, patient_id in enumerate(ids):
        if patient_id is None or patient_id in found:
            continue
        record = rows[_RECORD][position].as_py()
        if record is not None:
            found[patient_id] = PatientRecord(
                patient_id,
                record["sex"] or "U",
                record["birth_date"],
                record["ethnicity_hint"] or "unknown",
                tuple(PatientTerm(TermKind(one["kind"]), one["term"]) for one in record["terms"] or ()),
            )
    return found
