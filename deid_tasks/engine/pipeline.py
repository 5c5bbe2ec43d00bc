"""The path of a batch through the engine. Every step is called from here, and no step calls another.

``deidentify`` is one function of a batch and a context: the command line, the Python API, an Airflow mapped task and
Spark's ``mapInArrow`` all call it.
"""

import logging
import time
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from deid_tasks.core.entities import category_of
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.notes import NOTE_SCHEMA, RESULT_SCHEMA, Amounts, Outcome, Reason
from deid_tasks.core.span import Span
from deid_tasks.engine.audit import ReplacedValues, audit
from deid_tasks.engine.failures import Failure, is_fault_of_note
from deid_tasks.engine.judge import JudgedSpan
from deid_tasks.engine.obfuscate import Obfuscated, Obfuscator
from deid_tasks.engine.observer import AUDIT, COUNT, NO_OBSERVER, OBFUSCATE, SEARCH_AGAIN, PipelineObserver
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.resolve import Detection, SpansByDetector, resolve_batch
from deid_tasks.engine.second_search import (
    Repeat,
    Rewritten,
    Status,
    find_repeats,
    replaced_values,
    spans_to_add,
)
from deid_tasks.engine.text import Document

logger = logging.getLogger(__name__)

Row = dict[str, Any]


def deidentify(
    batch: pa.RecordBatch,
    context: BatchContext,
    *,
    detect_only: bool = False,
    observer: PipelineObserver = NO_OBSERVER,
) -> pa.RecordBatch:
    """De-identify one batch of notes.

    Args:
        batch: columns of ``NOTE_SCHEMA``, in any order; texts are code points. ``core.notes.note_batch`` makes one.
        context: the engine, and the records of the batch's patients.
        detect_only: find identifiers and rewrite nothing: ``deid_text`` stays null, and the outcome of a note is
            ``detected``. The engine then needs no surrogate key.
        observer: told of every stage, for timing, counting and explaining.

    Returns:
        One row a note of ``RESULT_SCHEMA``, in the order given. A note that the engine cannot process is quarantined
        with its reason, the exception's class and the code location; the other notes are processed as usual.

    Raises:
        ValueError: the batch lacks a column or has one too many, or the engine has no key and ``detect_only`` is not
            set.
        SettingsError: the policy is for scores, and ``detect_only`` is not set.
        Exception: an error that no note causes, such as a lost connection, a missing file, too little memory or a
            damaged model (see ``failures.is_fault_of_note``). The whole batch should be tried again.
    """
    obfuscator = context.engine.obfuscator
    if obfuscator is None and not detect_only:
        raise ValueError("the engine was built without a surrogate key: it can only detect")
    policy = context.engine.policy.settings
    if policy.is_for_scores and not detect_only:
        raise SettingsError(
            f"policy {policy.preset} is what a corpus marks, for scores: no text is rewritten under it; choose another"
        )
    if sorted(batch.schema.names) != sorted(NOTE_SCHEMA.names):
        raise ValueError(f"a batch has the columns {', '.join(NOTE_SCHEMA.names)}, and no others")
    run = _BatchRun(context, observer, obfuscator, is_rewriting=not detect_only)
    return pa.RecordBatch.from_pylist(run.rows(batch.to_pylist()), schema=RESULT_SCHEMA)


def find_identifiers(
    documents: Sequence[Document], context: BatchContext, observer: PipelineObserver = NO_OBSERVER
) -> list[Detection]:
    """Return the identifiers of each document, in the order given: detect, merge, recover, judge."""
    return resolve_batch(documents, run_detectors(documents, context, observer), context.engine, observer)


def run_detectors(
    documents: Sequence[Document], context: BatchContext, observer: PipelineObserver = NO_OBSERVER
) -> list[SpansByDetector]:
    """Return what each detector finds in each document, before anything is merged."""
    observer.begin(documents)
    by_detector: list[dict[str, list[Span]]] = [{} for _ in documents]
    for detector in context.detectors():
        with observer.stage(detector.name):
            each = detector.detect(documents)
        observer.spans(detector.name, each)
        for found, spans in zip(by_detector, each, strict=True):
            found.setdefault(detector.name, []).extend(spans)
    return list(by_detector)


