"""De-identified files that passed the gate to the published table, and removed notes out of it."""

import datetime
import logging
import uuid
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.platform.audit_log import audited
from deid_tasks.platform.lineage import published_dataset, recorded_lineage, shards_dataset
from deid_tasks.platform.publish import PUBLISHED_SCHEMA, Publication, replace_notes, table_location
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.commit_plan import CommitPlan, ReadNote, read_note
from deid_tasks.platform.runs.institution_engine import institution_obfuscator
from deid_tasks.platform.runs.missing_notes import held_removals, plan_permitted_changes
from deid_tasks.platform.runs.pseudonyms import digest_seed, ledger_key, slice_pseudonym
from deid_tasks.platform.runs.readmissions import ENDING_WINDOW
from deid_tasks.platform.runs.reports import EnginePin, GateReport, PublicationReport, RemovalReport, RunKind
from deid_tasks.platform.runs.restores import check_not_restored
from deid_tasks.platform.runs.retractions import purge_removed, record_retraction, remove_from_vault
from deid_tasks.platform.runs.reviews import check_review
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.ended_exclusions import record_exclusions
from deid_tasks.platform.warehouse.ledger import (
    end_publication,
    forget_notes,
    lock_publication,
    read_ledger,
    read_present,
    read_work,
    unplanned_keys,
    upsert_ledger,
    write_results,
    written_notes,
)
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.results import record_removal_run, record_removed
from deid_tasks.platform.warehouse.shards import save_work_list
from deid_tasks.platform.warehouse.slices import announce_slices, close_slices, former_slices
from deid_tasks.platform.warehouse.work_list import Part, whole_days
from deid_tasks.platform.workspace import RunFiles, prune_runs, run_dir
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)


@logged_step
def remove_notes(settings: InstitutionSettings, secrets: Secrets, run_id: str) -> RemovalReport:
    """Remove the rows of the run's notes that were deleted or excluded, before any note is processed.

    This needs no engine and no certificate: what must leave the table never waits for an evaluation. The vault's
    entries of these notes are removed too. Notes that the source lacks stay where they are more than
    ``changes.max_removed_share`` lets go.
    """
    plan, publication = _Commit(settings, secrets, run_id).publish([], {}, only_removals=True)
    return {
        "removed": len(plan.rows) + len(plan.anywhere),
        "snapshot_id": publication.snapshot_id,
        "days": _iso_days(plan),
    }


@logged_step
def record_removals(
    settings: InstitutionSettings, secrets: Secrets, run_id: str, kind: RunKind, removed: RemovalReport
) -> PublicationReport:
    """Record a run that removed notes and had none to process, so that it stands among the others.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        kind: The kind of the run.
        removed: What ``remove_notes`` returned; it removed at least one note.
    """
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        record_removal_run(
            connection,
            settings,
            run_id,
            kind,
            [datetime.date.fromisoformat(day) for day in removed["days"]],
            removed["removed"],
        )
    return {
        "notes": 0,
        "removed": removed["removed"],
        "left": 0,
        "snapshot_id": removed["snapshot_id"],
        "table": table_location(settings),
        "days": removed["days"],
    }


@logged_step
def retract_at_once(settings: InstitutionSettings, secrets: Secrets) -> dict[str, int]:
    """Remove every deleted and excluded note now, with its former snapshots and files, and not in the next run.

    ``held`` counts notes that the source lacks and that stay until a person approves their removal.
    """
    run_id = f"retract/{uuid.uuid4()}"
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        refresh_merges(connection, settings)
        _, held = plan_permitted_changes(connection, settings, secrets, only_removals=True)
        save_work_list(connection, settings, run_id)
    missing = held["notes"] if held else 0
    removed = remove_notes(settings, secrets, run_id)
    purged = purge_removed(settings, secrets, at_once=True)
    return {"removed": removed["removed"], "files": purged["files"] + purged["working_files"], "held": missing}


