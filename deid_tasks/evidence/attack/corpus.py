"""Published notes in which some identifiers were left, and every identifier that a reader sees in them."""

import datetime
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from deid_tasks.core.entities import GROUP_ENTITIES, Entity, Group
from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document

_UNCHANGED = frozenset({Entity.TIME, Entity.AGE})
ATTACKED = GROUP_ENTITIES[Group.C] - _UNCHANGED
"""Entities that surrogates hide."""


@dataclass(frozen=True, slots=True)
class AttackedNote:
    """A note whose identifiers are known."""

    document: Document = field(repr=False)
    spans: tuple[Span, ...]
    written_at: datetime.datetime | None = None


@dataclass(frozen=True)
class Mention:
    """One identifier that a reader of the published note sees."""

    note: int
    start: int
    end: int
    entity: Entity
    is_leak: bool


@dataclass(frozen=True)
class Corpus:
    """Published notes, and every identifier that a reader sees in them."""

    texts: list[str]
    mentions: list[Mention]


Attack = Callable[[Corpus, random.Random], list[float]]
"""A function from a corpus to a suspicion for each mention; higher is more like a leak."""


Leak = tuple[int, Span]
"""The index of a note, and one of its identifiers."""


def plant_leaks(
    notes: Sequence[AttackedNote], share: float, rng: random.Random, *, is_missed: bool = False
) -> frozenset[Leak]:
    """Return about ``share`` of all identifiers, at random.

    Args:
        notes: the notes.
        share: of the identifiers.
        rng: what chooses.
        is_missed: only identifiers that the patterns miss are chosen, since the leaks of a real engine have something
            in common.
    """
    spans = [[span for span in note.spans if span.entity in ATTACKED] for note in notes]
    candidates = [(i, span) for i, some in enumerate(spans) for span in some]
    wanted = round(share * len(candidates))
    if is_missed:
        missed = _missed([note.document for note in notes], spans)
        candidates = [one for one in candidates if one in missed]
    return frozenset(rng.sample(candidates, min(wanted, len(candidates))))


def publish(
    notes: Sequence[AttackedNote],
    leaks: frozenset[Leak],
    obfuscator: Obfuscator,
    records: Mapping[str, PatientRecord],
) -> Corpus:
    """Return the notes with surrogates, and with the ``leaks`` unchanged."""
    texts: list[str] = []
    mentions: list[Mention] = []
    for i, note in enumerate(notes):
        kept = [span for span in note.spans if (i, span) not in leaks]
        patient = records.get(note.document.patient_id or "")
        made = obfuscator.obfuscate(note.document, kept, patient, note.written_at)
        texts.append(made.text)
        moves = list(zip(made.originals, made.replaced, strict=True))
        mentions += [
            Mention(i, *_moved(span, moves), span.entity, (i, span) in leaks)
            for span in note.spans
            if span.entity in ATTACKED
        ]
    return Corpus(texts, mentions)


def _missed(documents: Sequence[Document], spans: Sequence[Sequence[Span]]) -> set[tuple[int, Span]]:
    """Return the identifiers that the patterns do not find."""
    found = PatternDetector({}).detect(documents)
    return {
        (i, span)
        for i, (some, hits) in enumerate(zip(spans, found, strict=True))
        for span in some
        if not any(hit.start < span.end and span.start < hit.end for hit in hits)
    }


def _moved(span: Span, moves: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> tuple[int, int]:
    """Return the offsets of the span's text in the published note."""
    shift = 0
    for (start, end), (new_start, new_end) in moves:
        if start < span.end and span.start < end:
            return new_start, new_end
        if end > span.start:
            break
        shift = new_end - end
    return span.start + shift, span.end + shift
