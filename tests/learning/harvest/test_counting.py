"""Distinct patients, exactly, whatever the memory and the order."""

import random
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.learning.harvest import PatientCounter

NOTES = st.lists(st.tuples(st.sampled_from("pqrstuvw"), st.lists(st.sampled_from("abcdefgh"), max_size=6)), max_size=60)


def counted(folder, notes, rows, least=1, most=1_000):
    with PatientCounter(folder, b"k" * 32, rows) as counter:
        for patient, texts in notes:
            counter.add(patient, Counter(texts))
        names = {counter.hash(text): text for _, texts in notes for text in texts}
        found = counter.commonest(least, most)
        return [
            (names[key], patients, times)
            for key, patients, times in zip(
                found.keys.tolist(), found.patients.tolist(), found.times.tolist(), strict=True
            )
        ]


@settings(max_examples=60)
@given(notes=NOTES, rows=st.integers(1, 40))
def test_patients_are_counted_once_and_copies_are_copies(tmp_path_factory, notes, rows):
    folder = tmp_path_factory.mktemp("counting")
    patients, times = defaultdict(set), Counter()
    for patient, texts in notes:
        for text in texts:
            patients[text].add(patient)
            times[text] += 1
    found = counted(folder, notes, rows)
    assert {text: (p, t) for text, p, t in found} == {text: (len(patients[text]), times[text]) for text in patients}
    assert [(-p, -t) for _, p, t in found] == sorted((-p, -t) for _, p, t in found)
    shuffled = random.Random(1).sample(notes, len(notes))
    assert counted(folder, shuffled, 7) == found
    assert list(folder.iterdir()) == []


def test_one_patient_with_a_thousand_copies_is_one_patient(tmp_path):
    notes = [("p", ["copied forward"])] * 1_000 + [(str(n), ["seen by all"]) for n in range(10)]
    assert counted(tmp_path, notes, 64, least=10) == [("seen by all", 10, 10)]


def test_notes_without_a_patient_are_one_patients_together(tmp_path):
    assert counted(tmp_path, [(None, ["a"]), (None, ["a"]), ("p", ["a"])], 2) == [("a", 2, 3)]


@pytest.mark.parametrize("most", [1, 7, 300])
def test_only_the_commonest_are_kept(tmp_path, most):
    notes = [(str(p), [f"{n:04d}" for n in range(p)]) for p in range(400)]
    found = counted(tmp_path, notes, 5_000, most=most)
    assert [text for text, _, _ in found] == [f"{n:04d}" for n in range(most)]


def test_nothing_on_the_way_holds_a_text(tmp_path):
    with PatientCounter(tmp_path, b"k" * 32, 1) as counter:
        counter.add("patient-17", Counter(["Seen by OKAFOR"]))
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files
        assert not any(b"OKAFOR" in path.read_bytes() or b"patient" in path.read_bytes() for path in files)
