"""A DataFrame of notes on a Spark cluster comes out as one process writes it."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import InputError
from deid_tasks.core.notes import NOTE_SCHEMA, RESULT_SCHEMA
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.platform import runs
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.spark.frames import EngineReference, deidentify_frame, patient_records
from tests.spark.conftest import MASTER

PEOPLE = pa.schema(
    [
        ("patient_id", pa.string()),
        ("sex", pa.string()),
        ("birth_date", pa.date32()),
        ("ethnicity_hint", pa.string()),
    ]
)
TERMS = pa.schema([("patient_id", pa.string()), ("kind", pa.string()), ("term", pa.string())])


def listed(names):
    return ", ".join(names)


@pytest.fixture(scope="module")
def tables(site):
    """The notes, patients and terms of the warehouse; one note has no patient, and one no text."""
    notes = pa.Table.from_pylist(
        [
            dict(zip(NOTE_SCHEMA.names, row, strict=True))
            for row in site.rows(
                "select note_id, patient_id, note_type, note_datetime, author_id, note_text"
                " from riverside_staging.stg_note order by note_id"
            )
        ]
        + [
            dict.fromkeys(NOTE_SCHEMA.names) | {"note_id": "a ward's", "text": "Seen by Dr. Okafor on 3/14/2021."},
            dict.fromkeys(NOTE_SCHEMA.names) | {"note_id": "empty"},
        ],
        schema=NOTE_SCHEMA,
    )
    people = site.rows(f"select {listed(PEOPLE.names)} from riverside_staging.stg_patient")
    terms = site.rows(f"select {listed(TERMS.names)} from riverside_dictionaries.dict_patient")
    return [notes] + [
        pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in found], schema=schema)
        for schema, found in ((PEOPLE, people), (TERMS, terms))
    ]


@pytest.fixture(scope="module")
def frames(tables, executor_environment, tmp_path_factory):
    """The tables as Spark reads them from Parquet files."""
    from pyspark.sql import SparkSession

    before = {name: os.environ.get(name) for name in executor_environment}
    os.environ.update(executor_environment)
    folder = tmp_path_factory.mktemp("tables")
    builder = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    try:
        for number, table in enumerate(tables):
            pq.write_table(table, folder / f"{number}.parquet")
        yield [session.read.parquet(str(folder / f"{number}.parquet")) for number in range(len(tables))]
    finally:
        session.stop()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def by_note(table):
    """Return the rows in the order of the notes, without what depends on the notes that were read together.

    That is the time, and the values that another note of the patient had replaced.
    """
    found = table.drop_columns("milliseconds").to_pylist()
    for row in found:
        row["repeats"] = [one for one in row["repeats"] if one["scope"] == "note"]
    return sorted(found, key=lambda row: row["note_id"])


def test_rows_with_records_are_those_of_one_process(site, pin, tables, frames):
    notes, people, _ = tables
    engine = runs.load_engine(site.settings, site.secrets, pin)
    with connect(site.uri) as connection:
        records = read_patients(connection, site.settings, people["patient_id"].to_pylist())
    (batch,) = notes.combine_chunks().to_batches()
    expected = deidentify(batch, BatchContext(engine, records, frozenset()))
    spread = frames[0].repartition(3)
    result = deidentify_frame(spread, EngineReference(site.settings, pin), patient_records(*frames[1:])).toArrow()
    assert result.schema.names == RESULT_SCHEMA.names
    assert by_note(result) == by_note(pa.Table.from_batches([expected]))
    assert {"published", "quarantined"} <= set(result["outcome"].to_pylist())


def test_without_records_no_note_needs_one(site, pin, tables, frames):
    engine = runs.load_engine(site.settings, site.secrets, pin)
    (batch,) = tables[0].combine_chunks().to_batches()
    expected = deidentify(batch, BatchContext(engine))
    result = deidentify_frame(frames[0], EngineReference(site.settings, pin)).toArrow()
    assert by_note(result) == by_note(pa.Table.from_batches([expected]))


def test_a_frame_without_a_column_is_refused(site, pin, frames):
    with pytest.raises(InputError, match="author_id, text"):
        deidentify_frame(frames[0].drop("text", "author_id"), EngineReference(site.settings, pin))
