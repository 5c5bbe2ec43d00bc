"""What a publication does with each note of a run: write it, remove it, or leave it to a later run."""

import datetime
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from deid_tasks.platform.publish import RemovedRows
from deid_tasks.platform.runs.content_hashes import output_hash
from deid_tasks.platform.warehouse.ledger import EXCLUDED, PUBLISHING, LedgerRow, NoteVersion, SourceNote, WorkItem
from deid_tasks.platform.warehouse.work_list import REMOVALS, Cause

_OTHER_REMOVALS = frozenset({Cause.REDATED, Cause.EXCLUDED})
"""Causes of removals of notes that are not missing in the source, or that were excluded before."""


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
class PartPlan:
    """What a commit does with the notes of one part of a run."""

    items: list[WorkItem] = field(default_factory=list)
    written: list[ReadNote] = field(default_factory=list)
    """Notes whose shard rows count; some of them are quarantined and get no row in the table."""
    removed: list[LedgerRow] = field(default_factory=list)
    """The ledger's rows of the notes whose published rows are removed without a successor."""

    @property
    def announced(self) -> Iterator[LedgerRow]:
        """The ledger's rows between the announcement and the commit.

        A removed note is announced too. Where the run is killed after the commit, the source may hold the note again as
        the ledger had it, and nothing else would say that its row is gone.
        """
        yield from (one.announced for one in self.written)
        yield from (replace(one, outcome=PUBLISHING) for one in self.removed)


@dataclass
class CommitPlan:
    """The rows that a commit removes, and what it does to the ledger, for all parts of a run together.

    Nothing in it grows with the notes that are written: these are recorded part by part.
    """

    whole_slices: Collection[str] = frozenset()
    """Slices of which every row is removed."""
    keeps_missing: bool = False
    """Whether published notes stay that the source does not hold any more, and nobody excluded."""
    missing: int = 0
    """How many such notes there are."""
    counts: Counter[str] = field(default_factory=Counter)
    """Notes by result."""
    retracted: list[WorkItem] = field(default_factory=list, repr=False)
    """Notes whose published row is removed because they were deleted or excluded."""
    excluded: list[LedgerRow] = field(default_factory=list, repr=False)
    forgotten: set[str] = field(default_factory=set, repr=False)
    """Notes that leave the ledger."""
    rows: set[tuple[str, str]] = field(default_factory=set, repr=False)
    """Slice and note key of the rows to remove from other slices."""
    anywhere: set[str] = field(default_factory=set, repr=False)
    """Keys of notes whose rows are to be removed from whatever slice has them."""
    kept: set[str] = field(default_factory=set, repr=False)
    """Keys of notes whose rows stay in slices that are replaced."""
    days: set[datetime.date] = field(default_factory=set)
    """Days of the rows that the commit writes or removes."""
    slices: dict[datetime.date, str] = field(default_factory=dict)
    """Slice of each day that gets rows."""
    touched: set[str] = field(default_factory=set)
    """Slices that get or lose rows."""

    @property
    def removed_rows(self) -> RemovedRows:
        """The rows that the commit removes."""
        return RemovedRows(
            frozenset(self.whole_slices), frozenset(self.kept), frozenset(self.rows), frozenset(self.anywhere)
        )

    def add(
        self,
        work: Iterable[WorkItem],
        ledger: Mapping[str, LedgerRow],
        present: Mapping[str, SourceNote],
        read: Mapping[str, ReadNote],
        run_id: str,
    ) -> PartPlan:
        """Add what to do with each note of a part of the work list, by what the source holds now, and return it.

        - A note that the source does not hold on that day any more is removed unless the plan keeps missing notes, and
          so is one that is excluded. One that the run has already removed stays removed.
        - A note that was read in the version that the source holds now is written, unless it was excluded and the
          source does not say any more whose it is.
        - Any other note changed after it was read. It stays as it is published, and the next changes run takes it.

        Args:
            work: The part of the run's work list.
            ledger: Its notes in the ledger.
            present: Its notes in the source.
            read: Its notes in the file of the shard.
            run_id: The run.
        """
        part = PartPlan()
        for item in work:
            known, now = ledger.get(item.note_id), present.get(item.note_id)
            made = read.get(item.note_id)
            is_gone = now is None and known is not None and known.note_day == item.note_day
            is_missing = is_gone and item.cause not in _OTHER_REMOVALS
            self.missing += is_missing and known is not None and known.is_published
            if is_gone and known is not None and not (is_missing and self.keeps_missing):
                self.forgotten.add(item.note_id)
                part.removed += [known] if known.is_published else []
                cause = str(Cause.DELETED) if is_missing else item.cause
                done = self._take_away(replace(item, cause=cause), known)
            elif now is not None and now.exclusion is not None:
                self.excluded.append(_excluded_row(item, now, run_id))
                part.removed += [known] if known is not None and known.is_published else []
                done = self._take_away(replace(item, cause=str(Cause.EXCLUDED)), known)
            elif now is not None and made is not None and made.version == now.version and not _lost_patient(known, now):
                part.written.append(made)
                done = self._take_away(item, known, made.row)
            elif now is None and known is None and item.result == "removed":
                # The run removed it before it read any note, and has counted its row then.
                done = replace(item, former_slice_key=None, former_note_key=None, outcome=None)
            else:
                # It changed, or the ledger has it on another day meanwhile, which another run published.
                if known is not None and known.note_key is not None:
                    self.kept.add(known.note_key)
                done = replace(item, result="left", outcome=None)
            part.items.append(done)
            self._count(done)
        return part

    def _take_away(self, item: WorkItem, known: LedgerRow | None, made: LedgerRow | None = None) -> WorkItem:
        """Remove the published row of a note, if it has one, and return what becomes of the note."""
        if known is not None and known.is_published:
            assert known.note_key is not None
            if known.outcome == PUBLISHING or known.slice_key is None:
                self.anywhere.add(known.note_key)
            elif known.slice_key not in self.whole_slices:
                self.rows.add((known.slice_key, known.note_key))
            self.days.add(known.note_day)
        if made is not None and made.note_key is not None:
            self.days.add(made.note_day)
        if made is not None and made.slice_key is not None:
            self.slices[made.note_day] = made.slice_key
        return replace(
            item,
            result="written" if made is not None and made.note_key is not None else "removed",
            slice_key=made.slice_key if made else None,
            note_key=made.note_key if made else None,
            outcome=made.outcome if made else None,
            former_slice_key=known.slice_key if known else None,
            former_note_key=known.note_key if known else None,
        )

    def _count(self, item: WorkItem) -> None:
        self.counts[str(item.result)] += 1
        self.touched.update(name for name in (item.slice_key, item.former_slice_key) if name)
        if item.result == "removed" and item.cause in REMOVALS and item.former_note_key:
            self.retracted.append(item)


def _lost_patient(known: LedgerRow | None, now: SourceNote) -> bool:
    """Whether an excluded note has lost its patient, by whom it may be excluded."""
    return (
        known is not None
        and known.exclusion is not None
        and known.patient_id is not None
        and now.version.patient_id is None
    )


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
