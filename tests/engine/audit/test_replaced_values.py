"""Values that were replaced once and still stand elsewhere."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.engine.audit import PatientValues, ReplacedValues


def values_of(*replaced: tuple[str, Entity]) -> ReplacedValues:
    text, originals, entities = "", [], []
    for value, entity in replaced:
        originals.append((len(text), len(text) + len(value)))
        entities.append(entity)
        text += value + " | "
    return ReplacedValues.of_note(text, originals, entities)


PATIENT, PROVIDER, MRN, PHONE, DATE = Entity.PATIENT, Entity.PROVIDER, Entity.MRN, Entity.PHONE, Entity.DATE


@pytest.mark.parametrize(
    ("value", "entity", "text", "expected"),
    [
        # Names: every rare word alone, in capitals or long enough; everyday words only with the whole name.
        ("Sushmita Okafor", PATIENT, "OKAFOR, sushmita came; okafor's wife", ["OKAFOR", "sushmita", "okafor"]),
        ("Núñez", PATIENT, "seen with NUNEZ today", ["NUNEZ"]),
        ("Will Young", PATIENT, "she will; young man; Will Young; will young", ["Will Young"]),
        ("Will Okafor", PATIENT, "will okafor and Will", ["will okafor"]),
        ("Ng", PROVIDER, "NG tube, Ng", []),
        ("Vu Li", PROVIDER, "li vu, Vu Li", []),
        ("Okafor's", PROVIDER, "Okafor", ["Okafor"]),
        # Numbers: by their digits, from six on.
        ("RH0042317", MRN, "rec 004-2317 and 0042318", ["004-2317"]),
        ("(617) 555-0133", PHONE, "617.555.0133", ["617.555.0133"]),
        ("12345", MRN, "WBC 12345", []),
        ("AB-1234", MRN, "ab 1234", ["ab 1234"]),
        # Dates: only with day, month and year.
        ("3/14/2021", DATE, "on 3-14-2021, 3/14, score 3/14", ["3-14-2021"]),
        ("3/14", DATE, "3/14", []),
        ("March 14, 2021", DATE, "march 14 2021", ["march 14 2021"]),
        # Places and organizations: the whole value.
        ("Point of Rocks", Entity.CITY, "near Point Of Rocks.", ["Point Of Rocks"]),
        ("Mobile", Entity.CITY, "Mobile lab", []),
        ("MA", Entity.STATE, "MA", []),
        ("44-year-old", Entity.AGE, "44-year-old", []),
        ("welder", Entity.PROFESSION, "welder", []),
        ("21502", Entity.ZIP, "21502", []),
    ],
)
def test_what_is_searched(value: str, entity: Entity, text: str, expected: list[str]) -> None:
    found = values_of((value, entity)).find(text)
    assert [text[one.start : one.end] for one in found] == expected


def test_a_surrogate_that_equals_a_value_is_told_apart() -> None:
    found = values_of(("Okafor", PATIENT)).find("Okafor saw Okafor", [(0, 6)])
    assert [(one.start, one.in_surrogate) for one in found] == [(0, True), (11, False)]


def test_values_of_other_notes_are_told_from_the_notes_own() -> None:
    known, own = PatientValues(), values_of(("Okafor", PATIENT))
    known.add("p", own)
    known.add("p", values_of(("Lindqvist", PROVIDER), ("RH0042317", MRN)))
    found = known.of("p").find("Okafor, Lindqvist, 0042317", (), own)
    assert [one.is_own for one in found] == [True, False, False]
    assert known.of("q").find("Okafor") == []


def test_only_the_last_patients_are_remembered() -> None:
    known = PatientValues(max_patients=2)
    for patient in ("a", "b", "a", "c"):
        known.add(patient, values_of(("Okafor", PATIENT)))
    assert [len(known.of(patient)) for patient in ("a", "b", "c")] == [1, 0, 1]


def test_nothing_is_shown() -> None:
    assert "Okafor" not in repr(values_of(("Okafor", PATIENT)))
