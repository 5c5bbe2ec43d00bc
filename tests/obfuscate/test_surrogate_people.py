"""No surrogate person is a real one, no two names of one record become one, and sex follows what the note says."""

import datetime
from itertools import product

import pytest
from conftest import WRITTEN_AT, parse

from deid_tasks.entities import Entity
from deid_tasks.obfuscate import KnownPeople, Obfuscator
from deid_tasks.obfuscate.pools import given_names, nicknames, surname_groups
from deid_tasks.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.reference import fold
from deid_tasks.settings.model import ObfuscateSettings, PolicySettings
from deid_tasks.text import Document

KEY = bytes(range(32))
SETTINGS = ObfuscateSettings(key="key", date_shift_days=(-15, -15))


def maker(people=None):
    return Obfuscator(KEY, "riverside", PolicySettings(), SETTINGS, people)


def record(patient_id, *names, sex="U", birth_date=None, group="unknown"):
    terms = tuple(PatientTerm(kind, name) for kind, name in names)
    return PatientRecord(patient_id, sex, birth_date, group, terms)


def full_name(obfuscator, patient):
    first = obfuscator.value("John", Entity.PATIENT, patient, part="given")
    return first, obfuscator.value("Smith", Entity.PATIENT, patient, part="surname")


def test_a_surrogate_is_nobody_who_has_that_birth_date():
    born = datetime.date(1961, 4, 20)
    patient = record("p7", (TermKind.FIRST, "John"), (TermKind.LAST, "Smith"), birth_date=born)
    unguarded = full_name(maker(), patient)
    moved = maker().shift_day(born, "p7")
    known = KnownPeople.of(KEY, "riverside", [(*unguarded, moved), ("Ann", "", None)])
    assert len(known) == 1
    assert known.holds(unguarded[0].upper(), unguarded[1], moved)
    guarded = full_name(maker(known), patient)
    assert guarded != unguarded
    assert not known.holds(*guarded, moved)
    assert full_name(maker(KnownPeople.of(KEY, "riverside", [(*unguarded, born)])), patient) == unguarded


@pytest.mark.parametrize("sex", ["F", "M"])
def test_no_two_names_of_a_record_become_one(sex):
    # A nickname is its formal name, and becomes what that becomes.
    known = [name for name, (usual, _, bearers) in given_names().items() if usual == sex and bearers > 5]
    firsts = [name.title() for name in known if name not in nicknames()][:40]
    lasts = [name.title() for name in list(surname_groups())[:40]]
    for number in range(4):
        names = [(TermKind.RELATIVE_FIRST, name) for name in firsts] + [
            (TermKind.RELATIVE_LAST, name) for name in lasts
        ]
        patient = record(f"p{number}", *names, sex=sex, group="hispanic")
        obfuscator = maker()
        for part, originals in (("given", firsts), ("surname", lasts)):
            made = [fold(obfuscator.value(name, Entity.RELATIVE, patient, part=part)) for name in originals]
            assert len(set(made)) == len(made)
            assert not set(made) & set(map(fold, originals))


def test_the_first_letter_follows_from_the_first_letter():
    obfuscator = maker()
    for names, part in ((("Ann", "Alice", "Albert", "Amy"), "given"), (("Smith", "Stone", "Stewart"), "surname")):
        assert len({obfuscator.value(name, Entity.PROVIDER, part=part)[0] for name in names}) == 1


@pytest.mark.parametrize(
    ("marked", "sex"),
    [
        ("Mr. [PATIENT:Xqwen Vance] was seen.", "M"),
        ("Mrs. [PATIENT:Xqwen Vance] was seen.", "F"),
        ("his wife [RELATIVE:Xqwen] drove", "F"),
        ("her brother, [RELATIVE:Xqwen], drove", "M"),
        ("[PATIENT:Xqwen Vance] came in. She has a cough.", "F"),
        ("[PATIENT:Xqwen Vance] is a gentleman of 60.", "M"),
        ("Signed by [PROVIDER:Xqwen Vance].", "U"),
    ],
)
def test_sex_follows_the_note_where_nothing_else_tells(marked, sex):
    text, spans = parse(marked)
    made = maker().obfuscate(Document("n", text, "p1"), spans, record("p1"), WRITTEN_AT)
    name = made.text[slice(*made.replaced[0])].split()[0]
    assert given_names()[fold(name)][0] == sex


def test_the_record_goes_before_the_note():
    text, spans = parse("Mr. [PATIENT:Xqwen Vance] was seen.")
    patient = record("p1", (TermKind.FIRST, "Xqwen"), (TermKind.LAST, "Vance"), sex="F")
    made = maker().obfuscate(Document("n", text, "p1"), spans, patient, WRITTEN_AT)
    assert given_names()[fold(made.text.split()[1])][0] == "F"


def test_tables_agree_with_notes():
    obfuscator = maker()
    text, spans = parse(
        "[PATIENT:John Smith], [CITY:Boston], [STATE:MA] [ZIP:02115]; seen by [PROVIDER:Ann Lindqvist], [PAGER:22417]"
    )
    patient = record("p1", (TermKind.FIRST, "John"), (TermKind.LAST, "Smith"), (TermKind.CITY, "Boston"))
    note = obfuscator.obfuscate(Document("n", text, "p1"), spans, patient, WRITTEN_AT).text
    city, state, code = "Boston", "MA", "02115"
    beside = {"city": city, "state": state, "zip_code": code}
    place = [
        obfuscator.value(v, e, patient, **beside)
        for v, e in zip(beside.values(), (Entity.CITY, Entity.STATE, Entity.ZIP), strict=True)
    ]
    clinician = " ".join(
        obfuscator.value(n, Entity.PROVIDER, part=p) for n, p in (("Ann", "given"), ("Lindqvist", "surname"))
    )
    pager = obfuscator.value("22417", Entity.PAGER)
    assert (
        note
        == f"{' '.join(full_name(obfuscator, patient))}, {place[0]}, {place[1]} {place[2]}; seen by {clinician}, {pager}"
    )


def test_one_facility_stands_in_one_town():
    towns = set()
    for patient, form in product(
        ("p1", "p2", "p3"), ("[FACILITY:Mercy Hospital], {}", "[FACILITY:Mercy Hospital] in {}")
    ):
        text, spans = parse(form.format("[CITY:Boston], [STATE:MA]"))
        made = maker().obfuscate(Document("n", text, patient), spans, None, WRITTEN_AT)
        towns.add(made.text[slice(*made.replaced[1])])
    assert len(towns) == 1
