"""One person stays one person however the name is written; two people stay two."""

import pytest

from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.obfuscate.people.public_names import given_name_table
from tests.support.surrogate_cases import MARIA

OTHER = PatientRecord("p2", "M", terms=MARIA.terms)


@pytest.fixture
def surrogate(rewrite):
    """First and last name of Maria Okafor's surrogate."""
    return rewrite("[PATIENT:Maria Okafor]").split()


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        ("[PATIENT:Maria Okafor]", "{first} {last}"),
        ("[PATIENT:MARIA OKAFOR]", "{FIRST} {LAST}"),
        ("[PATIENT:maria okafor]", "{f} {l}"),
        ("[PATIENT:Okafor, Maria]", "{last}, {first}"),
        ("[PATIENT:OKAFOR,MARIA]", "{LAST},{FIRST}"),
        ("Ms. [PATIENT:Okafor]'s", "Ms. {last}'s"),
        ("[PATIENT:Maria]", "{first}"),
        ("[PATIENT:M. Okafor]", "{i}. {last}"),
        ("Mr. [RELATIVE:Okafor]", "Mr. {last}"),
        ("[PROVIDER:Okafor]", "{last}"),
        ("[PATIENT:Okafro]", "{last}"),
        ("[PATIENT:Okafor] [PATIENT:Maria]", "{last} {first}"),
    ],
)
def test_every_way_of_writing_agrees(rewrite, surrogate, written, shape):
    first, last = surrogate
    expected = shape.format(
        first=first, last=last, FIRST=first.upper(), LAST=last.upper(), f=first.lower(), l=last.lower(), i=first[0]
    )
    assert rewrite(written) == expected


def test_a_nickname_is_the_formal_name(rewrite):
    assert rewrite("[RELATIVE:John]") == rewrite("[RELATIVE:Johnny]")


def test_initials_are_the_surrogates(rewrite, surrogate):
    first, last = surrogate
    assert rewrite("[INITIALS:MO]") == first[0] + last[0]


def test_another_patient_gets_another_name(rewrite, surrogate):
    assert rewrite("[PATIENT:Maria Okafor]", OTHER).split() != surrogate


def test_a_clinician_is_the_same_in_all_patients_notes(rewrite):
    assert rewrite("[PROVIDER:Ann Lindqvist]") == rewrite("[PROVIDER:Ann Lindqvist]", OTHER)


def test_relatives_share_the_surrogate_surname(rewrite, surrogate):
    assert rewrite("[RELATIVE:John Okafor]").split()[1] == surrogate[1]


@pytest.mark.parametrize(
    "name", ["Zoë O'Brien-Nguyễn", "van der Berg", "Al-Hassan", "José de la Cruz Jr.", "李", "X", "D'Andre King III"]
)
def test_difficult_names_change_and_keep_their_marks(rewrite, name):
    made = rewrite(f"[PATIENT:{name}]")
    assert fold(made) != fold(name)
    assert made.count("-") == name.count("-")
    assert made.endswith(("Jr.", "III")) == name.endswith(("Jr.", "III"))


def test_a_surrogate_is_never_a_name_of_the_record(rewrite):
    pool = [row["surname"] for row in read_tsv("surnames.tsv")[:300]]
    own = {fold(name) for name in ("Maria", "Tess", "Okafor", "John")}
    for name in pool:
        assert fold(rewrite(f"[PATIENT:{name}]")) not in own | {fold(name)}


@pytest.mark.parametrize(
    "name",
    [
        "Do",
        "La",
        "Al",
        "Pa",
        "Van",
        "Del",
        "Do, Kim",
        "LE, MINH",
        "Kim Do",
        "KIM DO",
        "Al Hassan",
        "Van Nguyen",
        "Sister",
    ],
)
@pytest.mark.parametrize("entity", ["PATIENT", "PROVIDER", "RELATIVE"])
def test_names_that_look_like_particles_or_titles_go(rewrite, name, entity):
    made = fold(rewrite(f"[{entity}:{name}]")).replace(",", " ").split()
    assert not set(made) & set(fold(name).replace(",", " ").split())


def test_a_title_that_is_the_patients_name_goes(rewrite):
    record = PatientRecord("p9", terms=(PatientTerm(TermKind.FIRST, "Miss"), PatientTerm(TermKind.LAST, "Le")))
    for written in ("Miss Le", "Le, Miss", "LE,MISS", "Miss"):
        assert not {"miss", "le"} & set(fold(rewrite(f"[PATIENT:{written}]", record)).replace(",", " ").split())


def test_a_record_may_know_only_initials(rewrite):
    names = (
        (TermKind.FIRST, "J"),
        (TermKind.MIDDLE, "T."),
        (TermKind.LAST, "O"),
        (TermKind.LAST, "-"),
        (TermKind.FIRST, ""),
    )
    record = PatientRecord("p9", terms=tuple(PatientTerm(kind, term) for kind, term in names))
    first, middle, last = rewrite("[PATIENT:J T O]", record).split()
    assert (first, middle, last) != ("J", "T", "O")
    assert rewrite("[PATIENT:O, J T]", record) == f"{last}, {first} {middle}"
    assert rewrite("[INITIALS:JTO]", record) != "JTO"


def test_no_surrogate_is_a_nickname_of_the_name(rewrite):
    for row in read_tsv("nicknames.tsv"):
        for name in row.values():
            assert fold(rewrite(f"[RELATIVE:{name.title()}]")) != fold(name)


def test_women_get_womens_names(rewrite):
    sexes = {name: known.sex for name, known in given_name_table().items()}
    assert sexes[fold(rewrite("[PATIENT:Maria]"))] == "F"
    assert sexes[fold(rewrite("[RELATIVE:John]"))] == "M"
