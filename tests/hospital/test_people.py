"""People and places: numbers that could be, addresses that agree, worlds that share nothing."""

import re
from collections import Counter, defaultdict

import pytest

from deid_tasks.core.reference import read_tsv
from deid_tasks.hospital import build_hospital
from deid_tasks.hospital.build import build_outside
from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.numbers import luhn_digit
from deid_tasks.hospital.people import ROLES, role_of
from deid_tasks.hospital.places import gazetteer
from deid_tasks.hospital.records import Address, Hospital, HospitalSpec, Person, World
from deid_tasks.hospital.worlds import fold_for_world, world_of


@pytest.fixture(scope="module")
def hospitals() -> dict[World, Hospital]:
    return {world: build_hospital(HospitalSpec("elm", world, patients=400, providers=60)) for world in World}


@pytest.fixture(scope="module")
def zips() -> dict[str, dict[str, str]]:
    return {row["zip"]: row for row in read_tsv("places.tsv")}


def _parts(hospital: Hospital) -> dict[str, set[str]]:
    people: list[Person] = []
    for patient in hospital.patients:
        people += [patient.person, *(relative.person for relative in patient.relatives)]
    people += [provider.person for provider in (*hospital.providers, *build_outside(hospital.spec).providers)]
    lasts = [person.last for person in people] + [patient.previous_last for patient in hospital.patients]
    places = (*hospital.facilities, *build_outside(hospital.spec).facilities)
    gazette = gazetteer(hospital.spec.world)
    return {
        "surname": {fold_for_world(name) for name in lasts if name},
        "given name": {fold_for_world(name) for p in people for name in (p.first, p.middle, p.nickname) if name},
        "city": {
            fold_for_world(a.city) for a in (*(p.address for p in hospital.patients), *(f.address for f in places))
        },
        "facility": {fold_for_world(facility.name) for facility in places},
        "organization": {fold_for_world(name) for name in gazette.organizations},
        "place": {fold_for_world(name) for name in gazette.places},
        "domain": set(gazette.domains),
        "clinic": set(gazette.clinic_abbreviations),
    }


@pytest.mark.parametrize("kind", ["surname", "given name", "city", "facility", "organization", "domain", "clinic"])
def test_worlds_share_nothing(hospitals: dict[World, Hospital], kind: str) -> None:
    train, dev, test = (_parts(hospitals[world])[kind] for world in World)
    assert min(len(train), len(dev), len(test)) >= 5
    assert not train & dev
    assert not train & test
    assert not dev & test


def test_pools_of_names_are_split_by_folded_spelling() -> None:
    for world in World:
        pools = name_pools(world)
        for pool in (*pools.surnames.values(), *pools.given.values()):
            assert len(pool.names) > 20
            assert {world_of(name) for name in (*pool.names, *pool.beyond)} == {world}


@pytest.mark.parametrize(("one", "other"), [("José", "JOSE"), ("O'Brien", "obrien"), ("Smith-Jones", "smith jones")])
def test_spellings_of_one_name_are_in_one_world(one: str, other: str) -> None:
    assert world_of(one) is world_of(other)


def test_addresses_exist(hospitals: dict[World, Hospital], zips: dict[str, dict[str, str]]) -> None:
    for hospital in hospitals.values():
        addresses: list[Address] = [patient.address for patient in hospital.patients]
        addresses += [facility.address for facility in hospital.facilities]
        for address in addresses:
            row = zips[address.zip]
            assert (address.city, address.state, address.county) == (row["city"], row["state"], row["county"])


def test_area_codes_fit_the_state(hospitals: dict[World, Hospital], zips: dict[str, dict[str, str]]) -> None:
    states: dict[str, set[str]] = defaultdict(set)
    for row in zips.values():
        for code in row["area_codes"].split(","):
            states[code].add(row["state"])
    for hospital in hospitals.values():
        for patient in hospital.patients:
            for phone in (patient.phone, patient.mobile):
                assert states[phone[:3]] == {patient.address.state}
        for facility in hospital.facilities:
            assert states[facility.phone[:3]] == {facility.address.state}


def test_numbers(hospitals: dict[World, Hospital]) -> None:
    for hospital in hospitals.values():
        mrns = [patient.mrn for patient in hospital.patients]
        assert len(set(mrns)) == len(mrns)
        assert all(re.fullmatch(r"RH\d{7}", mrn) for mrn in mrns)
        for patient in hospital.patients:
            assert re.fullmatch(r"9\d\d-\d\d-\d{4}|\d{3}-00-\d{4}", patient.ssn)
            assert len(patient.relatives) >= 2
            assert "@" in patient.email
            assert patient.email.isascii()
            assert all((patient.health_plan, patient.account, patient.employer, patient.profession))
        users = [provider.user_id for provider in hospital.providers]
        assert len(set(users)) == len(users)
        for provider in hospital.providers:
            assert luhn_digit("80840" + provider.npi[:-1]) == provider.npi[-1]


def test_luhn_of_the_published_example() -> None:
    assert luhn_digit("80840123456789") == "3"


def test_who_is_there(hospitals: dict[World, Hospital]) -> None:
    hospital = hospitals[World.TEST]
    assert {role_of(provider) for provider in hospital.providers} == set(ROLES)
    kinds = Counter(facility.kind for facility in hospital.facilities)
    assert set(kinds) == {"hospital", "clinic", "unit", "nursing_home", "pharmacy"}
    assert all(facility.rooms for facility in hospital.facilities)
    assert len({patient.ethnicity for patient in hospital.patients}) >= 5
    everyone = " ".join(f"{p.person.first} {p.person.last}" for p in hospital.patients)
    assert re.search(r"[^\x00-\x7f]", everyone)
    assert "-" in everyone
    same = [r.person.last == p.person.last for p in hospital.patients for r in p.relatives]
    assert 0.45 < sum(same) / len(same) < 0.85


def test_same_spec_same_hospital_other_seed_another() -> None:
    spec = HospitalSpec("elm", World.DEV, patients=30, providers=20)
    assert build_hospital(spec) == build_hospital(spec)
    other = build_hospital(HospitalSpec("elm", World.DEV, seed=1, patients=30, providers=20))
    assert other.patients != build_hospital(spec).patients


def test_mrn_format_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="too few numbers"):
        build_hospital(HospitalSpec("elm", World.DEV, patients=20, providers=20, mrn_format="M#"))
