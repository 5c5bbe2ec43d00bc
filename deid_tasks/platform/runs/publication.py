"""De-identified files that passed the gate to the published table."""

import datetime

import pyarrow as pa
import pyarrow.compute as pc

from deid_tasks.core.errors import GateError
from deid_tasks.platform.publish import PUBLISHED_SCHEMA, publish_slice
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.pseudonyms import key_pseudonym, pseudonym, slice_pseudonym
from deid_tasks.platform.runs.reports import EnginePin, GateReport, PublicationReport
from deid_tasks.platform.runs.reviews import check_review
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.slices import announce_slice, close_slice
from deid_tasks.platform.workspace import fingerprint_of, prune_runs, read_batches, shard_files
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def publish_notes(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    pin: EnginePin,
    start: datetime.datetime,
    end: datetime.datetime,
    released: GateReport,
) -> PublicationReport:
    """Replace the run's slice of the published table in one commit.

    Working files stay for a week, so that this step can be repeated.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        pin: The run's engine.
        start: Start of the data interval.
        end: End of the data interval, exclusive.
        released: What ``reconcile_run`` returned.

    Raises:
        GateError: the files are not the files that passed the gate, their certificate is not valid any more, or a
            person must see the run first.
        PublishError: the table cannot be written.
    """
    engine = load_engine(settings, secrets, pin)
    files = shard_files(settings, run_id, released["shards"])
    fingerprint = fingerprint_of(files)
    if not fingerprint == released["fingerprint"] == pin["fingerprint"]:
        raise GateError(f"{settings.institution}: the shards changed after the gate; clear reconcile_and_gate")
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        certificate = valid_certificate(connection, settings, secrets, fingerprint)
        check_review(connection, settings, run_id, fingerprint)
    slice_key, key_id = slice_pseudonym(engine, start, end), key_pseudonym(engine)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        former = announce_slice(connection, settings, (start, end), slice_key, key_id, run_id)
    table = pa.Table.from_batches(
        (_published_rows(batch, settings, slice_key) for batch in read_batches(files)), schema=PUBLISHED_SCHEMA
    )
    summary = {
        "palimpsest.fingerprint": fingerprint,
        "palimpsest.certificate": certificate["certificate_id"],
        "palimpsest.notes": str(table.num_rows),
        "palimpsest.institution": settings.institution,
        "palimpsest.key": key_id,
        # A pseudonym, because the run's id holds the date of its notes.
        "palimpsest.run": pseudonym(engine, "run", run_id),
    }
    publication = publish_slice(settings, secrets, table, slice_key, summary, former)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        close_slice(connection, settings, slice_key, publication.notes, former)
    prune_runs(settings)
    return {"notes": publication.notes, "snapshot_id": publication.snapshot_id, "table": publication.location}


def _published_rows(batch: pa.RecordBatch, settings: InstitutionSettings, slice_key: str) -> pa.RecordBatch:
    """Return the rows of the published table for a batch of results, without quarantined notes."""
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
