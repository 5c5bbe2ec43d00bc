"""Simulated annotators: they know the true spans and make mistakes at the rates of real annotators.

They read a task list that the platform exported and write a finished file of the annotation tool.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import split_words
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote

MISSED: dict[Entity, float] = {
    Entity.PATIENT: 0.004,
    Entity.PROVIDER: 0.008,
    Entity.RELATIVE: 0.015,
    Entity.USERNAME: 0.05,
    Entity.INITIALS: 0.08,
    Entity.PROFESSION: 0.10,
    Entity.STREET: 0.008,
    Entity.CITY: 0.02,
    Entity.STATE: 0.03,
    Entity.COUNTRY: 0.03,
    Entity.ZIP: 0.01,
    Entity.LOCATION_OTHER: 0.12,
    Entity.FACILITY: 0.03,
    Entity.ORGANIZATION: 0.08,
    Entity.AGE: 0.02,
    Entity.DATE: 0.01,
    Entity.TIME: 0.03,
    Entity.URL: 0.03,
    Entity.IP: 0.03,
    Entity.DEVICE: 0.05,
    Entity.BIOMETRIC: 0.05,
    Entity.OTHER_ID: 0.03,
}
"""How often a span is overlooked; entities that are not named: ``Habits.missed_other``. Rare, short and ambiguous ones
most.
"""

CONFUSED: dict[Entity, tuple[Entity, ...]] = {
    Entity.PATIENT: (Entity.RELATIVE, Entity.PROVIDER),
    Entity.RELATIVE: (Entity.PATIENT,),
    Entity.PROVIDER: (Entity.PATIENT,),
    Entity.INITIALS: (Entity.PROVIDER, Entity.USERNAME),
    Entity.USERNAME: (Entity.OTHER_ID,),
    Entity.CITY: (Entity.FACILITY, Entity.LOCATION_OTHER),
    Entity.STATE: (Entity.CITY,),
    Entity.FACILITY: (Entity.ORGANIZATION,),
    Entity.ORGANIZATION: (Entity.FACILITY,),
    Entity.PHONE: (Entity.FAX, Entity.PAGER),
    Entity.FAX: (Entity.PHONE,),
    Entity.PAGER: (Entity.PHONE,),
    Entity.MRN: (Entity.OTHER_ID, Entity.ACCOUNT),
    Entity.ACCOUNT: (Entity.OTHER_ID, Entity.HEALTH_PLAN),
    Entity.HEALTH_PLAN: (Entity.ACCOUNT,),
}
_NAMES = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
_TITLE = re.compile(r"(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.?\s+$")
_CREDENTIALS = re.compile(r",?\s(?:MD|M\.D\.|DO|RN|NP|PA-C|PhD|LPN|PharmD|LCSW|MSW)\b\.?")
_CAPITALISED = re.compile(r"\b[A-Z][a-z]{3,}\b")
_MISTAKEN = (Entity.PROVIDER, Entity.FACILITY, Entity.ORGANIZATION, Entity.CITY)


@dataclass(frozen=True, slots=True)
class Habits:
    """How often a simulated annotator slips; each figure is a share of the spans that it applies to, unless stated
    otherwise.

    The defaults give two annotators a word kappa of about 0.97 on simulated notes, the published figure for nurses
    being 0.9694.
    """

    missed: Mapping[Entity, float] = field(default_factory=lambda: MISSED)
    missed_other: float = 0.005
    confused: float = 0.02
    """Given an entity that is easily taken for it."""
    title: float = 0.06
    """Of names after a title: the title is marked too."""
    credentials: float = 0.06
    """Of names before credentials: these are marked too."""
    punctuation: float = 0.03
    """Of spans before a full stop or a comma: it is marked too."""
    cut: float = 0.008
    """Of spans of several words: the first or the last word is left out."""
    split: float = 0.01
    """Of spans of several words: marked as two."""
    merged: float = 0.03
    """Of neighbours of one entity: marked as one."""
    capitals: float = 0.0006
    """Of capitalised words outside spans: marked for a name or a place."""

    def times(self, factor: float) -> "Habits":
        """Return the same person, more careful (below 1) or less."""
        rates = {f.name: getattr(self, f.name) * factor for f in fields(self) if f.name != "missed"}
        return replace(self, missed={entity: rate * factor for entity, rate in self.missed.items()}, **rates)


ADJUDICATOR = Habits().times(0.02)
"""Nearly always right."""


def mark(text: str, truth: Sequence[Span], habits: Habits, chance: random.Random) -> list[Span]:
    """What a person with these habits marks in a note whose identifiers are ``truth`` (sorted, disjoint); disjoint
    again.
    """
    marked: list[Span] = []
    for span in _merged(text, truth, habits, chance):
        if chance.random() < habits.missed.get(span.entity, habits.missed_other):
            continue
        entity = span.entity
        if entity in CONFUSED and chance.random() < habits.confused:
            entity = chance.choice(CONFUSED[entity])
        marked += [Span(start, end, entity) for start, end in _bounds(text, span, habits, chance)]
    for found in _CAPITALISED.finditer(text):
        if chance.random() < habits.capitals:
            marked.append(Span(found.start(), found.end(), chance.choice(_MISTAKEN)))
    kept: list[Span] = []
    for span in sorted(marked):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def annotate_tasks(
    tasks: Path,
    done: Path,
    truth: Mapping[str, Sequence[Span]],
    annotator: str,
    seed: int,
    format_name: str,
    habits: Habits | None = None,
) -> int:
    """Read one exported task list, mark every note of it, and write the finished file into the folder ``done``.

    Args:
        tasks: What the platform exported for this person: a file or a folder, as the format has it.
        done: Folder of finished work; made where it is new. The file in it has the name of the task list.
        truth: The identifiers of each note, by note id; notes that are not in it are left unfinished.
        annotator: Pseudonym, which the format writes down where it can.
        seed: The same seed and pseudonym mark the same note in the same way, whatever else is in the list.
        format_name: A key of ``deid_tasks.evidence.annotation.formats.FORMATS``.
        habits: How the person slips.

    Returns:
        Notes marked.
    """
    chosen = habits or Habits()

    def finished() -> Iterator[AnnotatedNote]:
        for note in FORMATS[format_name].read_tasks(tasks):
            if note.note_id not in truth:
                continue
            chance = random.Random(f"{seed}/{annotator}/{note.note_id}")
            spans = tuple(mark(note.text, truth[note.note_id], chosen, chance))
            yield replace(note, spans=spans, annotator=annotator)

    done.mkdir(mode=0o700, parents=True, exist_ok=True)
    return FORMATS[format_name].write(finished(), done / tasks.name, annotated=True)


def _merged(text: str, truth: Sequence[Span], habits: Habits, chance: random.Random) -> Iterator[Span]:
    """Yield the spans, now and then two neighbours of one entity as one."""
    waiting: Span | None = None
    for span in truth:
        if (
            waiting
            and waiting.entity is span.entity
            and not any(c.isalnum() or c == "\n" for c in text[waiting.end : span.start])
            and chance.random() < habits.merged
        ):
            waiting = Span(waiting.start, span.end, span.entity)
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting


def _bounds(text: str, span: Span, habits: Habits, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Where the person begins and ends the span; two pairs where it is split."""
    start, end = span.start, span.end
    words = split_words(text[start:end])
    if len(words) > 1 and chance.random() < habits.cut:
        if chance.random() < 0.5:
            start += words[1].start
        else:
            end = span.start + words[-2].end
    elif len(words) > 1 and chance.random() < habits.split:
        place = chance.randrange(1, len(words))
        yield start, start + words[place - 1].end
        yield span.start + words[place].start, end
        return
    if span.entity in _NAMES:
        title = _TITLE.search(text, max(0, start - 8), start)
        if title and chance.random() < habits.title:
            start = title.start()
        credentials = _CREDENTIALS.match(text, end)
        if credentials and chance.random() < habits.credentials:
            end = credentials.end()
    if text[end : end + 1] in {".", ","} and chance.random() < habits.punctuation:
        end += 1
    yield start, end
