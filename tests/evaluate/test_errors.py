"""The error tables, by hand and against the published ones."""

import pytest
from marked import both

from deid_tasks.evaluate import Scorer
from deid_tasks.evaluate.errors import per_note_table
from deid_tasks.evaluate.terms import TermTally

# Murugadoss et al. 2021, table 5: errors per note and notes; 848 errors are a recall error of 0.6 %.
PUBLISHED = {0: 9_363, 1: 525, 2: 80, 3: 10, 4: 6, 5: 6, 6: 2, 7: 2, 8: 2, 9: 3, 10: 1}
COVERAGE = (0.9940, 0.9978, 0.9989, 0.9991, 0.9992, 0.9994, 0.9995, 0.9996, 0.9997, 0.9999, 1.0)


def test_coverage_is_the_published_one():
    table = per_note_table(PUBLISHED, {1: 525, 2: 125}, round(848 / 0.006))
    assert [row.coverage for row in table] == pytest.approx(COVERAGE, abs=1.1e-4)
    assert table[-1].cumulative == 848
    assert (table[1].entities, table[2].entities) == (1.0, pytest.approx(1.56, abs=0.01))


def errors_of(*notes):
    scorer = Scorer(resamples=100)
    for gold, predicted, patient, note_type in notes:
        scorer.add(*both(gold, predicted), patient, note_type)
    return scorer.finish()


def test_what_was_missed_and_where():
    evaluation = errors_of(
        ("[PATIENT:Ann Lee] of [CITY:Reno]", "[PATIENT:Ann] Lee of Reno", "1", "Letter"),
        ("[PATIENT:Bo] on [DATE:May 3]", "Bo on [DATE:May 3]", "2", "Letter"),
        ("[DATE:May 4] fine", "[DATE:May 4] fine", "2", "Nursing"),
    )
    errors = evaluation.errors
    assert [(m.entity, m.errors, m.words, m.share) for m in errors.missed] == [
        ("PATIENT", 2, 2, pytest.approx(2 / 3)),
        ("CITY", 1, 1, pytest.approx(1 / 3)),
    ]
    assert sum(m.contribution for m in errors.missed) == pytest.approx(1 - evaluation.recall)
    assert [(r.errors, r.notes, r.cumulative, r.entities) for r in errors.per_note] == [
        (0, 1, 0, 0),
        (1, 1, 1, 1),
        (2, 1, 3, 2),
    ]
    assert [r.coverage for r in errors.per_note] == pytest.approx([0.4, 0.6, 1.0])
    assert [(t.note_type, t.notes, t.affected, t.errors, t.gold) for t in errors.note_types] == [
        ("Letter", 2, 2, 3, 4),
        ("Nursing", 1, 0, 0, 1),
    ]
    assert (errors.risk.patients, errors.risk.leaks, errors.risk.patients_leaked) == (2, 2, 2)
    assert errors.risk.leaks_per_patient == 1.0
    assert errors.document()["note_types"][0]["share_affected"] == 1.0


def test_wrong_terms_and_how_often_they_are_medical():
    scorer = Scorer(resamples=100, keep_terms=True, is_medical={"graves disease"}.__contains__)
    for patient in "ab":
        scorer.add(*both("Graves disease, [CITY:Reno]", "[PATIENT:Graves disease], Reno"), patient)
    terms = [(t.term, t.entity, t.is_missed, t.times, t.is_medical) for t in scorer.finish().terms]
    assert terms == [("graves disease", "PATIENT", False, 2, True), ("reno", "CITY", True, 2, False)]


def test_terms_are_counted_in_bounded_memory():
    tally = TermTally(None, kept=10)
    for number in range(1_000):
        tally.add(f"rare {number}", "PATIENT", is_missed=True)
        tally.add("often", "PATIENT", is_missed=True)
    found = tally.finish()
    assert len(found) == 10
    assert (found[0].term, found[0].times) == ("often", 1_000)
    assert len(tally._counts) <= 20
