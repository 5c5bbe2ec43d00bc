"""Notes that benchmarks read, and their scores: the simulated hospital, open sets, and invented dictionary terms."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import LexiconTerm
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Evaluation, Figure, Scorer
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, Patient, World
from deid_tasks.learning.train.mixture import TEMPLATES, is_held_out

ENTITY_OF_LABEL = {
    "NAME": Entity.PATIENT,
    "DATE": Entity.DATE,
    "AGE": Entity.AGE,
    "LOCATION": Entity.CITY,
    "ORGANIZATION": Entity.ORGANIZATION,
    "ID": Entity.OTHER_ID,
    "CONTACT": Entity.PHONE,
    "PROFESSION": Entity.PROFESSION,
}
"""An entity of the category that each coarse label of the open sets names."""
OPEN_SETS = {
    "presidio_synth_v2": frozenset(Category),
    "handoffs_standard": frozenset(Category),
    "wnut17_dev": frozenset({Category.NAME, Category.LOCATION, Category.ORGANIZATION}),
}
"""The categories that each open set annotates; others do not count on it."""
SCORES = {"recall": ".4f", "recall low": ".4f", "recall high": ".4f"} | {
    "precision": ".4f",
    "precision low": ".4f",
    "precision high": ".4f",
}
"""Columns of ``score_cells``."""


class Row(NamedTuple):
    """One document to be scored."""

    document: Document
    gold: list[Span]
    ignored: list[Span]
    """Annotated spans outside our categories: predictions on them are neither correct nor wrong."""
    group: str
    """The unit that the bootstrap resamples: the note, or the template that it was made from."""
    identities: tuple[str, ...] = ()
    """Whose each gold span is, in simulated notes; empty elsewhere."""


@lru_cache(maxsize=2)
def hospital_rows(notes: int, notes_per_patient: int = 5) -> tuple[list[Row], dict[str, PatientRecord]]:
    """Return notes of the dev world, and the records that a warehouse would hold on their patients."""
    patients = max(60, notes // notes_per_patient)
    spec = HospitalSpec("benchmark", World.DEV, seed=7, patients=patients, providers=60, notes=notes)
    built = build_hospital(spec)
    rows = [
        Row(
            Document(note.note_id, note.text, note.patient_id, note.note_type),
            list(note.spans),
            [],
            note.note_id,
            note.identities,
        )
        for note in write_notes(built)
    ]
    return rows, {patient.patient_id: record_of(patient) for patient in built.patients}


def record_of(patient: Patient) -> PatientRecord:
    """Return the record with the patient's names, relatives and address."""
    terms = [
        (TermKind.FIRST, patient.person.first),
        (TermKind.MIDDLE, patient.person.middle),
        (TermKind.PREFERRED, patient.person.nickname),
        (TermKind.LAST, patient.person.last),
        (TermKind.LAST, patient.previous_last),
        (TermKind.CITY, patient.address.city),
        (TermKind.STATE, patient.address.state),
        *((TermKind.RELATIVE_FIRST, relative.person.first) for relative in patient.relatives),
        *((TermKind.RELATIVE_LAST, relative.person.last) for relative in patient.relatives),
    ]
    found = tuple(PatientTerm(kind, term) for kind, term in terms if term)
    return PatientRecord(patient.patient_id, patient.person.sex, patient.birth_date, patient.ethnicity, found)


def open_set_rows(path: Path) -> list[Row]:
    """Return the documents of one open set; of the set that lends half of its templates to training, the other half."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if path.name == TEMPLATES and not is_held_out(str(row["template_id"])):
            continue
        gold: list[Span] = []
        ignored: list[Span] = []
        for span in row["spans"]:
            entity = ENTITY_OF_LABEL.get(span["label"])
            (gold if entity else ignored).append(Span(span["start"], span["end"], entity or Entity.OTHER_ID))
        group = str(row.get("template_id", row["id"]))
        rows.append(Row(Document(str(row["id"]), row["text"]), sorted(gold), ignored, group))
    return rows


def without_repeats(rows: Sequence[Row]) -> list[Document]:
    """Return the distinct sentences of the rows, as documents of about the same size."""
    seen: set[str] = set()
    documents = []
    for row in rows:
        text = row.document.text
        new = [text[a:b] for a, b in row.document.sentences if text[a:b] not in seen]
        seen.update(new)
        if new:
            documents.append(Document(row.document.note_id, "\n\n".join(new), row.document.patient_id))
    return documents


def count_words(documents: Sequence[Document]) -> int:
    """Return the number of words between blanks."""
    return sum(len(document.text.split()) for document in documents)


def fresh(documents: Sequence[Document]) -> list[Document]:
    """Return the same documents with nothing computed yet."""
    return [Document(one.note_id, one.text, one.patient_id, one.note_type) for one in documents]


def counted_spans(row: Row, found: Sequence[Span], categories: frozenset[Category]) -> list[Span]:
    """Return the predicted spans that count: of the categories that the set annotates, and outside ignored spans."""
    return [s for s in found if s.category in categories and not any(s.overlaps(other) for other in row.ignored)]


def score(rows: Sequence[Row], found: Sequence[Sequence[Span]], categories: frozenset[Category]) -> Evaluation:
    """Return the scores of found spans over the categories that the set annotates."""
    scorer = Scorer()
    for row, spans in zip(rows, found, strict=True):
        scorer.add(row.document.text, row.gold, counted_spans(row, spans, categories), row.group)
    return scorer.finish()


def score_cells(evaluation: Evaluation, entity: str = "ALL") -> tuple[float, ...]:
    """Return recall and precision of words, each with its 95 % interval: the columns of ``SCORES``."""
    figures: list[Figure] = [evaluation.find(entity=entity, metric=metric) for metric in ("recall", "precision")]
    return tuple(value for figure in figures for value in (figure.value, figure.lower, figure.upper))


def invented_names(count: int, seed: int) -> list[str]:
    """Return capitalized words of four to nine letters; a few in a million are equal."""
    random = np.random.default_rng(seed)
    lengths = random.integers(4, 10, count)
    ends = np.cumsum(lengths + 1)
    letters = random.integers(97, 123, int(ends[-1]) if count else 0, dtype=np.uint8)
    if count:
        letters[ends - 1] = 32
        letters[ends - 1 - lengths] -= 32
    return letters.tobytes().decode("ascii").split()


def invented_terms(count: int, chunk: int = 300_000) -> Iterator[LexiconTerm]:
    """Yield dictionary rows, the same for the same ``count``: a third each of patients, providers and family names."""
    for first in range(0, count, chunk):
        size = min(chunk, count - first)
        one, two = invented_names(size, first + 1), invented_names(size, first + 2)
        for number in range(size):
            if number % 3 == 0:
                yield LexiconTerm("patient_name", "last", one[number])
            else:
                table: Callable[..., LexiconTerm] = LexiconTerm
                kind = "provider" if number % 3 == 1 else "patient_name"
                yield table(kind, "full", f"{one[number]} {two[number]}")
