"""Notes: the same every time, gold exact, nothing of the patient outside a span, worlds apart."""

import datetime
import hashlib
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import check_spans
from deid_tasks.hospital import build_hospital, noise, write_notes
from deid_tasks.hospital.records import GoldNote, Hospital, HospitalSpec, Patient, World
from deid_tasks.hospital.scene import Piece

SPEC = HospitalSpec("elm", World.TRAIN, seed=3, patients=120, providers=40, notes=600, days=10)


@pytest.fixture(scope="module")
def hospital() -> Hospital:
    return build_hospital(SPEC)


@pytest.fixture(scope="module")
def notes(hospital: Hospital) -> list[GoldNote]:
    return list(write_notes(hospital))


def _digest(notes: list[GoldNote]) -> str:
    return hashlib.sha256(repr([(note.text, note.spans, note.note_id) for note in notes]).encode()).hexdigest()


def test_same_notes_however_they_are_read(hospital: Hospital, notes: list[GoldNote]) -> None:
    random.seed(5)
    slow = write_notes(hospital)
    first = list(islice(slow, 10))
    random.random()
    assert _digest(first + list(slow)) == _digest(notes)


def test_same_notes_whatever_the_hash_seed(notes: list[GoldNote]) -> None:
    code = (
        "import tests.hospital.test_notes as t; from deid_tasks.hospital import *; "
        "print(t._digest(list(write_notes(build_hospital(t.SPEC)))))"
    )
    root = Path(__file__).parents[2]
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == _digest(notes)


def test_spans_are_sorted_disjoint_and_inside(notes: list[GoldNote]) -> None:
    for note in notes:
        check_spans(note.spans, len(note.text))
        for span in note.spans:
            value = note.text[span.start : span.end]
            assert value == value.strip()
            assert span.detector == "gold"


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


def test_spans_hold_what_was_planted(hospital: Hospital, notes: list[GoldNote]) -> None:
    patients = {patient.patient_id: patient for patient in hospital.patients}
    seen: Counter[Entity] = Counter()
    for note in notes:
        patient = patients[note.patient_id]
        exact = {
            Entity.MRN: {patient.mrn},
            Entity.SSN: {patient.ssn},
            Entity.HEALTH_PLAN: {patient.health_plan},
        }
        for span in note.spans:
            seen[span.entity] += 1
            value = note.text[span.start : span.end]
            if span.entity in exact:
                assert _squeezed(value) in {_squeezed(one) for one in exact[span.entity]}
            if span.entity in (Entity.DATE, Entity.TIME, Entity.PHONE, Entity.FAX, Entity.ZIP, Entity.PAGER):
                assert re.search(r"\d|day|eve|easter|halloween|christmas|thanksgiving", value, re.IGNORECASE)
            if span.entity is Entity.AGE:
                assert 0 <= int(value) <= 115
    assert len(seen) >= 25


def _values(patient: Patient) -> tuple[str, ...]:
    person = patient.person
    return (
        patient.mrn,
        patient.ssn,
        patient.phone,
        patient.health_plan,
        patient.account,
        patient.email,
        f"{person.first} {person.last}",
        f"{person.last}, {person.first}",
    )


def test_nothing_of_the_patient_stands_outside_a_span(hospital: Hospital, notes: list[GoldNote]) -> None:
    patients = {patient.patient_id: patient for patient in hospital.patients}
    for note in notes:
        kept, end = [], 0
        for span in note.spans:
            kept.append(note.text[end : span.start])
            end = span.end
        rest = _squeezed("\0".join([*kept, note.text[end:]]))
        for value in _values(patients[note.patient_id]):
            assert _squeezed(value) not in rest


def test_every_day_has_notes_in_order(notes: list[GoldNote]) -> None:
    moments = [note.note_datetime for note in notes]
    assert moments == sorted(moments)
    days = {moment.date() for moment in moments}
    assert days == {SPEC.start + datetime.timedelta(days=day) for day in range(SPEC.days)}
    assert len(notes) == SPEC.notes == len({note.note_id for note in notes})


