"""Rows of the pipeline's result as the JSON lines of ``deid detect`` and ``deid obfuscate``."""

from typing import Any

from deid_tasks.cli.jsonl import Line
from deid_tasks.core.entities import Entity
from deid_tasks.core.notes import Outcome
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.jsonl import span_record


def note_record(line: Line, row: dict[str, Any]) -> dict[str, Any]:
    """Return the output of one note.

    Args:
        line: the note as it was read; its unknown keys pass through.
        row: its row of ``RESULT_SCHEMA``.

    Returns:
        ``{id, spans}`` of a note that was only detected, ``{id, text}`` of one that was rewritten. A quarantined note
        has neither: ``{id, outcome, reason}``, with ``error`` (exception class and code location) or ``findings``
        (kinds) if there are any.
    """
    record = {"id": line.note_id, **line.extra}
    if is_quarantined(row):
        return record | _quarantine(row)
    if row["outcome"] == Outcome.DETECTED:
        return record | {"spans": [span_record(_span(span)) for span in row["spans"]]}
    return record | {"text": row["deid_text"]}


def is_quarantined(row: dict[str, Any]) -> bool:
    """Whether the note of ``row`` is withheld."""
    return bool(row["outcome"] == Outcome.QUARANTINED)


def _quarantine(row: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"outcome": row["outcome"], "reason": row["reason"]}
    if row["error_class"]:
        record["error"] = {"exception": row["error_class"], "location": row["error_location"]}
    if row["findings"]:
        record["findings"] = sorted({finding["kind"] for finding in row["findings"]})
    return record


def _span(value: dict[str, Any]) -> Span:
    return Span(value["start"], value["end"], Entity(value["entity"]), value["detector"], value["score"])
