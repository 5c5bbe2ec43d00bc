"""A text that a change of the lexicon does not touch comes out the same under both versions."""

import random

import numpy as np
import pyarrow as pa
import pytest

from deid_tasks.core.errors import LexiconError
from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.lexicon import Lexicon, LexiconDelta, LexiconTerm
from deid_tasks.engine.lexicon.terms import KINDS
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.registry import Artifacts
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.settings import EngineSettings

KEY = bytes(range(32))
FORMER = [
    LexiconTerm("patient_name", "full", "Maria de la Quintana"),
    LexiconTerm("provider", "last", "Teshome"),
    LexiconTerm("facility", "name", "St. Brendan Clinic"),
    LexiconTerm("provider", "phone", "(415) 555-0133"),
]
TEXTS = [
    "Seen by Dr. Okafor at St. Brendan Clinic.",
    "Seen by Dr. Teshome.",
    "Maria was told; Smith was not.",
    "Maria Smith came",
    "Maria\n\nSmith",
    "Crohn disease since 2019, no Quail protocol",
    "",
    "M. Smith, d/w Teshome: 415-555-0133",
    "ÄRZTIN Quëllfeather 🙂",
]


def delta_of(*rows: LexiconTerm, without: int | None = None) -> LexiconDelta:
    kept = [row for index, row in enumerate(FORMER) if index != without]
    return LexiconDelta.between(lexicon(FORMER), lexicon([*kept, *rows]))


def lexicon(rows) -> Lexicon:
    return Lexicon.build(rows, key=KEY)


@pytest.mark.parametrize(
    ("added", "removed", "touched"),
    [
        ((), None, ()),
        # The first word of a new full name touches nothing by itself, and neither do words apart.
        ((LexiconTerm("patient_name", "full", "Maria Smith"),), None, (3, 7)),
        ((LexiconTerm("patient_name", "last", "Smith"),), None, (2, 3, 4, 7)),
        # A word that the dictionary has already, of another kind now.
        ((LexiconTerm("provider", "first", "teshome"),), None, (1, 7)),
        ((), 1, (1, 7)),
        ((), 2, (0,)),
        ((), 3, (7,)),
        ((LexiconTerm("provider", "last", "Quellfeather"),), None, (8,)),
        ((LexiconTerm("medical", "harvested", "quail protocol"),), None, (5,)),
        # A term that the public lists have with the same kind.
        ((LexiconTerm("medical", "disease", "Crohn disease"),), None, ()),
    ],
)
def test_the_texts_that_a_change_touches(added, removed, touched) -> None:
    delta = delta_of(*added, without=removed)
    assert [index for index, is_touched in enumerate(delta.touched(TEXTS)) if is_touched] == list(touched)
    assert delta.touched([]) == []


def test_a_delta_says_what_each_entry_was_and_is() -> None:
    delta = delta_of(LexiconTerm("provider", "first", "teshome"), without=1)
    assert len(delta) == 1
    assert 0 != delta.before[0] != delta.after[0] != 0
    forth = delta_of(LexiconTerm("patient_name", "full", "Abel Smith"))
    rows = [*FORMER, LexiconTerm("patient_name", "full", "Abel Smith")]
    back = LexiconDelta.between(lexicon(rows), lexicon(FORMER))
    assert np.array_equal(forth.hashes, back.hashes)
    assert np.array_equal(forth.after, back.before)
    assert not forth.before.any()


def test_lexicons_of_different_keys_have_no_delta() -> None:
    with pytest.raises(LexiconError, match="different keys"):
        LexiconDelta.between(lexicon(FORMER), Lexicon.build(FORMER, key=bytes(32)))


@pytest.fixture(scope="module")
def hospital():
    return build_hospital(HospitalSpec("riverside", World.DEV, seed=11, patients=30, providers=15, notes=90, days=3))


@pytest.fixture(scope="module")
def notes(hospital):
    return list(write_notes(hospital))


