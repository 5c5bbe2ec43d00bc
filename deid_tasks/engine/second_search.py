"""The output is searched again for values that were replaced once, and what is found is replaced or counted.

What stands in the output under a replaced value's name may be no leak: it may be a surrogate, a word that the policy
retains under another meaning, or a medical term, as recovery decides. What remains is a repeated value.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from deid_tasks.core.span import Span
from deid_tasks.engine.audit import ReplacedValues, ValueMatch
from deid_tasks.engine.obfuscate import Obfuscated
from deid_tasks.engine.parts import EngineParts
from deid_tasks.engine.recover import recover
from deid_tasks.engine.resolve import Detection
from deid_tasks.engine.text import Document
from deid_tasks.settings import RepeatAction

DETECTOR = "second_search"
"""The detector of spans that were added because their values were replaced elsewhere."""
Scope = Literal["note", "patient"]
"""Where a value had been replaced: in the note itself, or in another note of its patient."""


class Status(StrEnum):
    """What became of a replaced value that stood elsewhere in the output."""

    REPAIRED = "repaired"
    QUARANTINED = "quarantined"
    COUNTED = "counted"
    """It is published, as the settings say."""
    MEDICAL = "medical"
    """Recovery takes it for a medical term."""
    RETAINED = "retained"
    """It was detected there as something that the policy retains."""
    SURROGATE = "surrogate"
    """A surrogate that equals the value by chance."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """One replaced value that stood elsewhere."""

    match: ValueMatch
    scope: Scope
    status: Status


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A note with its identifiers replaced, before it is searched or after."""

    document: Document
    detection: Detection
    output: Obfuscated

    def with_spans(self, spans: Iterable[Span], output: Obfuscated) -> "Rewritten":
        """Return the note with these spans in place of its own, and the output that they give."""
        return Rewritten(self.document, replace(self.detection, spans=tuple(spans)), output)


def replaced_values(note: Rewritten) -> ReplacedValues:
    """Return what a note had replaced."""
    return ReplacedValues.of_note(note.document.text, note.output.originals, note.output.entities)


def find_repeats(note: Rewritten, own: ReplacedValues, known: ReplacedValues, engine: EngineParts) -> list[Repeat]:
    """Return the replaced values that stand elsewhere in a note's output, in order.

    Those that identify nobody there have their status; the others have what the settings do with them:
    ``quarantined`` and ``repaired`` are still to be done.

    Args:
        note: the note.
        own: what was replaced in it.
        known: what was replaced in it and in the other notes of its patient.
        engine: whose settings and medical terms decide.
    """
    settings, output = engine.second_search, note.output
    action = {True: settings.within_note, False: settings.across_notes}
    found = [
        match
        for match in (known if settings.across_notes != "off" else own).find(output.text, output.replaced, own)
        if action[match.is_own] != "off"
    ]
    if not found:
        return []
    detected = _Ranges([(span.start, span.end) for span in note.detection.spans])
    spans = {match: _original(output, match) for match in found if not match.in_surrogate}
    unmarked = {span for span in spans.values() if not detected.touches(span.start, span.end)}
    medical = _medical(note, sorted(unmarked), engine)
    repeats = []
    for match in found:
        span = spans.get(match)
        if span is None:
            status = Status.SURROGATE
        elif span not in unmarked:
            status = Status.RETAINED
        elif span in medical:
            status = Status.MEDICAL
        else:
            status = _STATUS[action[match.is_own]]
        repeats.append(Repeat(match, "note" if match.is_own else "patient", status))
    return repeats


_STATUS: dict[RepeatAction, Status] = {
    "count": Status.COUNTED,
    "quarantine": Status.QUARANTINED,
    "repair": Status.REPAIRED,
}


def spans_to_add(note: Rewritten, repeats: Sequence[Repeat]) -> list[Span]:
    """Return the spans of the repeats to repair, in the original text and in order."""
    return [_original(note.output, one.match) for one in repeats if one.status is Status.REPAIRED]


class _Ranges:
    """Disjoint ranges, which are asked for overlaps."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges)
        self._ends = [end for _, end in self._ranges]

    def touches(self, start: int, end: int) -> bool:
        """Whether a range shares a character with ``start``–``end``."""
        after = bisect_right(self._ends, start)
        return after < len(self._ranges) and self._ranges[after][0] < end


def _medical(note: Rewritten, spans: Sequence[Span], engine: EngineParts) -> frozenset[Span]:
    """Return those of ``spans``, disjoint and in order, that are medical language: recovery released them, or would."""
    if not spans or not engine.recover.enabled:
        return frozenset()
    recovered = _Ranges([(span.start, span.end) for span in note.detection.recovered])
    released = {span for span in spans if recovered.touches(span.start, span.end)}
    rest = [span for span in spans if span not in released]
    return frozenset(released.union(recover(note.document, rest, engine.lexicon).recovered))


def _original(output: Obfuscated, match: ValueMatch) -> Span:
    """Return a match outside all surrogates as a span of the original text."""
    before = bisect_right(output.replaced, (match.start, match.start)) - 1
    shift = output.originals[before][1] - output.replaced[before][1] if before >= 0 else 0
    return Span(match.start + shift, match.end + shift, match.entity, DETECTOR)
