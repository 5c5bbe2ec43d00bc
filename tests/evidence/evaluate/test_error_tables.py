"""The error tables, by hand and against the published ones."""

import pytest

from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.evidence.evaluate.error_tables import ErrorTally, NoteTypeErrors, ResidualRisk, per_note_table
from deid_tasks.evidence.evaluate.term_counts import TermTally
from tests.support.markup import both

# Murugadoss et al. 2021, table 5: errors per note and notes; 848 errors are a recall error of 0.6 %.
PUBLISHED = {0: 9_363, 1: 525, 2: 80, 3: 10, 4: 6, 5: 6, 6: 2, 7: 2, 8: 2, 9: 3, 10: 1}
COVERAGE = (0.9940, 0.9978, 0.9989, 0.9991, 0.9992, 0.9994, 0.9995, 0.9996, 0.9997, 0.9999, 1.0)


def test_coverage_is_the_published_one():
    table = per_note_table(PUBLISHED, {1: 525, 2: 125}, round(848 / 0.006))
    assert [row.coverage for row in table] == pytest.approx(COVERAGE, abs=1.1e-4)
    assert table[-1].cumulative == 848
    assert (table[1].entities, table[2].entities) == (1.0, pytest.approx(1.56, abs=0.01))


# Table 4: errors and their contribution to the recall error, in per cent. Types of ours stand for the published ones.
CONTRIBUTIONS = {
    "FACILITY": (208, 0.1461),
    "DATE": (183, 0.1285),
    "PROVIDER": (169, 0.1187),
    "LOCATION_OTHER": (54, 0.0379),
    "PHONE": (50, 0.0351),
    "ORGANIZATION": (35, 0.0246),
    "COUNTRY": (22, 0.0154),
    "OTHER_ID": (9, 0.0063),
    "STREET": (8, 0.0056),
    "PATIENT": (4, 0.0028),
}


def test_contributions_to_the_recall_error_are_the_published_ones():
    tally = ErrorTally()
    tally.add("", "p", 0, [], {entity: errors for entity, (errors, _) in CONTRIBUTIONS.items()})
    errors = tally.finish(round(208 / 0.001461))
    assert {m.entity: 100 * m.contribution for m in errors.missed} == pytest.approx(
        {entity: published for entity, (_, published) in CONTRIBUTIONS.items()}, abs=1e-4
    )
    assert [m.entity for m in errors.missed] == list(CONTRIBUTIONS)
    assert [(m.category, m.words) for m in errors.missed_categories] == [
        ("ORGANIZATION", 243),
        ("DATE", 183),
        ("NAME", 173),
        ("LOCATION", 84),
        ("CONTACT", 50),
        ("ID", 9),
    ]


@pytest.mark.parametrize(
    ("notes", "affected", "share"),
    [(605, 54, 0.09), (334, 49, 0.15), (131, 36, 0.27), (26, 22, 0.85), (30, 19, 0.63), (50, 18, 0.36)],
)
def test_shares_of_notes_affected_are_those_of_table_6(notes, affected, share):
    assert NoteTypeErrors("", notes, affected, affected, 0).share_affected == pytest.approx(share, abs=0.005)


def test_the_risk_of_a_leaked_name_is_the_published_one():
    # Murugadoss et al. 2024, supplement: six names in notes of 14,631 patients.
    risk = ResidualRisk(patients=14_631, leaks=6, words=6, patients_leaked=6)
    assert round(risk.leaks_per_patient, 4) == round(risk.share_leaked, 4) == 0.0004
    assert ResidualRisk(0, 0, 0, 0).words_per_patient == 0.0


def errors_of(*notes):
    scorer = Scorer(resamples=100)
    for gold, predicted, patient, note_type in notes:
        scorer.add(*both(gold, predicted), patient, note_type)
    return scorer.finish()


def test_what_was_missed_and_where():
    evaluation = errors_of(
        ("[PATIENT:Ann Lee] of [CITY:Reno]", "[PATIENT:Ann] Lee of Reno", "1", "Letter"),
        ("[PATIENT:Bo Wu] on [DATE:May 3]", "Bo Wu on [DATE:May 3]", "2", "Letter"),
        ("[DATE:May 4] fine", "[DATE:May 4] fine", "2", "Nursing"),
    )
    errors = evaluation.errors
    assert [(m.entity, m.errors, m.words, m.share) for m in errors.missed] == [
        ("PATIENT", 2, 3, pytest.approx(3 / 4)),
        ("CITY", 1, 1, pytest.approx(1 / 4)),
    ]
    assert [(m.category, m.errors, m.words) for m in errors.missed_categories] == [("NAME", 2, 3), ("LOCATION", 1, 1)]
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
    assert (errors.risk.leaks_per_patient, errors.risk.words_per_patient, errors.risk.share_leaked) == (1.0, 1.5, 1.0)
    assert errors.document()["risk"]["share_leaked"] == 1.0
    assert errors.document()["note_types"][0]["share_affected"] == 1.0


def test_wrong_terms_and_how_often_they_are_medical():
    scorer = Scorer(resamples=100, keep_terms=True, is_medical={"graves disease"}.__contains__)
    for patient in "ab":
        scorer.add(*both("Graves disease, [CITY:Reno]", "[PATIENT:Graves disease], Reno"), patient)
    evaluation = scorer.finish()
    assert evaluation.document()["wrong_terms"] == {"times": 2, "medical": 2}
    assert "terms" not in evaluation.document()
    terms = [(t.term, t.entity, t.is_missed, t.times, t.is_medical) for t in evaluation.terms]
    assert terms == [("graves disease", "PATIENT", False, 2, True), ("reno", "CITY", True, 2, False)]


def test_terms_are_counted_in_bounded_memory():
    tally = TermTally(None, max_terms=10)
    for number in range(1_000):
        tally.add(f"rare {number}", "PATIENT", is_missed=True)
        tally.add("often", "PATIENT", is_missed=True)
    found = tally.finish()
    assert len(found) == 10
    assert (found[0].term, found[0].times) == ("often", 1_000)
    assert len(tally._counts) <= 20
