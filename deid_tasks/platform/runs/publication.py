"""De-identified files that passed the gate to the published table."""

import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deid_tasks.core.errors import GateError
from deid_tasks.platform.publish import PUBLISHED_SCHEMA, publish_slice
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.pseudonyms import key_pseudonym, pseudonym, slice_pseudonym
from deid_tasks.platform.runs.reviews import check_review
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.slices import announce_slice, close_slice
from deid_tasks.platform.workspace import fingerprint_of, prune_runs, read_batches, shard_files
from deid_tasks.settings import InstitutionSettings, Secrets


def publish_notes(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    start: datetime.datetime,
    end: datetime.datetime,
    released: dict[str, Any],
) -> dict[str, Any]:
    """Replace the run's slice of the published table in one commit.

    ``released`` is what ``reconcile`` returned. Working files stay for a week, so that this step may be repeated.

    Raises:
        GateError: the files are not those that passed the gate, their certificate is not valid (any more), or a person must see
            the run first.
        PublishError: the table cannot be written.
    """
    engine = load_engine(settings, secrets)
    files = shard_files(settings, run_id, released["shards"])
    marked = fingerprint_of(files)
    if marked != released["fingerprint"]:
        raise GateError(f"{settings.institution}: the shards changed after the gate; clear reconcile_and_gate")
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        certificate = valid_certificate(connection, settings, secrets, marked)
        check_review(connection, settings, run_id, marked)
    slice_key, key_id = slice_pseudonym(engine, start, end), key_pseudonym(engine)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        former = announce_slice(connection, settings, (start, end), slice_key, key_id, run_id)
    table = pa.Table.from_batches(
        (_published(batch, settings, slice_key) for batch in read_batches(files)), schema=PUBLISHED_SCHEMA
    )
    summary = {
        "palimpsest.fingerprint": marked,
        "palimpsest.certificate": certificate["certificate_id"],
        "palimpsest.notes": str(table.num_rows),
        "palimpsest.institution": settings.institution,
        "palimpsest.key": key_id,
        # The run's own name holds the date of its notes.
        "palimpsest.run": pseudonym(engine, "run", run_id),
    }
    publication = publish_slice(settings, secrets, table, slice_key, summary, former)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        close_slice(connection, settings, slice_key, publication.notes, former)
    prune_runs(settings)
    return {"notes": publication.notes, "snapshot_id": publication.snapshot_id, "table": publication.location}


def _published(batch: pa.RecordBatch, settings: InstitutionSettings, slice_key: str) -> pa.RecordBatch:
    kept = batch.filter(pc.is_valid(batch["deid_text"]))
    constant = {"institution": settings.institution, "slice_key": slice_key}
    columns = {"note_datetime": "deid_datetime", "text": "deid_text"}
    return pa.RecordBatch.from_arrays(
        [
            pa.array([constant[name]] * kept.num_rows, pa.string())
            if name in constant
            else kept[columns.get(name, name)]
            for name in PUBLISHED_SCHEMA.names
        ],
        schema=PUBLISHED_SCHEMA,
    )