def count_amounts(document: Document, detection: Detection, rewritten: Obfuscated) -> Amounts:
    """Return the amounts of one note; the same count for the notes of a run and for gold notes."""
    words = [token for token in document.tokens if document.text[token.start].isalnum()]
    starts, ends = [word[0] for word in words], [word[1] for word in words]
    changed = reached = 0
    for start, end in rewritten.originals:
        first, last = max(reached, bisect_right(ends, start)), bisect_left(starts, end)
        changed += max(0, last - first)
        reached = max(reached, last)
    return Amounts(len(words), len(detection.spans), changed, detection.agreed)


class _BatchRun:
    """One batch on its way through the engine."""

    def __init__(
        self, context: BatchContext, observer: PipelineObserver, obfuscator: Obfuscator | None, *, is_rewriting: bool
    ) -> None:
        self._context, self._observer, self._obfuscator = context, observer, obfuscator
        self._rewriter = obfuscator if is_rewriting else None
        settings = context.engine.second_search
        self._is_searching = {settings.within_note, settings.across_notes} != {"off"}

    def rows(self, notes: Sequence[Row]) -> list[Row]:
        """Return the result of each note, in order."""
        refused = {i: reason for i, note in enumerate(notes) if (reason := self._refusal(note))}
        documents = {i: _document(note) for i, note in enumerate(notes) if i not in refused}
        started = time.perf_counter()
        detections = self._detect_each(documents)
        share = (time.perf_counter() - started) * 1_000 / max(1, len(documents))
        drafts = {i: self._draft(notes[i], documents[i], one, share) for i, one in detections.items()}
        # After all notes of the batch are rewritten, since each is searched for what the others had replaced.
        known = self._known_values(notes, drafts)
        return [
            self._finish(note, drafts[i], known.get(i))
            if i in drafts
            else self._quarantined(note, refused.get(i, Reason.ENGINE_ERROR), None)
            for i, note in enumerate(notes)
        ]

    def _refusal(self, note: Row) -> Reason | None:
        text = note["text"]
        if not isinstance(text, str):
            return Reason.NOT_TEXT
        if len(text) > self._context.engine.max_characters:
            return Reason.TOO_LONG
        return Reason.NO_PATIENT_RECORD if self._context.lacks_record(note["patient_id"], note["note_type"]) else None

    def _detect_each(self, documents: Mapping[int, Document]) -> dict[int, Detection | Failure]:
        """Return detections by row. A batch that fails is read note by note, so that only the note at fault has a
        failure."""
        try:
            found = find_identifiers(list(documents.values()), self._context, self._observer)
            return dict(zip(documents, found, strict=True))
        except Exception as error:
            if not is_fault_of_note(error):
                raise
            if len(documents) == 1:
                return dict.fromkeys(documents, Failure.of(error))
        each: dict[int, Detection | Failure] = {}
        for i, document in documents.items():
            each |= self._detect_each({i: document})
        return each

    def _draft(self, note: Row, document: Document, detection: Detection | Failure, share: float) -> "_Draft":
        """Return a note whose identifiers are replaced where a text is wanted."""
        if isinstance(detection, Failure) or self._rewriter is None:
            return _Draft(detection, None, ReplacedValues(), share)
        started = time.perf_counter()
        result: Rewritten | Failure
        try:
            with self._observer.stage(OBFUSCATE):
                output = self._rewrite(self._rewriter, note, document, detection.spans)
            result = Rewritten(document, detection, output)
            values = replaced_values(result) if self._is_searching else ReplacedValues()
        except Exception as error:
            if not is_fault_of_note(error):
                raise
            result, values = Failure.of(error), ReplacedValues()
        return _Draft(detection, result, values, share + (time.perf_counter() - started) * 1_000)

    def _rewrite(self, rewriter: Obfuscator, note: Row, document: Document, spans: Sequence[Span]) -> Obfuscated:
        patient = self._context.patients.get(document.patient_id or "")
        return rewriter.obfuscate(document, spans, patient, note["note_datetime"])

    def _known_values(self, notes: Sequence[Row], drafts: Mapping[int, "_Draft"]) -> dict[int, ReplacedValues]:
        """Return, by row, what the notes of its patient had replaced: those of this batch, and earlier ones."""
        if self._rewriter is None or self._context.engine.second_search.across_notes == "off":
            return {}
        patients = {i: str(patient) for i in drafts if (patient := notes[i]["patient_id"]) is not None}
        for i, patient in patients.items():
            if isinstance(drafts[i].result, Rewritten):
                self._context.replaced.add(patient, drafts[i].values)
        return {i: self._context.replaced.of(patient) for i, patient in patients.items()}

    def _finish(self, note: Row, draft: "_Draft", known: ReplacedValues | None) -> Row:
        """Return the result of a note that was detected or rewritten."""
        started = time.perf_counter()
        failed = next((one for one in (draft.detection, draft.result) if isinstance(one, Failure)), None)
        if failed is not None:
            return self._quarantined(note, Reason.ENGINE_ERROR, failed)
        try:
            if isinstance(draft.result, Rewritten):
                row = self._audited(note, draft.result, draft.values, known)
            else:
                assert isinstance(draft.detection, Detection)
                row = self._row(note, Outcome.DETECTED) | _detection_columns(draft.detection)
        except Exception as error:
            if not is_fault_of_note(error):
                raise
            return self._quarantined(note, Reason.ENGINE_ERROR, Failure.of(error))
        row["milliseconds"] = draft.milliseconds + (time.perf_counter() - started) * 1_000
        return row

    def _searched(
        self, note: Row, rewritten: Rewritten, own: ReplacedValues, known: ReplacedValues
    ) -> tuple[Rewritten, list[Repeat], list[Repeat]]:
        """Return the note after its repair, every repeated value that was found, and those that withhold the note."""
        assert self._rewriter is not None
        engine = self._context.engine
        repeats = find_repeats(rewritten, own, known, engine)
        if spans := spans_to_add(rewritten, repeats):
            more = sorted((*rewritten.detection.spans, *spans))
            rewritten = rewritten.with_spans(more, self._rewrite(self._rewriter, note, rewritten.document, more))
            # What stands there still cannot be replaced, such as by a surrogate that equals it.
            left = [one for one in find_repeats(rewritten, own, known, engine) if one.status is Status.REPAIRED]
            kept = [one for one in repeats if one.status is not Status.QUARANTINED]
            withheld = [replace(one, status=Status.QUARANTINED) for one in left]
            withheld += [one for one in repeats if one.status is Status.QUARANTINED]
            return rewritten, [*kept, *withheld], withheld
        return rewritten, repeats, [one for one in repeats if one.status is Status.QUARANTINED]

    def _audited(self, note: Row, rewritten: Rewritten, own: ReplacedValues, known: ReplacedValues | None) -> Row:
        assert self._rewriter is not None
        document = rewritten.document
        patient = self._context.patients.get(document.patient_id or "")
        with self._observer.stage(SEARCH_AGAIN):
            rewritten, repeats, withheld = self._searched(note, rewritten, own, own if known is None else known)
        output, detection = rewritten.output, rewritten.detection
        with self._observer.stage(AUDIT):
            originals = [document.text[start:end] for start, end in output.originals]
            findings = audit(output.text, patient, output.replaced, originals)
        with self._observer.stage(COUNT):
            amounts = count_amounts(document, detection, output)
        row = self._row(note, Outcome.PUBLISHED if output.text != document.text else Outcome.UNCHANGED)
        row |= _detection_columns(detection)
        row |= {
            "deid_datetime": self._rewriter.shift_datetime(
                note["note_datetime"], self._rewriter.subject(document.patient_id, document.text)
            ),
            "findings": [
                *({"kind": str(f.kind), "start": f.start, "end": f.end} for f in findings),
                *(_repeat_finding(one) for one in withheld),
            ],
            "repeats": [_repeat_row(one) for one in repeats],
            "words": amounts.words,
            "changed_words": amounts.changed_words,
        }
        if findings or withheld:
            reason = Reason.AUDIT if findings else Reason.REPEATED_VALUE
            _log_quarantine(note["note_id"], reason, None)
            return row | {"outcome": str(Outcome.QUARANTINED), "reason": str(reason)}
        return row | {"deid_text": output.text, "replacements": _replacements(output)}

    def _quarantined(self, note: Row, reason: Reason, failure: Failure | None) -> Row:
        _log_quarantine(note["note_id"], reason, failure)
        row = self._row(note, Outcome.QUARANTINED) | {"reason": str(reason)}
        if failure:
            row |= {"error_class": failure.error_class, "error_location": failure.location}
        return row

    def _row(self, note: Row, outcome: Outcome) -> Row:
        patient, author = note["patient_id"], note["author_id"]
        return {
            "note_id": note["note_id"],
            "patient_id": patient,
            "note_type": note["note_type"],
            "note_key": self._pseudonym("note", note["note_id"]) or "",
            "patient_key": self._pseudonym("patient", patient),
            "author_key": self._pseudonym("author", author),
            "deid_datetime": None,
            "deid_text": None,
            "spans": [],
            "recovered": [],
            "judged": [],
            "findings": [],
            "repeats": [],
            "replacements": [],
            "outcome": str(outcome),
            "reason": str(Reason.NONE),
            "error_class": None,
            "error_location": None,
            "words": 0,
            "changed_words": 0,
            "agreed_spans": 0,
            "milliseconds": 0.0,
        }

    def _pseudonym(self, kind: str, value: str | None) -> str | None:
        return None if value is None or self._obfuscator is None else self._obfuscator.pseudonym(kind, str(value))


