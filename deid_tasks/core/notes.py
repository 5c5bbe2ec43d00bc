"""The columns of a batch of notes when it enters the engine and when it leaves it."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import pyarrow as pa

from deid_tasks.core.errors import InputError

SPAN_TYPE = pa.struct(
    [
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
        pa.field("entity", pa.string(), nullable=False),
        pa.field("detector", pa.string(), nullable=False),
        pa.field("score", pa.float32(), nullable=False),
    ]
)

NOTE_SCHEMA = pa.schema(
    [
        pa.field("note_id", pa.string(), nullable=False),
        pa.field("patient_id", pa.string()),
        pa.field("note_type", pa.string()),
        pa.field("note_datetime", pa.timestamp("us")),
        pa.field("author_id", pa.string()),
        pa.field("text", pa.string()),
    ]
)
"""One row a note, as ``stg_note`` holds it; other columns are refused, so that nothing unlisted passes through."""

_STRINGS = tuple(field.name for field in NOTE_SCHEMA if field.type == pa.string() and field.name != "text")


def note_batch(notes: Iterable[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return notes as a batch of ``NOTE_SCHEMA``.

    Args:
        notes: columns by name; missing ones are null. A text that is not valid Unicode, such as one with half of a
            surrogate pair, becomes null, so that the engine quarantines that note and no other.

    Raises:
        InputError: another column is not valid Unicode; the text names the note by its position.
    """
    rows = []
    for position, note in enumerate(notes):
        row = {name: note.get(name) for name in NOTE_SCHEMA.names}
        for name in _STRINGS:
            if not is_unicode(row[name]):
                raise InputError(f"note at position {position}: {name} is not valid Unicode")
        if not is_unicode(row["text"]):
            row["text"] = None
        rows.append(row)
    return pa.RecordBatch.from_pylist(rows, schema=NOTE_SCHEMA)


def is_unicode(value: object) -> bool:
    """Whether ``value`` is anything but a string that UTF-8 cannot encode."""
    if not isinstance(value, str):
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Outcome(StrEnum):
    """What became of one note in one run."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    """Published without a change: nothing in it was replaced."""
    QUARANTINED = "quarantined"
    """Withheld; its reason says why."""
    DETECTED = "detected"
    """Identifiers were found and nothing was rewritten, as the caller had asked."""


class Reason(StrEnum):
    """Why a note was quarantined."""

    NONE = ""
    TOO_LONG = "too_long"
    """Longer than the settings allow."""
    NOT_TEXT = "not_text"
    """Null, or not valid Unicode."""
    ENGINE_ERROR = "engine_error"
    """A step failed on it; ``error_class`` and ``error_location`` say where."""
    NO_PATIENT_RECORD = "no_patient_record"
    """The warehouse has neither a name nor an identifier of its patient, whom nothing could be searched for."""
    AUDIT = "audit_finding"
    """The audit found an identifier of the patient in the output."""
    REPEATED_VALUE = "repeated_value"
    """A value that was replaced once still stood elsewhere in the output."""


class Amounts(NamedTuple):
    """Counts over some notes; drift is judged by them."""

    words: int = 0
    spans: int = 0
    changed_words: int = 0
    """Words that a surrogate replaced, at least in part."""
    agreed_spans: int = 0
    """Spans that two or more detectors found."""

    def plus(self, other: "Amounts") -> "Amounts":
        """Return the sum of both."""
        return Amounts(*(a + b for a, b in zip(self, other, strict=True)))


FINDING_TYPE = pa.struct(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
    ]
)

REPEAT_TYPE = pa.struct(
    [
        pa.field("category", pa.string(), nullable=False),
        pa.field("scope", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
    ]
)

REPLACEMENT_TYPE = pa.struct(
    [
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
        pa.field("original_start", pa.int32(), nullable=False),
        pa.field("original_end", pa.int32(), nullable=False),
    ]
)

JUDGED_TYPE = pa.struct(
    [
        pa.field("entity", pa.string(), nullable=False),
        pa.field("decision", pa.string(), nullable=False),
        pa.field("is_cached", pa.bool_(), nullable=False),
        pa.field("tokens_in", pa.int32()),
        pa.field("tokens_out", pa.int32()),
    ]
)

RESULT_SCHEMA = pa.schema(
    [
        pa.field("note_id", pa.string(), nullable=False),
        pa.field("patient_id", pa.string()),
        pa.field("note_type", pa.string()),
        pa.field("note_key", pa.string(), nullable=False),
        pa.field("patient_key", pa.string()),
        pa.field("author_key", pa.string()),
        pa.field("deid_datetime", pa.timestamp("us")),
        pa.field("deid_text", pa.string()),
        pa.field("spans", pa.list_(SPAN_TYPE)),
        pa.field("recovered", pa.list_(pa.string())),
        pa.field("judged", pa.list_(JUDGED_TYPE)),
        pa.field("findings", pa.list_(FINDING_TYPE)),
        pa.field("repeats", pa.list_(REPEAT_TYPE)),
        pa.field("replacements", pa.list_(REPLACEMENT_TYPE)),
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("error_class", pa.string()),
        pa.field("error_location", pa.string()),
        pa.field("words", pa.int32(), nullable=False),
        pa.field("changed_words", pa.int32(), nullable=False),
        pa.field("agreed_spans", pa.int32(), nullable=False),
        pa.field("milliseconds", pa.float32(), nullable=False),
    ]
)
"""What ``deidentify`` returns: one row a note, in the order given.

- ``note_key``, ``patient_key``, ``author_key``: pseudonyms; ``note_key`` is empty if the engine has no key. The real
  identifiers beside them are for the warehouse only.
- ``deid_datetime``: shifted with the patient's dates. ``deid_text``: null if the note is quarantined or was only
  detected.
- ``recovered``: entities of the spans that were recovered as medical terms.
- ``judged``: spans that a judge was asked about: entity, decision (``engine.judge.JudgeDecision``), whether the answer
  was known, and the tokens that it took; null where the server did not count them.
- ``findings``: what the audit found, as offsets of the rewritten text.
- ``repeats``: values that were replaced once and stood elsewhere in the rewritten text: category, scope (``note`` or
  ``patient``: replaced in another note) and what became of it (``engine.second_search.Status``).
- ``replacements``: offsets of the surrogates in ``deid_text``, and of what they replaced in the original.
- ``error_class``, ``error_location``: class of the exception and ``module:function:line``, if a step failed on the
  note.
- ``changed_words``: words of the original that a surrogate replaced at least in part. ``agreed_spans``: spans that
  two or more detectors found.
"""
