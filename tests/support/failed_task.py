"""A task of the finished demo that fails on a note."""

import datetime

from tests.support.demo_run import Demo, until

_DAG = "notes__riverside"
_VIEW = "riverside_staging.stg_note"


def fail_on_a_note(demo: Demo, day: datetime.date) -> tuple[str, str]:
    """Make the notes of a day unreadable once a shard has them; return the task that failed, and its log.

    PostgreSQL's error text quotes the note itself.
    """
    columns = "note_id, patient_id, note_type, note_datetime, author_id, modified_at, is_deleted"
    planned = "select from riverside_results.run_note w where w.note_id = n.note_id and w.shard is not null"
    text = f"case when exists ({planned}) then note_text::int::text else note_text end as note_text"
    demo.rows(f"alter view {_VIEW} rename to stg_note_sound")
    demo.rows(f"create view {_VIEW} as select {columns}, {text} from {_VIEW}_sound as n")
    demo.rows(f"grant select on {_VIEW} to riverside_engine, riverside_publish, riverside_evidence")
    demo.backfill(_DAG, day)
    task = until(lambda: next(filter(_has_failed, _tasks_of_day(demo, day.isoformat())), None))
    folder = demo.folder / "logs" / "tasks" / f"dag_id={_DAG}" / f"run_id={task['dag_run_id']}"
    folder = folder / f"task_id={task['task_id']}" / f"map_index={task['map_index']}"
    return task["task_id"], (folder / "attempt=1.log").read_text()


def _tasks_of_day(demo, day):
    runs = [run for run in demo.api.runs(_DAG) if run["logical_date"][:10] == day]
    return [task for run in runs for task in demo.api.tasks(_DAG, run["dag_run_id"])]


def _has_failed(task):
    return task["state"] in {"failed", "up_for_retry"}
