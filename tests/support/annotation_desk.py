"""A drawn sample, the people at work on it, and where their files lie."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg2

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.settings import InstitutionSettings, Secrets

FORMATS = ("label-studio", "doccano", "brat", "i2b2-2014")
A, B, C = "annotator_a", "annotator_b", "adjudicator"


@dataclass(frozen=True)
class Note:
    """A note of the sample, and what is to be found in it."""

    note_id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...]


def marked(note_id: str, markup: str) -> Note:
    """``seen by [PROVIDER:Okafor]`` as text and spans."""
    text, *parts = markup.split("[")
    spans = []
    for part in parts:
        inside, _, after = part.partition("]")
        entity, _, value = inside.partition(":")
        spans.append(Span(len(text), len(text) + len(value), Entity(entity)))
        text += value + after
    return Note(note_id, text, tuple(spans))


NOTES = (
    marked("N1", "Seen by Dr. [PROVIDER:Quillfeather] in [CITY:Northam Falls] on [DATE:3/14]."),
    marked("N2", 'Zoë & [PATIENT:Bjørn Åkesson-Ødegård] 👩‍⚕️ called <[PHONE:617-555-0199]>; "ok"\n\tthen left.'),
    marked("N3", "No identifiers here; BP 120/80 & falling < 90."),
    marked("N4", "[RELATIVE:Thessaly] drove from [CITY:Marrowgate]\r\n\r\n[DATE:2024-01-05] 𝒳-ray of 日本 normal."),
    marked("N5", "MRN [MRN:RH0000017], works as a [PROFESSION:glazier], e-mail [EMAIL:t.quill@example.org] ."),
)


@dataclass
class Desk:
    """One institution's annotation: settings, database, folders, and people who finish task lists."""

    settings: InstitutionSettings
    secrets: Secrets
    uri: str

    def rows(self, question: str, *values: object) -> list[tuple]:
        connection = psycopg2.connect(self.uri)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(question, values)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def draw(self, version: str = "s1", design: str = "random", notes: tuple[Note, ...] = NOTES) -> str:
        self.rows(
            "insert into riverside_gold.sample values (%s, %s, 1, 5, '{}', %s, now())", version, design, len(notes)
        )
        for place, note in enumerate(notes):
            self.rows(
                "insert into riverside_gold.sample_note values (%s, %s, %s, 'progress', %s, 'A1', '2020', %s, %s, false)",
                version, note.note_id, f"P{place % 3}", datetime.datetime(2024, 1, 1), note.text, place,
            )  # fmt: skip
        return version

    def folder(self, person: str, version: str = "s1") -> Path:
        return Path(self.settings.work_dir) / "annotation" / version / person

    def finish(
        self,
        person: str,
        work: Callable[[Note], tuple[Span, ...] | None],
        *,
        name: str = "tasks",
        delivery: str | None = None,
        version: str = "s1",
    ) -> None:
        """Read the person's exported list and write a finished file; ``work`` gives the spans of a note, or skips it."""
        source = self.folder(person, version) / f"{name}{self.suffix()}"
        finished = []
        for note in self.format.read_tasks(source):
            spans = work(Note(note.note_id, note.text, note.spans))
            if spans is not None:
                finished.append(replace(note, spans=spans, annotator=person))
        target = self.folder(person, version) / "done" / f"{delivery or name}{self.suffix()}"
        self.format.write(finished, target, annotated=True)

    @property
    def format(self) -> Any:
        from deid_tasks.evidence.annotation.formats import FORMATS

        return FORMATS[self.settings.annotation.format]

    def suffix(self) -> str:
        return self.format.suffix

    def tasks(
        self, person: str, *, name: str = "tasks", version: str = "s1"
    ) -> dict[str, tuple[str, tuple[Span, ...]]]:
        source = self.folder(person, version) / f"{name}{self.suffix()}"
        return {note.note_id: (note.text, note.spans) for note in self.format.read_tasks(source)}


def truth_of(note: Note) -> tuple[Span, ...]:
    return next(known.spans for known in NOTES if known.note_id == note.note_id)


def changed(**by_note: Callable[[tuple[Span, ...]], tuple[Span, ...]]) -> Callable[[Note], tuple[Span, ...]]:
    """The truth, except for the notes named."""
    return lambda note: by_note.get(note.note_id, lambda spans: spans)(truth_of(note))
