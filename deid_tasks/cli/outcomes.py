"""Rows of the pipeline's result as the JSON lines of ``deid detect`` and ``deid obfuscate``."""

from collections import Counter
from typing import Any

from deid_tasks.cli.jsonl import Line
from deid_tasks.core.entities import Entity
from deid_tasks.core.notes import Outcome
from deid_tasks.core.span import Span
from deid_tasks.engine.judge import JudgeDecision
from deid_tasks.engine.obfuscate.policy import FormPolicy, PolicyPiece
from deid_tasks.evidence.annotation.formats.jsonl import span_record
from deid_tasks.evidence.annotation.labels.schemes import Scheme, label_of


def note_record(line: Line, row: dict[str, Any], policy: FormPolicy, scheme: Scheme | None = None) -> dict[str, Any]:
    """Return the output of one note.

    Args:
        line: the note as it was read; its unknown keys pass through.
        row: its row of ``RESULT_SCHEMA``.
        policy: says which spans are identifiers.
        scheme: gives each span its label; spans that it does not mark are left out.

    Returns:
        ``{id, spans}`` of a note that was only detected, ``{id, text}`` of one that was rewritten. A quarantined note
        has neither: ``{id, outcome, reason}``, with ``error`` (exception class and code location) or ``findings``
        (kinds) if there are any.
    """
    record = {"id": line.note_id, **line.extra}
    if is_quarantined(row):
        return record | _quarantine(row)
    if row["outcome"] == Outcome.DETECTED:
        pieces = policy.identifiers(line.text, map(_span, row["spans"]), line.note_datetime)
        return record | {"spans": [_span_record(piece, scheme) for piece in pieces if _has_label(piece, scheme)]}
    return record | {"text": row["deid_text"]}


class JudgeTally:
    """What a judge decided about the notes of a command."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, row: dict[str, Any]) -> None:
        """Count one row of ``RESULT_SCHEMA``."""
        for one in row["judged"] or ():
            self._counts[one["decision"]] += 1
            self._counts["known"] += one["is_cached"]
            self._counts["in"] += one["tokens_in"] or 0
            self._counts["out"] += one["tokens_out"] or 0

    def __str__(self) -> str:
        """Return one sentence for people; empty if nothing was asked."""
        counts = self._counts
        asked = sum(counts[one] for one in JudgeDecision)
        if not asked:
            return ""
        decided = ", ".join(f"{counts[one]} {one}" for one in JudgeDecision)
        return (
            f"judge: {asked} spans, {decided}; {counts['known']} answers known, {counts['in']}+{counts['out']} tokens"
        )


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


def _has_label(piece: PolicyPiece, scheme: Scheme | None) -> bool:
    return scheme is None or label_of(piece.span.entity, scheme) is not None


def _span_record(piece: PolicyPiece, scheme: Scheme | None) -> dict[str, Any]:
    """Return one span with its form and, in a scheme, its label."""
    record = span_record(piece.span) | {"form": str(piece.form)}
    return record if scheme is None else record | {"label": label_of(piece.span.entity, scheme)}


def _span(value: dict[str, Any]) -> Span:
    return Span(value["start"], value["end"], Entity(value["entity"]), value["detector"], value["score"])
