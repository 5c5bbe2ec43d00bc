"""What a publication does with each note of a run: write it, remove it, or leave it to a later run."""

import datetime
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from deid_tasks.platform.publish import RemovedRows
from deid_tasks.platform.runs.content_hashes import output_hash
from deid_tasks.platform.warehouse.ledger import EXCLUDED, PUBLISHING, LedgerRow, NoteVersion, SourceNote, WorkItem
from deid_tasks.platform.warehouse.work_list import REMOVALS, Cause


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note of a shard's file: the version that was read, and the ledger's row once it is published."""

    version: NoteVersion
    note_key: str
    row: LedgerRow

    @property
    def announced(self) -> LedgerRow:
        """The row as it stands in the ledger between the announcement and the commit.

        It names the note also where no row will be published, because a former one may still be in the table.
        """
        return replace(self.row, outcome=PUBLISHING, note_key=self.note_key)


@dataclass
class CommitPlan:
    """The rows to write and to remove, and the ledger after it."""

    items: list[WorkItem] = field(default_factory=list)
    written: dict[str, ReadNote] = field(default_factory=dict)
    """Notes whose shard rows count, by id; some of them are quarantined and get no row in the table."""
    excluded: list[LedgerRow] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)
    """Notes that leave the ledger."""
    rows: set[tuple[str, str]] = field(default_factory=set)
    """Slice and note key of the rows to remove."""
    anywhere: set[str] = field(default_factory=set)
    """Keys of notes whose rows are to be removed from whatever slice has them."""
    kept: set[str] = field(default_factory=set)
    """Keys of notes whose rows stay in slices that are replaced."""
    days: set[datetime.date] = field(default_factory=set)
    """Days of the rows that the commit writes or removes."""

    def removed_rows(self, whole_slices: Collection[str]) -> RemovedRows:
        """Return the rows that the commit removes, where these slices are replaced as a whole."""
        return RemovedRows(
            frozenset(whole_slices),
            frozenset(self.kept),
            frozenset((name, key) for name, key in self.rows if name not in whole_slices),
            frozenset(self.anywhere),
        )

    @property
    def retracted(self) -> list[WorkItem]:
        """Notes whose published row was removed because they were deleted or excluded."""
        return [i for i in self.items if i.result == "removed" and i.cause in REMOVALS and i.former_note_key]

    def count(self, result: str) -> int:
        """Return how many notes have this result."""
        return sum(item.result == result for item in self.items)


def plan_commit(
    work: Iterable[WorkItem],
    ledger: Mapping[str, LedgerRow],
    present: Mapping[str, SourceNote],
    read: Mapping[str, ReadNote],
    run_id: str,
) -> CommitPlan:
    """Return what to do with each note of the work list, by what the source holds now.

    - A note that the source does not hold on that day any more is removed, and so is one that is excluded. One that the
      run has already removed stays removed.
    - A note that was read in the version that the source holds now is written.
    - Any other note changed after it was read. It stays as it is published, and the next changes run takes it.

    Args:
        work: The run's work list.
        ledger: Its notes in the ledger.
        present: Its notes in the source.
        read: Its notes in the files of the run's shards.
        run_id: The run.
    """
    plan = CommitPlan()
    for item in work:
        known, now = ledger.get(item.note_id), present.get(item.note_id)
        made = read.get(item.note_id)
        if now is None and known is not None and known.note_day == item.note_day:
            plan.forgotten.add(item.note_id)
            _take_away(plan, item if item.cause == Cause.REDATED else replace(item, cause=str(Cause.DELETED)), known)
        elif now is not None and now.exclusion is not None:
            plan.excluded.append(_excluded_row(item, now, run_id))
            _take_away(plan, replace(item, cause=str(Cause.EXCLUDED)), known)
        elif now is not None and made is not None and made.version == now.version:
            plan.written[item.note_id] = made
            _take_away(plan, item, known, made.row)
        elif now is None and known is None and item.result == "removed":
            # The run removed it before it read any note, and has counted its row then.
            plan.items.append(replace(item, former_slice_key=None, former_note_key=None))
        else:
            # It changed, or the ledger has it on another day meanwhile, which another run published.
            if known is not None and known.note_key is not None:
                plan.kept.add(known.note_key)
            plan.items.append(replace(item, result="left"))
    return plan


def read_version(row: Mapping[str, Any]) -> NoteVersion:
    """Return which version of a note a row of a shard's file was made from."""
    return NoteVersion(
        *(row["patient_id"], row["note_type"], row["note_datetime"], row["author_id"], row["modified_at"]),
        row["record_digest"],
    )


def read_note(row: Mapping[str, Any], run_id: str, fingerprint: str, key: bytes) -> ReadNote:
    """Return a row of a shard's file as the ledger would hold it once it is published."""
    is_published = row["deid_text"] is not None
    return ReadNote(
        read_version(row),
        row["note_key"],
        LedgerRow(
            note_id=row["note_id"],
            patient_id=row["patient_id"],
            note_type=row["note_type"],
            note_datetime=row["note_datetime"],
            note_day=row["note_datetime"].date(),
            author_id=row["author_id"],
            modified_at=row["modified_at"],
            content_hash=row["content_hash"],
            record_digest=row["record_digest"],
            exclusion=None,
            outcome=row["outcome"],
            reason=row["reason"],
            fingerprint=fingerprint,
            made_by=fingerprint,
            output_hash=output_hash(key, row),
            entities=sorted({span["entity"] for span in row["spans"] or ()}),
            slice_key=row["slice_key"] if is_published else None,
            note_key=row["note_key"] if is_published else None,
            run_id=run_id,
        ),
    )


def _take_away(plan: CommitPlan, item: WorkItem, known: LedgerRow | None, made: LedgerRow | None = None) -> None:
    """Remove the published row of a note, if it has one, and record what becomes of the note."""
    if known is not None and known.is_published:
        assert known.note_key is not None
        if known.outcome == PUBLISHING or known.slice_key is None:
            plan.anywhere.add(known.note_key)
        else:
            plan.rows.add((known.slice_key, known.note_key))
        plan.days.add(known.note_day)
    if made is not None and made.note_key is not None:
        plan.days.add(made.note_day)
    plan.items.append(
        replace(
            item,
            result="written" if made is not None and made.note_key is not None else "removed",
            slice_key=made.slice_key if made else None,
            note_key=made.note_key if made else None,
            former_slice_key=known.slice_key if known else None,
            former_note_key=known.note_key if known else None,
        )
    )


def _excluded_row(item: WorkItem, now: SourceNote, run_id: str) -> LedgerRow:
    version = now.version
    return LedgerRow(
        note_id=item.note_id,
        patient_id=version.patient_id,
        note_type=version.note_type,
        note_datetime=version.note_datetime,
        note_day=version.note_datetime.date(),
        author_id=version.author_id,
        modified_at=version.modified_at,
        content_hash=None,
        record_digest="",
        exclusion=now.exclusion,
        outcome=EXCLUDED,
        reason="",
        fingerprint="",
        made_by="",
        output_hash=None,
        entities=[],
        slice_key=None,
        note_key=None,
        run_id=run_id,
    )