@logged_step
def publish_notes(
    settings: InstitutionSettings, secrets: Secrets, run_id: str, pin: EnginePin, released: GateReport
) -> PublicationReport:
    """Write what the run read, in place of what was published of the same notes, in one commit.

    What was read is compared with what the source holds now. A note that changed meanwhile is left as it is published,
    and one that left the source or was excluded is removed. Working files stay until ``delete_run_files``, so that this
    step can be repeated.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        pin: The run's engine.
        released: What ``reconcile_run`` returned.

    Raises:
        GateError: the files are not the files that passed the gate or were made under another surrogate key, their
            certificate is not valid any more, a person must see the run first, or the warehouse was restored from a
            backup meanwhile.
        PublishError: the table cannot be written.
    """
    shards = RunFiles(settings, secrets, run_dir(settings, run_id))
    check_not_restored(settings, secrets)
    with (
        recorded_lineage(settings, "publish_notes", secrets, run_id) as lineage,
        shards.opened(released["files"]) as files,
    ):
        fingerprint = shards.fingerprint_of(files)
        if not fingerprint == released["fingerprint"] == pin["fingerprint"]:
            raise GateError(f"{settings.institution}: the shards changed after the gate; clear reconcile_and_gate")
        shards.check_key(files, institution_obfuscator(settings, secrets).pseudonym("key", ""))
        with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
            certificate = valid_certificate(connection, settings, secrets, fingerprint)
            check_review(connection, settings, secrets, run_id, fingerprint)
        summary = {"palimpsest.fingerprint": fingerprint, "palimpsest.certificate": certificate["certificate_id"]}
        lineage.fingerprint, lineage.certificate = fingerprint, certificate["certificate_id"]
        lineage.inputs = [shards_dataset(settings, secrets.text(settings.warehouse.connection_of("publish")))]
        plan, publication = _Commit(settings, secrets, run_id).publish(files, summary, fingerprint)
        lineage.counts = dict(plan.counts)
        lineage.outputs = [published_dataset(settings, lineage.inputs[0], publication.snapshot_id, publication.notes)]
    left = plan.counts["left"]
    if left:
        logger.warning("%s: %d notes changed while the run read them; the next changes run takes them", run_id, left)
    prune_runs(settings, secrets)
    return {
        "notes": publication.notes,
        "removed": plan.counts["removed"],
        "left": left,
        "snapshot_id": publication.snapshot_id,
        "table": publication.location,
        "days": _iso_days(plan),
    }


