"""What the benchmarks read: notes of the simulated hospital, the open sets, invented terms; and how found spans are scored on them."""

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
from deid_tasks.evidence.evaluate import Evaluation, Scorer
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, Patient, World
from deid_tasks.learning.train.mixture import TEMPLATES, is_held_out

COARSE = {
    "NAME": Entity.PATIENT,
    "DATE": Entity.DATE,
    "AGE": Entity.AGE,
    "LOCATION": Entity.CITY,
    "ORGANIZATION": Entity.ORGANIZATION,
    "ID": Entity.OTHER_ID,
    "CONTACT": Entity.PHONE,
    "PROFESSION": Entity.PROFESSION,
}
OPEN_SETS = {
    "presidio_synth_v2": frozenset(Category),
    "handoffs_standard": frozenset(Category),
    "wnut17_dev": frozenset({Category.NAME, Category.LOCATION, Category.ORGANIZATION}),
}
"""Which categories a set annotates; others are left out of its count."""


class Row(NamedTuple):
    """One scored document."""

    document: Document
    gold: list[Span]
    ignored: list[Span]
    """Annotated as something that is none of our categories: neither right nor wrong."""
    group: str
    """What intervals are made over: the note, or the template that it was made from."""


@lru_cache(maxsize=2)
def hospital(notes: int) -> tuple[list[Row], dict[str, PatientRecord]]:
    """Notes of the dev world, and what their warehouse would know of the patients."""
    spec = HospitalSpec("benchmark", World.DEV, seed=7, patients=max(60, notes // 5), providers=60, notes=notes)
    built = build_hospital(spec)
    rows = [
        Row(Document(note.note_id, note.text, note.patient_id, note.note_type), list(note.spans), [], note.note_id)
        for note in write_notes(built)
    ]
    return rows, {patient.patient_id: record_of(patient) for patient in built.patients}


def record_of(patient: Patient) -> PatientRecord:
    """The patient's names, relatives and address."""
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


def open_set(path: Path) -> list[Row]:
    """Documents of one open set; of the set that lends half of its templates to training, those of the other half."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if path.name == TEMPLATES and not is_held_out(str(row["template_id"])):
            continue
        gold: list[Span] = []
        ignored: list[Span] = []
        for span in row["spans"]:
            entity = COARSE.get(span["label"])
            (gold if entity else ignored).append(Span(span["start"], span["end"], entity or Entity.OTHER_ID))
        rows.append(
            Row(Document(str(row["id"]), row["text"]), sorted(gold), ignored, str(row.get("template_id", row["id"])))
        )
    return rows


def without_repeats(rows: Sequence[Row]) -> list[Document]:
    """The documents' sentences, each distinct one once, in documents of about the same size."""
    seen: set[str] = set()
    documents = []
    for row in rows:
        text = row.document.text
        kept = [text[a:b] for a, b in row.document.sentences if text[a:b] not in seen]
        seen.update(kept)
        if kept:
            documents.append(Document(row.document.note_id, "\n\n".join(kept), row.document.patient_id))
    return documents


def words_of(documents: Sequence[Document]) -> int:
    """Words between blanks."""
    return sum(len(document.text.split()) for document in documents)


def fresh(documents: Sequence[Document]) -> list[Document]:
    """The same documents with nothing computed yet."""
    return [Document(one.note_id, one.text, one.patient_id, one.note_type) for one in documents]


def score(rows: Sequence[Row], found: Sequence[Sequence[Span]], categories: frozenset[Category]) -> Evaluation:
    """Word recall and precision, whatever the entity is called, over the categories that the set annotates."""
    scorer = Scorer()
    for row, spans in zip(rows, found, strict=True):
        kept = [s for s in spans if s.category in categories and not any(s.overlaps(other) for other in row.ignored)]
        scorer.add(row.document.text, row.gold, kept, row.group)
    return scorer.finish()


def invented_names(count: int, seed: int) -> list[str]:
    """Words of four to nine letters with a capital first; a few in a million are equal."""
    chance = np.random.default_rng(seed)
    lengths = chance.integers(4, 10, count)
    ends = np.cumsum(lengths + 1)
    letters = chance.integers(97, 123, int(ends[-1]) if count else 0, dtype=np.uint8)
    if count:
        letters[ends - 1] = 32
        letters[ends - 1 - lengths] -= 32
    return letters.tobytes().decode("ascii").split()


def invented_terms(count: int, chunk: int = 300_000) -> Iterator[LexiconTerm]:
    """Dictionary rows: a third full names of patients, a third of providers, a third family names; equal for equal ``count``."""
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