@dataclass(frozen=True, slots=True)
class _Draft:
    """One note between detection and audit."""

    detection: Detection | Failure
    result: Rewritten | Failure | None
    """``None`` where nothing is to be rewritten."""
    values: ReplacedValues
    """What was replaced."""
    milliseconds: float


def _repeat_row(repeat: Repeat) -> Row:
    category = str(category_of(repeat.match.entity))
    return {"category": category, "scope": repeat.scope, "status": str(repeat.status)}


def _repeat_finding(repeat: Repeat) -> Row:
    kind = f"repeated_{category_of(repeat.match.entity).lower()}"
    return {"kind": kind, "start": repeat.match.start, "end": repeat.match.end}


def _document(note: Row) -> Document:
    patient, note_type = note["patient_id"], note["note_type"]
    return Document(
        str(note["note_id"]),
        str(note["text"]),
        None if patient is None else str(patient),
        None if note_type is None else str(note_type),
    )


def _detection_columns(detection: Detection) -> Row:
    return {
        "spans": [
            {"start": s.start, "end": s.end, "entity": str(s.entity), "detector": s.detector, "score": s.score}
            for s in detection.spans
        ],
        "recovered": [str(span.entity) for span in detection.recovered],
        "judged": [_judged_row(one) for one in detection.judged],
        "agreed_spans": detection.agreed,
    }


def _judged_row(judged: JudgedSpan) -> Row:
    return {
        "entity": str(judged.span.entity),
        "decision": str(judged.decision),
        "is_cached": judged.is_cached,
        "tokens_in": judged.tokens_in,
        "tokens_out": judged.tokens_out,
    }


def _replacements(rewritten: Obfuscated) -> list[Row]:
    return [
        {"start": start, "end": end, "original_start": first, "original_end": last}
        for (start, end), (first, last) in zip(rewritten.replaced, rewritten.originals, strict=True)
    ]


def _log_quarantine(note_id: str, reason: Reason, failure: Failure | None) -> None:
    """Log one line without note text; ``extra`` holds the same for structured logs."""
    details = f" ({failure.error_class} at {failure.location})" if failure else ""
    logger.warning(
        "note %s was quarantined: %s%s",
        note_id,
        reason,
        details,
        extra={
            "note_id": str(note_id),
            "reason": str(reason),
            "error_class": failure.error_class if failure else None,
            "error_location": failure.location if failure else None,
        },
    )
