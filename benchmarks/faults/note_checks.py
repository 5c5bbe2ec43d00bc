"""What must hold of every note that goes through the engine, whatever stands in it."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks.faults.bad_notes import CANARY, BadNote
from deid_tasks import Engine
from deid_tasks.core.notes import Outcome, Reason, is_unicode, note_batch
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.second_search import DETECTOR as SECOND_SEARCH

Row = dict[str, Any]
_OUTCOMES = {Outcome.PUBLISHED, Outcome.UNCHANGED, Outcome.QUARANTINED}


class CheckedNote(NamedTuple):
    """What became of one note."""

    outcome: str
    reason: str
    seconds: float
    """Processor seconds of this process."""
    faults: tuple[str, ...]
    """What does not hold; without note text."""
    where: str
    """Class and code location of an engine error."""


@contextmanager
def captured_log() -> Iterator[list[str]]:
    """Yield the lines that are logged meanwhile, at any level."""
    lines: list[str] = []

    class _Collecting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.getMessage()} {record.__dict__}")

    root, handler = logging.getLogger(), _Collecting()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
        root.setLevel(before)


def check_note(engine: Engine, note: BadNote) -> CheckedNote:
    """Take one note through the engine, and check what came out and what was logged."""
    with captured_log() as lines:
        began = time.process_time()
        try:
            rows = deidentify(note_batch([{"note_id": "n", "text": note.text}]), BatchContext(engine.parts)).to_pylist()
        except Exception as error:
            return CheckedNote("raised", "", time.process_time() - began, (f"raised {type(error).__name__}",), "")
        seconds = time.process_time() - began
    faults = [] if len(rows) == 1 else [f"{len(rows)} results for one note"]
    row = rows[0]
    faults += list(_faults_of(note.text, row))
    if any(CANARY in line for line in lines):
        faults.append("the log quotes the note")
    where = f"{row['error_class']} at {row['error_location']}" if row["error_class"] else ""
    return CheckedNote(row["outcome"], row["reason"], seconds, tuple(faults), where)


def check_interface(engine: Engine, texts: list[str]) -> list[str]:
    """Return what does not hold of the Python API for a list of notes: order, number, repeated answers."""
    found = engine.deidentify(texts)
    again = engine.detect(texts)
    faults = [] if len(found) == len(again) == len(texts) else [f"{len(found)} results for {len(texts)} notes"]
    for text, one, detected in zip(texts, found, again, strict=False):
        # What the search of the output adds is no span of detection.
        spans = tuple(span for span in one.spans if span.detector != SECOND_SEARCH)
        if spans != tuple(detected.spans) and Reason.AUDIT is not one.reason:
            faults.append("detect and deidentify find other spans")
        if one.text is not None and any(CANARY in repr(each) for each in (one, detected)):
            faults.append("the repr quotes the note")
        faults += [] if all(span.end <= len(text) for span in detected) else ["a span outside the text"]
    return faults


def _faults_of(text: str, row: Row) -> Iterator[str]:
    outcome, reason, output = row["outcome"], row["reason"], row["deid_text"]
    if outcome not in _OUTCOMES:
        yield f"outcome {outcome!r}"
    if (outcome == Outcome.QUARANTINED) != bool(reason) or (outcome == Outcome.QUARANTINED) != (output is None):
        yield f"outcome {outcome} with reason {reason!r}, and output {'none' if output is None else 'given'}"
    if reason == Reason.ENGINE_ERROR:
        yield f"engine error {row['error_class']} at {row['error_location']}"
    if reason == Reason.NOT_TEXT and is_unicode(text):
        yield "text was taken for no text"
    spans = [(span["start"], span["end"]) for span in row["spans"]]
    if spans != sorted(spans) or any(a[1] > b[0] for a, b in pairwise(spans)):
        yield "spans are not sorted and disjoint"
    if any(not 0 <= start < end <= len(text) for start, end in spans):
        yield "a span outside the text"
    if output is not None:
        yield from _replacement_faults(text, output, row["replacements"])


def _replacement_faults(text: str, output: str, replacements: list[Row]) -> Iterator[str]:
    """Yield where the output is not the original with each replaced value exchanged for another."""
    position = original = 0
    for one in replacements:
        if text[original : one["original_start"]] != output[position : one["start"]]:
            yield "text between surrogates differs"
            return
        value, surrogate = text[one["original_start"] : one["original_end"]], output[one["start"] : one["end"]]
        if value == surrogate:
            yield "a replaced value still stands in its place"
        position, original = one["end"], one["original_end"]
    if text[original:] != output[position:]:
        yield "text after the last surrogate differs"
