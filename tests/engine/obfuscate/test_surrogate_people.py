"""No surrogate person is a real one, no two names of one record become one, and sex follows what the note says."""

import datetime
from itertools import product

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import LexiconError
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.reference import fold
from deid_tasks.core.versions import newest_version
from deid_tasks.engine.obfuscate import KnownPeople, KnownPerson, Obfuscator, update_known_people
from deid_tasks.engine.obfuscate.people.public_names import formal_names, given_name_table, surname_groups
from deid_tasks.engine.text import Document
from deid_tasks.settings import ObfuscateSettings, PolicySettings
from tests.support.markup import read_markup
from tests.support.surrogate_cases import WRITTEN_AT

KEY = bytes(range(32))
SETTINGS = ObfuscateSettings(key="key", date_shift_days=(-15, -15))


def maker(known=None):
    return Obfuscator(KEY, "riverside", PolicySettings(), SETTINGS, known)


def people(*rows, before=None):
    return KnownPeople.of(KEY, "riverside", rows, before)


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
    known = people(KnownPerson("p1", *unguarded, moved), KnownPerson("p2", "Ann", "", None))
    assert len(known) == 1
    assert known.holds("p7", unguarded[0].upper(), unguarded[1], moved)
    guarded = full_name(maker(known), patient)
    assert guarded != unguarded
    assert not known.holds("p7", *guarded, moved)
    assert full_name(maker(people(KnownPerson("p1", *unguarded, born))), patient) == unguarded


def test_who_is_registered_later_changes_no_surrogate():
    born = datetime.date(1961, 4, 20)
    patient = record("p7", (TermKind.FIRST, "John"), (TermKind.LAST, "Smith"), birth_date=born)
    first = people(KnownPerson("p7", "John", "Smith", born))
    published = full_name(maker(first), patient)
    moved = maker().shift_day(born, "p7")
    namesake = KnownPerson("p8", *published, moved)
    later = people(namesake, KnownPerson("p7", "John", "Smith", born), before=first)
    assert (len(later), later.generation) == (2, 1)
    assert full_name(maker(later), patient) == published
    # Whoever comes after the namesake is held against the namesake too.
    newest = people(KnownPerson("p9", "Jo", "Smyth", born), before=later)
    assert later.holds("p9", *published, moved)
    assert newest.holds("p9", *published, moved)
    assert not newest.holds("p7", *published, moved)


def test_a_refresh_that_brings_nobody_changes_nothing():
    rows = [KnownPerson("p1", "Ann", "Lee", datetime.date(1950, 1, 2)), KnownPerson("p2", "Ben", "Lee", None)]
    first = people(*rows)
    assert people(*reversed(rows), before=first) is first
    assert people(*reversed(rows)).version == first.version
    assert people(*rows, KnownPerson("p3", "", "", None), before=first).version != first.version


BORN = datetime.date(1950, 1, 2)


def newest_file(folder):
    return folder / newest_version(folder)


def test_known_people_are_a_file_without_names(tmp_path):
    folder = tmp_path / "people"
    made = update_known_people(folder, KEY, "riverside", [KnownPerson("patient-1", "Annabelle", "Lindqvist", BORN)])
    path = newest_file(folder)
    assert path.name == made.version
    assert b"nnabelle" not in path.read_bytes()
    assert b"patient-1" not in path.read_bytes()
    assert "nnabelle" not in repr(made)
    opened = KnownPeople.open(path, KEY, "riverside")
    assert (opened.version, opened.generation, len(opened)) == (made.version, 0, 1)
    assert opened.holds("patient-1", "ANNABELLE", "Lindqvist", BORN)
    assert people(KnownPerson("p", "Søren", "Đặng", BORN)).holds("p", "Soren", "Dang", BORN)
    with pytest.raises(LexiconError, match="another surrogate key"):
        KnownPeople.open(path, bytes(32), "riverside")
    with pytest.raises(LexiconError, match="No such file"):
        KnownPeople.open(tmp_path / "none", KEY, "riverside")


