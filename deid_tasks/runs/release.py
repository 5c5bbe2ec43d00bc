"""De-identified files to the published table, past the gate."""

import datetime
from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deid_tasks.audit import audit
from deid_tasks.errors import GateError
from deid_tasks.gate import check_figures, run_checks
from deid_tasks.notes import Outcome
from deid_tasks.publish import PUBLISHED_SCHEMA, publish_slice
from deid_tasks.runs.dictionaries import load_engine
from deid_tasks.runs.workspace import fingerprint_of, prune_runs, read_batches, shard_files
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.warehouse import connect, count_notes, read_patients
from deid_tasks.warehouse.results import (
    AuditRow,
    NoteOutcome,
    RunRow,
    newest_certificate,
    replace_outcomes,
    replace_run,
)


def reconcile(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    start: datetime.datetime,
    end: datetime.datetime,
    shards: list[dict[str, Any]],
) -> dict[str, Any]:
    """Write the outcome rows, audit again what would be published, and run the gate.

    Raises:
        GateError: a figure falls short; its text names each one. Nothing is published.
    """
    files = shard_files(settings, run_id, len(shards))
    marked = fingerprint_of(files)
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        counts: Counter[str] = Counter()
        findings = 0
        words = 0
        outcomes: list[NoteOutcome] = []
        audited: list[AuditRow] = []
        for batch in read_batches(files):
            rows = batch.to_pylist()
            patients = read_patients(connection, settings, filter(None, (row["patient_id"] for row in rows)))
            for row in rows:
                counts[row["outcome"]] += 1
                words += row["words"]
                outcomes.append(_outcome(run_id, row, marked))
                audited.extend(
                    AuditRow(run_id, row["note_id"], f["kind"], f["start"], f["end"]) for f in row["findings"] or ()
                )
                if row["deid_text"] is not None:
                    # A second look, at what the file holds rather than at what the worker said of it.
                    findings += len(audit(row["deid_text"], patients.get(row["patient_id"]), ()))
        replace_outcomes(connection, settings, run_id, outcomes, audited)
        notes_read = count_notes(connection, settings, start, end)
        certificate = newest_certificate(connection, settings, marked)
        run = RunRow(
            run_id,
            settings.institution,
            start,
            end,
            marked,
            certificate[0] if certificate else "",
            notes_read,
            counts[Outcome.PUBLISHED],
            counts[Outcome.UNCHANGED],
            counts[Outcome.QUARANTINED],
            words,
            round(sum(float(shard["seconds"]) for shard in shards), 3),
        )
        replace_run(connection, settings, run)
    figures = {
        "unaccounted_notes": float(notes_read - counts.total()),
        "audit_findings": float(findings),
        "quarantined_share": counts[Outcome.QUARANTINED] / max(1, notes_read),
        "certified": float(bool(certificate and certificate[1])),
    }
    failures = check_figures(f"{settings.institution} run", run_checks(settings.gate), figures)
    if failures:
        hint = "" if figures["certified"] else f"; run evaluate__{settings.institution} for a certificate"
        raise GateError(f"{settings.institution}: nothing is published: {'; '.join(failures)}{hint}")
    return {
        "shards": len(shards),
        "notes_read": notes_read,
        "published": counts[Outcome.PUBLISHED] + counts[Outcome.UNCHANGED],
        "quarantined": counts[Outcome.QUARANTINED],
        "fingerprint": marked,
        "certificate": run.certificate_id,
    }


def publish(
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
        GateError: the files are not those that passed the gate, or their certificate is gone.
        PublishError: the table cannot be written.
    """
    engine = load_engine(settings, secrets)
    files = shard_files(settings, run_id, released["shards"])
    marked = fingerprint_of(files)
    if marked != released["fingerprint"]:
        raise GateError(f"{settings.institution}: the shards changed after the gate; clear reconcile_and_gate")
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        certificate = newest_certificate(connection, settings, marked)
    if certificate is None or not certificate[1]:
        raise GateError(f"{settings.institution}: no passing certificate for fingerprint {marked}")
    assert engine.obfuscator is not None
    slice_key = engine.obfuscator.pseudonym("slice", f"{start.isoformat()}/{end.isoformat()}")
    table = pa.Table.from_batches(
        (_published(batch, settings, slice_key) for batch in read_batches(files)), schema=PUBLISHED_SCHEMA
    )
    summary = {
        "palimpsest.fingerprint": marked,
        "palimpsest.certificate": certificate[0],
        "palimpsest.notes": str(table.num_rows),
        "palimpsest.institution": settings.institution,
        # The run's own name holds the date of its notes.
        "palimpsest.run": engine.obfuscator.pseudonym("run", run_id),
    }
    publication = publish_slice(settings, secrets, table, slice_key, summary)
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


def _outcome(run_id: str, row: dict[str, Any], marked: str) -> NoteOutcome:
    return NoteOutcome(
        run_id,
        row["note_id"],
        row["outcome"],
        row["reason"],
        marked,
        row["words"],
        len(row["spans"] or ()),
        row["milliseconds"],
    )
