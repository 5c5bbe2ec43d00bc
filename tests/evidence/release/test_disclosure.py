"""What a perfect engine leaves: classes of equal patients, and who is found by the days of their notes."""

import random

import pytest

from deid_tasks.evidence.release import BINS, class_sizes, linkage_attack, rarest_sizes


def test_classes_are_counted():
    patients = [{"sex": "F", "age": 40}] * 3 + [{"sex": "M", "age": 40}] * 25 + [{"sex": "F", "age": 91}]
    found = class_sizes(patients, ["sex", "age"])
    assert (found.patients, found.classes, found.smallest, found.singletons) == (29, 3, 1, 1)
    assert dict(zip(BINS, found.histogram, strict=True)) == {
        (1, 1): 1,
        (2, 4): 3,
        (5, 10): 0,
        (11, 19): 0,
        (20, None): 25,
    }
    assert found.average_risk == pytest.approx(3 / 29)
    assert class_sizes(patients, ["sex"]).smallest == 4


def test_a_missing_attribute_is_a_value_of_its_own():
    assert class_sizes([{"age": 40}, {"age": None}, {}], ["age"]).singletons == 1


def test_no_patients_have_no_classes():
    found = class_sizes([], ["age"])
    assert (found.classes, found.smallest, found.average_risk) == (0, 0, 0.0)


def test_a_patient_is_as_rare_as_the_rarest_of_several_values():
    patients = [{"sex": "F", "ill": frozenset({"gout", "asthma"})}] * 3
    patients += [{"sex": "M", "ill": frozenset({"gout"})}] * 4
    patients += [{"sex": "M", "ill": frozenset({"gout", "wilson disease"})}, {"sex": "F", "ill": frozenset()}]
    found = rarest_sizes(patients, "ill")
    assert found.attributes == ("rarest of the ill",)
    # Gout has 8 patients, asthma 3, Wilson disease 1; who has none is in no class.
    assert (found.patients, found.classes, found.smallest, found.singletons) == (8, 3, 1, 1)
    assert found.histogram == (1, 3, 4, 0, 0)
    assert found.average_risk == pytest.approx((3 / 3 + 4 / 8 + 1) / 8)
    with_sex = rarest_sizes(patients, "ill", ["sex"])
    assert (with_sex.attributes, with_sex.singletons, with_sex.classes) == (("rarest of the ill", "sex"), 1, 4)
    # Five men have gout, and Wilson's disease is one of theirs.
    assert with_sex.average_risk == pytest.approx((3 / 3 + 4 / 5 + 1) / 8)


def test_nobody_with_a_value_has_no_class():
    found = rarest_sizes([{"ill": frozenset()}, {}], "ill")
    assert (found.patients, found.classes, found.smallest, found.average_risk) == (0, 0, 0, 0.0)


DAYS = {"a": [10, 13, 20], "b": [110, 113, 120], "c": [50, 55, 70], "d": [7]}


def test_patients_with_the_same_distances_hide_each_other():
    found = linkage_attack(DAYS, 3, targets=10)
    assert (found.eligible, found.patients, found.targets) == (3, 4, 3)
    # Only c has distances of its own; a and b are guessed between each other.
    assert (found.unique, found.expected_correct) == (1, 2.0)


def test_what_else_is_known_tells_them_apart():
    found = linkage_attack(DAYS, 3, targets=10, attributes={"a": "F", "b": "M", "c": "F", "d": "F"})
    assert (found.unique, found.expected_correct) == (3, 3.0)


def test_moving_all_dates_of_a_patient_changes_nothing():
    moved = {patient: [day + 7 * n for day in days] for n, (patient, days) in enumerate(DAYS.items())}
    assert linkage_attack(moved, 2, targets=10) == linkage_attack(DAYS, 2, targets=10)


def test_more_known_days_find_more_patients():
    rng = random.Random(1)
    days = {str(n): sorted(rng.sample(range(60), 6)) for n in range(300)}
    shares = [linkage_attack(days, known, targets=300).expected_correct for known in (2, 3, 4)]
    assert shares == sorted(shares)
    assert shares[0] < 30
    assert shares[2] > 100


def test_nobody_with_enough_days_is_nobody_to_attack():
    found = linkage_attack({"d": [7]}, 2, targets=10)
    assert (found.eligible, found.targets, found.expected_correct) == (0, 0, 0)
