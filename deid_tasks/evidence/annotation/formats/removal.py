"""Single notes out of files that annotators work in; the other notes and all work on them stay."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import write_atomically
from deid_tasks.evidence.annotation.formats.files import note_id_of, read_text
from deid_tasks.evidence.annotation.formats.label_studio import task_array

_ONE_NOTE = frozenset({".txt", ".ann", ".xml"})
"""Suffixes of files that hold one note each, which their names tell."""


def remove_annotated_notes(path: Path, note_ids: Collection[str]) -> bool:
    """Remove notes from one file, or the file if it holds no other; return whether it held any of them.

    Args:
        path: a task list or a delivery in one of the formats that are written; other files stay as they are.
        note_ids: ids of the notes.

    Raises:
        InputError: the file is damaged, so that its notes cannot be told.
    """
    if path.suffix in _ONE_NOTE:
        if note_id_of(path) not in note_ids:
            return False
        path.unlink(missing_ok=True)
        return True
    if path.suffix == ".jsonl":
        return _remove_lines(path, note_ids)
    return path.suffix == ".json" and _remove_tasks(path, note_ids)


def _remove_lines(path: Path, note_ids: Collection[str]) -> bool:
    # Not splitlines: a text may hold other characters that end a line.
    lines = [line for line in read_text(path).split("\n") if line.strip()]
    retained = [line for line in lines if _note_id(_parsed(line, path)) not in note_ids]
    return _write_rest(path, "".join(f"{line}\n" for line in retained), len(lines) - len(retained))


def _remove_tasks(path: Path, note_ids: Collection[str]) -> bool:
    tasks = _parsed(read_text(path), path)
    if not isinstance(tasks, list):
        # The manifest of a list, which names no note.
        return False
    retained = [json.dumps(task, ensure_ascii=False) for task in tasks if _note_id_of_task(task) not in note_ids]
    return _write_rest(path, "".join(task_array(retained)) if retained else "", len(tasks) - len(retained))


def _write_rest(path: Path, text: str, removed: int) -> bool:
    if removed and text:
        write_atomically(path, text)
    elif removed:
        path.unlink(missing_ok=True)
    return bool(removed)


def _parsed(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(
            f"{path}: is not valid JSON, so it cannot be told whether it holds a note that must be removed; repair or"
            " delete it"
        ) from None


def _note_id_of_task(task: Any) -> str:
    return _note_id(task.get("data") if isinstance(task, dict) else None)


def _note_id(record: Any) -> str:
    """Return the id of the note in a line or a task, wherever the format puts it."""
    if not isinstance(record, dict):
        return ""
    meta = record.get("meta")
    found = record.get("note_id") or (meta.get("note_id") if isinstance(meta, dict) else None)
    # Tools number their records in "id"; only the format of the command line names the note there.
    return str(found if found is not None else record.get("id", ""))