def test_each_update_of_known_people_is_a_version_and_earlier_ones_stay(tmp_path):
    folder = tmp_path / "people"
    ann, bo = KnownPerson("patient-1", "Annabelle", "Lindqvist", BORN), KnownPerson("patient-2", "Bo", "Ek", BORN)
    first = update_known_people(folder, KEY, "riverside", [ann])
    before = newest_file(folder).stat().st_mtime_ns
    assert update_known_people(folder, KEY, "riverside", [ann]).version == first.version
    assert newest_file(folder).stat().st_mtime_ns == before
    second = update_known_people(folder, KEY, "riverside", [bo])
    assert second.generation == 1
    assert newest_version(folder) == second.version
    assert KnownPeople.open(newest_file(folder), KEY, "riverside").holds("patient-3", "Bo", "Ek", BORN)
    assert not KnownPeople.open(folder / first.version, KEY, "riverside").holds("patient-3", "Bo", "Ek", BORN)
    assert update_known_people(folder, bytes(32), "riverside", [bo]).generation == 0
    newest_file(folder).write_bytes(newest_file(folder).read_bytes()[:-1])
    with pytest.raises(LexiconError, match="damaged"):
        update_known_people(folder, bytes(32), "riverside", [])


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_the_single_file_of_an_earlier_release_becomes_the_first_version(tmp_path, is_interrupted):
    ann = KnownPerson("patient-1", "Annabelle", "Lindqvist", BORN)
    made = update_known_people(tmp_path / "elsewhere", KEY, "riverside", [ann])
    former = tmp_path / (".people.former" if is_interrupted else "people")
    newest_file(tmp_path / "elsewhere").rename(former)
    kept = update_known_people(tmp_path / "people", KEY, "riverside", [ann])
    assert (kept.version, kept.generation) == (made.version, 0)
    assert newest_version(tmp_path / "people") == made.version
    assert not former.is_file()


@pytest.mark.parametrize("sex", ["F", "M"])
def test_no_two_names_of_a_record_become_one(sex):
    # A nickname is its formal name, and becomes what that becomes.
    known = [name for name, (usual, _, bearers) in given_name_table().items() if usual == sex and bearers > 5]
    firsts = [name.title() for name in known if name not in formal_names()][:40]
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
    text, spans = read_markup(marked)
    made = maker().obfuscate(Document("n", text, "p1"), spans, record("p1"), WRITTEN_AT)
    name = made.text[slice(*made.replaced[0])].split()[0]
    assert given_name_table()[fold(name)].sex == sex


def test_the_record_goes_before_the_note():
    text, spans = read_markup("Mr. [PATIENT:Xqwen Vance] was seen.")
    patient = record("p1", (TermKind.FIRST, "Xqwen"), (TermKind.LAST, "Vance"), sex="F")
    made = maker().obfuscate(Document("n", text, "p1"), spans, patient, WRITTEN_AT)
    assert given_name_table()[fold(made.text.split()[1])].sex == "F"


def test_tables_agree_with_notes():
    obfuscator = maker()
    text, spans = read_markup(
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
    name = " ".join(full_name(obfuscator, patient))
    assert note == f"{name}, {place[0]}, {place[1]} {place[2]}; seen by {clinician}, {pager}"


def test_particles_stay_in_tables_as_in_notes():
    patient = record("p1", (TermKind.FIRST, "Mary Ann"), (TermKind.LAST, "de la Cruz Jr."), group="hispanic")
    obfuscator = maker()
    text, spans = read_markup("[PATIENT:Mary Ann de la Cruz]")
    note = obfuscator.obfuscate(Document("n", text, "p1"), spans, patient, WRITTEN_AT).text
    first = obfuscator.value("Mary Ann", Entity.PATIENT, patient, part="given")
    last = obfuscator.value("de la Cruz Jr.", Entity.PATIENT, patient, part="surname")
    assert last.startswith("de la ")
    assert f"{first} {last}" == f"{note} Jr."
    staff = obfuscator.value("van der Meer", Entity.PROVIDER, part="surname")
    text, spans = read_markup("Dr. [PROVIDER:van der Meer]")
    assert obfuscator.obfuscate(Document("n", text, "p1"), spans, patient, WRITTEN_AT).text == f"Dr. {staff}"


def test_one_facility_stands_in_one_town():
    towns = set()
    for patient, form in product(
        ("p1", "p2", "p3"), ("[FACILITY:Mercy Hospital], {}", "[FACILITY:Mercy Hospital] in {}")
    ):
        text, spans = read_markup(form.format("[CITY:Boston], [STATE:MA]"))
        made = maker().obfuscate(Document("n", text, patient), spans, None, WRITTEN_AT)
        towns.add(made.text[slice(*made.replaced[1])])
    assert len(towns) == 1
