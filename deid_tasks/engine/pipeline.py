"""The way of a batch through the engine. Every step is called from here, and no step calls another.

``deidentify`` is one pure function of a batch and a context: the command line, an Airflow mapped task and Spark's
``mapInArrow`` all call the same one.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from deid_tasks.core.errors import DeidError
from deid_tasks.core.notes import NOTE_SCHEMA, RESULT_SCHEMA, Amounts, Outcome, Reason
from deid_tasks.core.span import Span
from deid_tasks.engine.audit import Finding, audit
from deid_tasks.engine.engine import Context
from deid_tasks.engine.obfuscate import Obfuscated, Obfuscator
from deid_tasks.engine.resolve import Detection, SpansByDetector, settle_all
from deid_tasks.engine.text import Document

Row = dict[str, Any]


def measure(document: Document, detection: Detection, rewritten: Obfuscated) -> Amounts:
    """The amounts of one note; the same count for the notes of a run and for gold notes."""
    words = [token for token in document.tokens if document.text[token.start].isalnum()]
    starts, ends = [word[0] for word in words], [word[1] for word in words]
    changed = reached = 0
    for start, end in rewritten.originals:
        first, last = max(reached, bisect_right(ends, start)), bisect_left(starts, end)
        changed += max(0, last - first)
        reached = max(reached, last)
    return Amounts(len(words), len(detection.spans), changed, detection.agreed)


def detect(documents: Sequence[Document], context: Context) -> list[Detection]:
    """Detect, merge and recover: the identifiers of each document, in the order given."""
    by_detector = find(documents, context)
    return settle_all(documents, by_detector, context.engine)


def find(documents: Sequence[Document], context: Context) -> list[SpansByDetector]:
    """What each detector finds in each document, before anything is merged."""
    by_detector: list[dict[str, list[Span]]] = [{} for _ in documents]
    for detector in context.detectors():
        for found, spans in zip(by_detector, detector.detect(documents), strict=True):
            found.setdefault(detector.name, []).extend(spans)
    return list(by_detector)


def deidentify(batch: pa.RecordBatch, context: Context) -> pa.RecordBatch:
    """De-identify one batch of notes.

    Args:
        batch: columns of ``NOTE_SCHEMA``, in any order; texts are code points.
        context: the engine, with a surrogate key, and the records of the batch's patients.

    Returns:
        One row a note of ``RESULT_SCHEMA``, in the order given. A note that cannot be processed is quarantined with its reason; the
        others are not touched by it.

    Raises:
        ValueError: the batch lacks a column, has one too many, or the engine has no key.
    """
    obfuscator = context.engine.obfuscator
    if obfuscator is None:
        raise ValueError("the engine was built without a surrogate key, so it can detect only")
    if sorted(batch.schema.names) != sorted(NOTE_SCHEMA.names):
        raise ValueError(f"a batch has the columns {', '.join(NOTE_SCHEMA.names)}, and no others")
    notes = batch.to_pylist()
    refused = {i: reason for i, note in enumerate(notes) if (reason := _refusal(note, context.engine.max_characters))}
    readable = {i: _document(note) for i, note in enumerate(notes) if i not in refused}
    started = time.perf_counter()
    detections = _detect_each(readable, context)
    share = (time.perf_counter() - started) * 1_000 / max(1, len(readable))
    rows = []
    for i, note in enumerate(notes):
        if i in refused or detections[i] is None:
            rows.append(_row(note, obfuscator, Outcome.QUARANTINED, refused.get(i, Reason.ENGINE_ERROR)))
            continue
        rows.append(_rewrite(note, readable[i], detections[i], context, obfuscator, share))
    return pa.RecordBatch.from_pylist(rows, schema=RESULT_SCHEMA)


def _detect_each(documents: Mapping[int, Document], context: Context) -> dict[int, Detection | None]:
    """Detections by row; ``None`` for a note that no detector could get through, found by reading the batch note by note."""
    try:
        return dict(zip(documents, detect(list(documents.values()), context), strict=True))
    except DeidError:
        raise
    except Exception:
        if len(documents) == 1:
            return dict.fromkeys(documents)
        found: dict[int, Detection | None] = {}
        for i, document in documents.items():
            found.update(_detect_each({i: document}, context))
        return found


def _refusal(note: Row, max_characters: int) -> Reason | None:
    text = note["text"]
    if not isinstance(text, str):
        return Reason.NOT_TEXT
    return Reason.TOO_LONG if len(text) > max_characters else None


def _document(note: Row) -> Document:
    patient, kind = note["patient_id"], note["note_type"]
    return Document(
        str(note["note_id"]),
        str(note["text"]),
        None if patient is None else str(patient),
        None if kind is None else str(kind),
    )


def _rewrite(
    note: Row, document: Document, detection: Detection | None, context: Context, obfuscator: Obfuscator, share: float
) -> Row:
    if detection is None:
        return _row(note, obfuscator, Outcome.QUARANTINED, Reason.ENGINE_ERROR)
    started = time.perf_counter()
    patient = context.patients.get(document.patient_id or "")
    try:
        rewritten = obfuscator.obfuscate(document, detection.spans, patient, note["note_datetime"])
    except Exception:
        return _row(note, obfuscator, Outcome.QUARANTINED, Reason.ENGINE_ERROR)
    findings = audit(rewritten.text, patient, rewritten.replaced)
    row = _row(
        note,
        obfuscator,
        Outcome.PUBLISHED if rewritten.text != document.text else Outcome.UNCHANGED,
        Reason.NONE,
        spans=detection.spans,
        recovered=detection.recovered,
        findings=findings,
        amounts=measure(document, detection, rewritten),
        milliseconds=share + (time.perf_counter() - started) * 1_000,
    )
    if findings:
        row |= {"outcome": str(Outcome.QUARANTINED), "reason": str(Reason.AUDIT)}
    else:
        row["deid_text"] = rewritten.text
        row["replacements"] = [
            {"start": start, "end": end, "original_start": first, "original_end": last}
            for (start, end), (first, last) in zip(rewritten.replaced, rewritten.originals, strict=True)
        ]
    return row


def _row(
    note: Row,
    obfuscator: Obfuscator,
    outcome: Outcome,
    reason: Reason,
    spans: Sequence[Span] = (),
    recovered: Sequence[Span] = (),
    findings: Sequence[Finding] = (),
    amounts: Amounts | None = None,
    milliseconds: float = 0.0,
) -> Row:
    patient, author = note["patient_id"], note["author_id"]
    return {
        "note_id": note["note_id"],
        "patient_id": patient,
        "note_type": note["note_type"],
        "note_key": obfuscator.pseudonym("note", str(note["note_id"])),
        "patient_key": None if patient is None else obfuscator.pseudonym("patient", str(patient)),
        "author_key": None if author is None else obfuscator.pseudonym("author", str(author)),
        "deid_datetime": obfuscator.shift_datetime(note["note_datetime"], patient),
        "deid_text": None,
        "spans": [
            {"start": s.start, "end": s.end, "entity": str(s.entity), "detector": s.detector, "score": s.score}
            for s in spans
        ],
        "recovered": [str(span.entity) for span in recovered],
        "findings": [{"kind": str(f.kind), "start": f.start, "end": f.end} for f in findings],
        "replacements": [],
        "outcome": str(outcome),
        "reason": str(reason),
        "words": amounts.words if amounts else 0,
        "changed_words": amounts.changed_words if amounts else 0,
        "agreed_spans": amounts.agreed_spans if amounts else 0,
        "milliseconds": milliseconds,
    }