def test_people_keep_to_each_other(hospital: Hospital, notes: list[GoldNote]) -> None:
    authors: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    ids = {provider.provider_id for provider in hospital.providers}
    for note in notes:
        assert note.author_id in ids
        authors[note.patient_id, note.note_type][note.author_id] += 1
    usual = sum(max(counts.values()) for counts in authors.values())
    assert usual / len(notes) > 0.75
    assert max(Counter(note.patient_id for note in notes).values()) >= 4


def test_identifiers_of_worlds_do_not_meet_in_notes() -> None:
    found: dict[World, set[str]] = {}
    for world in World:
        hospital = build_hospital(HospitalSpec("elm", world, patients=80, providers=40, notes=250))
        found[world] = {
            note.text[span.start : span.end].casefold()
            for note in write_notes(hospital)
            for span in note.spans
            if span.entity in (Entity.CITY, Entity.FACILITY, Entity.ORGANIZATION) and span.end - span.start > 5
        }
        assert len(found[world]) > 30
    assert not found[World.TRAIN] & found[World.TEST]
    assert not found[World.DEV] & found[World.TEST]
    assert not found[World.TRAIN] & found[World.DEV]


def test_skeletons_and_phrases_are_not_shared() -> None:
    folder = Path(write_notes.__code__.co_filename).parent
    lines: dict[World, set[str]] = {}
    for world in World:
        files = [*(folder / "skeletons" / world).glob("*.txt"), folder / "vocabulary" / f"frames_{world}.txt"]
        text = "\n".join(file.read_text(encoding="utf-8") for file in files).replace("\\n", "\n")
        words = (re.sub(r"\{[^{}]*\}", "", line).strip() for line in text.splitlines())
        lines[world] = {line for line in words if len(re.findall(r"\b[a-z]{3,}", line)) > 3}  # titles may agree
        assert len(lines[world]) > 100
    assert not lines[World.TRAIN] & lines[World.TEST]
    assert not lines[World.DEV] & lines[World.TEST]
    assert not lines[World.TRAIN] & lines[World.DEV]


PIECES: list[Piece] = [
    ("The patient was seen today with complaints: ", None),
    ("Maria Okafor", Entity.PATIENT),
    (" came from home. She feels better, and walks. " * 4, None),
    ("12 Alder Street", Entity.STREET),
    ("\nName: ", None),
    ("Straße", Entity.CITY),
]


@pytest.mark.parametrize("change", [change for _, change in noise.KINDS])
def test_noise_changes_text_and_keeps_identifiers(change: object) -> None:
    assert callable(change)
    results = [change(PIECES, random.Random(seed)) for seed in range(20)]
    assert any(result != PIECES for result in results)
    for result in results:
        assert [entity for _, entity in result] == [entity for _, entity in PIECES]
        for (text, entity), (was, _) in zip(result, PIECES, strict=True):
            if entity:
                assert text.casefold().replace("\n", " ") == was.casefold()


def test_sentences_repeat_and_are_carried_forward(notes: list[GoldNote]) -> None:
    lines = Counter(line for note in notes for line in note.text.splitlines() if len(line) > 20)
    assert lines.total() / len(lines) > 1.5


def test_identities_say_whose_each_span_is(hospital: Hospital, notes: list[GoldNote]) -> None:
    """Whoever is named twice in a note has one identity, and two people have two."""
    people = {patient.patient_id: patient.person for patient in hospital.patients}
    people |= {provider.provider_id: provider.person for provider in hospital.providers}
    seen = Counter[str]()
    for note in notes:
        assert len(note.identities) == len(note.spans)
        for span, identity in zip(note.spans, note.identities, strict=True):
            if span.entity in {Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE}:
                seen["named" if identity else "nobody"] += 1
            if identity not in people or span.entity not in {Entity.PATIENT, Entity.PROVIDER}:
                continue
            person = people[identity]
            words = set(
                re.findall(r"[^\W\d_]+", f"{person.first} {person.middle} {person.last} {person.nickname}".lower())
            )
            written = re.findall(r"[^\W\d_]{4,}", note.text[span.start : span.end].lower())
            seen["fits"] += not written or bool(words & set(written))
            seen["of people"] += 1
    assert seen["fits"] > 0.95 * seen["of people"] > 0
    assert seen["named"] > 0.9 * (seen["named"] + seen["nobody"])
