"""What a publication does with notes that the run has removed already."""

import datetime
from dataclasses import replace

from deid_tasks.platform.runs.commit_plan import CommitPlan
from deid_tasks.platform.warehouse.ledger import WorkItem

DELETED = WorkItem("n1", datetime.date(2024, 1, 2), "deleted", is_removal=True)


def test_a_note_that_the_run_removed_before_stays_removed_and_is_retracted_once():
    removed = replace(DELETED, result="removed", former_slice_key="slice", former_note_key="key")
    plan = CommitPlan()
    plan.add([removed], {}, {}, {}, "changes/x")
    assert plan.counts == {"removed": 1}
    assert plan.retracted == []
    assert not plan.removed_rows.is_any


def test_a_note_that_is_neither_published_nor_in_the_source_is_left():
    plan = CommitPlan()
    plan.add([DELETED], {}, {}, {}, "changes/x")
    assert plan.counts == {"left": 1}
