"""The columns a batch of notes has when it enters the engine and when it leaves it."""

from enum import StrEnum
from typing import NamedTuple

import pyarrow as pa

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


class Outcome(StrEnum):
    """What became of one note in one run."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    QUARANTINED = "quarantined"


class Reason(StrEnum):
    """Why a note was quarantined."""

    NONE = ""
    TOO_LONG = "too_long"
    NOT_TEXT = "not_text"
    ENGINE_ERROR = "engine_error"
    AUDIT = "audit_finding"


class Amounts(NamedTuple):
    """How much of some notes is what: the counts that drift is watched by."""

    words: int = 0
    spans: int = 0
    changed_words: int = 0
    """Words that a surrogate replaced, at least in part."""
    agreed_spans: int = 0
    """Spans that two or more detectors found."""

    def plus(self, other: "Amounts") -> "Amounts":
        """Both together."""
        return Amounts(*(a + b for a, b in zip(self, other, strict=True)))


FINDING_TYPE = pa.struct(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
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
        pa.field("findings", pa.list_(FINDING_TYPE)),
        pa.field("replacements", pa.list_(REPLACEMENT_TYPE)),
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("words", pa.int32(), nullable=False),
        pa.field("changed_words", pa.int32(), nullable=False),
        pa.field("agreed_spans", pa.int32(), nullable=False),
        pa.field("milliseconds", pa.float32(), nullable=False),
    ]
)
"""What ``deidentify`` returns: one row a note, in the order given.

``deid_text`` is null where the note is quarantined. ``*_key`` are pseudonyms, ``deid_datetime`` is shifted with the patient's
dates, ``recovered`` the entities of the spans given back as medical terms, ``findings`` are offsets of ``deid_text`` as the audit saw it, ``replacements`` where surrogates stand in it and what they
replaced in the original. ``changed_words`` are the words of
the original that a surrogate replaced at least in part, ``agreed_spans`` the spans that two or more detectors found. The real identifiers are for the warehouse only.
"""