def batch_of(notes) -> pa.RecordBatch:
    rows = [
        {name: getattr(note, name) for name in NOTE_SCHEMA.names if hasattr(note, name)} | {"author_id": "d1"}
        for note in notes
    ]
    return pa.RecordBatch.from_pylist(rows, schema=NOTE_SCHEMA)


def patients_of(hospital) -> dict[str, PatientRecord]:
    return {
        patient.patient_id: PatientRecord(
            patient.patient_id,
            terms=(
                PatientTerm(TermKind.FIRST, patient.person.first),
                PatientTerm(TermKind.LAST, patient.person.last),
            ),
        )
        for patient in hospital.patients
    }


def rows_under(known: Lexicon, notes, patients, folder, settings) -> list[dict]:
    path = known.save(folder)
    engine = build_engine(settings, KEY, Artifacts("riverside", lexicon=path))
    result = deidentify(batch_of(notes), BatchContext(engine, patients)).to_pylist()
    return [{name: value for name, value in row.items() if name != "milliseconds"} for row in result]


def random_rows(chance: random.Random, notes, count: int) -> list[LexiconTerm]:
    """Terms of one to four words that stand in the notes, or whose words do, of any table and kind."""
    kinds = [(table, kind) for table, names in KINDS.items() for kind in names]
    rows = []
    while len(rows) < count:
        words = chance.choice(notes).text.split()
        start, size = chance.randrange(max(1, len(words))), chance.choice((1, 1, 1, 2, 2, 3, 4))
        term = " ".join(words[start : start + size])
        if chance.random() < 0.2:
            term = f"{term} {chance.choice(chance.choice(notes).text.split() or ['x'])}"
        if any(map(str.isalnum, term)):
            table, kind = chance.choice(kinds)
            rows.append(LexiconTerm(table, kind, term))
    return rows


def changed(chance: random.Random, rows: list[LexiconTerm], notes, count: int) -> list[LexiconTerm]:
    """The rows without a few, with a few others, and with a few of another kind."""
    kept = chance.sample(rows, len(rows) - count)
    again = [LexiconTerm(*chance.choice((("provider", "last"), ("medical", "drug"))), row.term) for row in kept[:count]]
    return [*kept[count:], *again, *random_rows(chance, notes, count)]


def compare(chance, hospital, notes, folder, settings, count) -> tuple[int, int, int]:
    """Return how many notes a random change touches, how many of these differ, and how many it does not touch."""
    former = random_rows(chance, notes, 300)
    later = changed(chance, former, notes, count)
    old, new = lexicon(former), lexicon(later)
    is_touched = LexiconDelta.between(old, new).touched([note.text for note in notes])
    patients = patients_of(hospital)
    before = rows_under(old, notes, patients, folder, settings)
    after = rows_under(new, notes, patients, folder, settings)
    differing = [one != other for one, other in zip(before, after, strict=True)]
    wrong = [note.note_id for note, d, t in zip(notes, differing, is_touched, strict=True) if d and not t]
    assert wrong == []
    return sum(is_touched), sum(differing), len(notes) - sum(is_touched)


def test_what_no_change_touches_comes_out_the_same(hospital, notes, tmp_path) -> None:
    public = EngineSettings.public()
    detect = public.detect.model_copy(update={"detectors": ("patterns", "lexicon", "patient")})
    settings = public.model_copy(update={"detect": detect})
    chance = random.Random(7)
    figures = [compare(chance, hospital, notes, tmp_path, settings, count) for count in (1, 1, 2, 2, 3, 3, 4, 5)]
    touched, differing, untouched = (sum(column) for column in zip(*figures, strict=True))
    # The property says something only where there are notes of each sort.
    assert differing > 20
    assert untouched > 100
    assert touched >= differing


def test_what_no_change_touches_comes_out_the_same_with_the_shipped_models(hospital, notes, tmp_path) -> None:
    few = sorted(notes, key=lambda note: len(note.text))[:12]
    touched, _, untouched = compare(random.Random(3), hospital, few, tmp_path, EngineSettings(), 2)
    assert touched
    assert untouched
