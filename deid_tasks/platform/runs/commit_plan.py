"""What a publication does with each note of a run: write it, remove it, or leave it to a later run."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from deid_tasks.platform.publish import RemovedRows
from deid_tasks.platform.runs.content_hashes import output_hash
from deid_tasks.platform.warehouse.ledger import EXCLUDED, PUBLISHING, LedgerRow, NoteVersion, PresentNote, WorkItem


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note of a shard's file: the version that was read, and the ledger's row if it is published."""

    version: NoteVersion
    note_key: str
    row: LedgerRow

    @property
    def _take_away(plan: CommitPlan, item: WorkItem, known: LedgerRow | None, made: LedgerRow | None = None) -> None:
    """Remove the published row of a note, if it has one, and record what becomes of the note."""
    if known is not None and known.is_published:
        assert known.note_key is not None
        if known.outcome == PUBLISHING or known.slice_key is None:
            plan.anywhere.add(known.note_key)
        else:
            plan.rows.add((known.slice_key, known.note_key))
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


def _excluded_row(item: WorkItem, now: PresentNote, run_id: str) -> LedgerRow:
    version = now.version
    return LedgerRow(
        note_id=item.note_id,
        patient_id=version.patient_id,
        note_type=version.note_type,
        note_datetime=version.note_datetime,
        note_day=version.note_datetime.date(),
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