class _Commit:
    """One commit of a run to the published table, and the ledger before and after it."""

    def __init__(self, settings: InstitutionSettings, secrets: Secrets, run_id: str) -> None:
        self._settings, self._secrets, self._run_id = settings, secrets, run_id
        self._uri = secrets.text(settings.warehouse.connection_of("publish"))
        self._obfuscator: Obfuscator = institution_obfuscator(settings, secrets)
        self._seed, self._key = digest_seed(settings, secrets), ledger_key(settings, secrets)
        self._shards = RunFiles(settings, secrets, run_dir(settings, run_id))

    def publish(
        self,
        files: list[Path],
        summary: Mapping[str, str],
        fingerprint: str = "",
        *,
        only_removals: bool = False,
    ) -> tuple[CommitPlan, Publication]:
        """Write the shards' rows and remove others, and bring the ledger up to date.

        One run of an institution publishes at a time. The ledger's rows say ``publishing`` from before the table's
        commit until after it, so that a killed run is noticed by the next one. One shard at a time is in memory.
        """
        settings, run_id = self._settings, self._run_id
        with connect(self._uri) as lock:
            lock_publication(lock, settings)
            with connect(self._uri) as connection:
                # Every way into the table passes here: what is excluded now stays so until its end is meant.
                record_exclusions(connection, settings, ENDING_WINDOW)
            with connect(self._uri) as connection:
                days = [] if only_removals else whole_days(connection, settings, run_id)
                slices = {day: slice_pseudonym(self._obfuscator, day) for day in days}
                former = former_slices(connection, settings, slices, days)
                whole = {*slices.values(), *former}
                plan = CommitPlan(whole)
                self._plan(connection, plan, files, fingerprint, only_removals=only_removals)
                held = held_removals(connection, settings, self._secrets, plan.missing)
                if held is not None:
                    # The first plan goes, with what it wrote into the ledger.
                    connection.rollback()
                    plan = CommitPlan(whole, keeps_missing=True)
                    self._plan(connection, plan, files, fingerprint, only_removals=only_removals)
                    logger.warning("%s: %d missing notes stay: %s", run_id, plan.missing, held["reason"])
                slices |= plan.slices
                key_id = self._obfuscator.pseudonym("key", "")
                announce_slices(connection, settings, slices, key_id, run_id)
            publication = Publication(0, 0, table_location(settings))
            removed = plan.removed_rows
            if plan.counts["written"] or removed.is_any:
                said = self._summary(summary, plan.counts["written"], key_id)
                publication = replace_notes(settings, self._secrets, self._published_rows(files), removed, said)
            # A run that is killed from here on does this again: the ledger still has the removed notes.
            remove_from_vault(settings, self._secrets, plan.retracted)
            with audited(settings, self._secrets, self._uri) as audit:
                connection = audit.connection
                record_retraction(audit, settings, self._secrets, run_id, plan.retracted, publication.snapshot_id)
                end_publication(connection, settings, run_id)
                upsert_ledger(connection, settings, plan.excluded)
                forget_notes(connection, settings, plan.forgotten)
                close_slices(connection, settings, plan.touched | set(slices.values()), former, plan.whole_slices)
                record_removed(connection, settings, run_id, plan.counts["removed"])
        plan.days.update(days)
        return plan, publication

    def _plan(
        self,
        connection: Connection,
        plan: CommitPlan,
        files: list[Path],
        fingerprint: str,
        *,
        only_removals: bool,
    ) -> None:
        """Plan the parts of the run one after the other, and record in the ledger what is about to be written."""
        settings, run_id = self._settings, self._run_id
        parts: list[Part] = ["unassigned", *range(len(files))]
        for part in parts:
            work = read_work(connection, settings, run_id, part)
            if only_removals:
                work = [item for item in work if item.is_removal]
            read: dict[str, ReadNote] = {}
            for batch in self._shards.read_batches([files[part]] if isinstance(part, int) else []):
                for row in batch.to_pylist():
                    read[row["note_id"]] = read_note(row, run_id, fingerprint, self._key)
            present = read_present(connection, settings, run_id, self._seed, part)
            done = plan.add(work, read_ledger(connection, settings, run_id, part), present, read, run_id)
            upsert_ledger(connection, settings, done.announced)
            write_results(connection, settings, run_id, done.items)
        # Another run may have published late notes of these days since this run was planned.
        plan.kept |= unplanned_keys(connection, settings, run_id)

    def _published_rows(self, files: list[Path]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the published table: the written notes without quarantined ones."""
        for shard, path in enumerate(files):
            with connect(self._uri) as connection:
                written = written_notes(connection, self._settings, self._run_id, shard)
            for batch in self._shards.read_batches([path]):
                yield _published_rows(batch, self._settings, written)

    def _summary(self, summary: Mapping[str, str], notes: int, key_id: str) -> dict[str, str]:
        return {
            **summary,
            "palimpsest.notes": str(notes),
            "palimpsest.institution": self._settings.institution,
            "palimpsest.policy": self._settings.policy.name,
            "palimpsest.key": key_id,
            # A pseudonym, because the run's id holds the date of its notes.
            "palimpsest.run": self._obfuscator.pseudonym("run", self._run_id),
        }


def _iso_days(plan: CommitPlan) -> list[str]:
    return [day.isoformat() for day in sorted(plan.days)]


def _published_rows(batch: pa.RecordBatch, settings: InstitutionSettings, written: Collection[str]) -> pa.RecordBatch:
    """Return the rows of the published table for a batch of results."""
    is_written = pa.array([note in written for note in batch["note_id"].to_pylist()], pa.bool_())
    kept = batch.filter(pc.and_(is_written, pc.is_valid(batch["deid_text"])))
    columns = {"note_datetime": "deid_datetime", "text": "deid_text"}
    return pa.RecordBatch.from_arrays(
        [
            pa.array([settings.institution] * kept.num_rows, pa.string())
            if name == "institution"
            else kept[columns.get(name, name)]
            for name in PUBLISHED_SCHEMA.names
        ],
        schema=PUBLISHED_SCHEMA,
    )
