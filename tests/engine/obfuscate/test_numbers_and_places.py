"""Numbers keep their shape, places agree, organizations keep their kind."""

import re

import pytest

from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.obfuscate.places.area_codes import cities_of_area
from deid_tasks.engine.obfuscate.places.place_table import area_codes
from deid_tasks.engine.text.check_digits import dea_check_digit, is_npi, vin_check_character
from tests.support.surrogate_cases import MARIA, obfuscator

SHAPES = [
    ("PHONE", "(413) 555-1234"),
    ("PHONE", "413.555.1234"),
    ("PHONE", "555-1234"),
    ("PHONE", "+1 413 555 1234 ext. 77"),
    ("FAX", "4135551234"),
    ("PAGER", "12345"),
    ("SSN", "123-45-6789"),
    ("MRN", "RH1234567"),
    ("MRN", "12-34-56"),
    ("HEALTH_PLAN", "XJH927949449"),
    ("ACCOUNT", "4500123456"),
    ("LICENSE", "MD99630"),
    ("DEVICE", "PJN004969H"),
    ("BIOMETRIC", "FP-86607"),
    ("OTHER_ID", "S21-12345"),
    ("USERNAME", "dtq4471"),
    ("VEHICLE", "7ABC123"),
    ("ZIP", "02115-1234"),
    ("INITIALS", "kq"),
]


def shape(value: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", value)))


@pytest.mark.parametrize(("entity", "value"), SHAPES)
def test_the_shape_stays_and_the_value_goes(rewrite, entity, value):
    made = rewrite(f"[{entity}:{value}]")
    assert shape(made) == shape(value)
    assert made != value


@pytest.mark.parametrize(("one", "other"), [("(413) 555-1234", "413-555-1234"), ("413 555 1234", "4135551234")])
def test_a_number_is_the_same_in_any_punctuation(rewrite, one, other):
    digits = [re.sub(r"\D", "", rewrite(f"[PHONE:{value}]")) for value in (one, other)]
    assert digits[0] == digits[1]


def test_numbers_are_plausible(rewrite):
    for line in range(1000, 1100):
        phone = rewrite(f"[PHONE:413-555-{line}]")
        assert phone[:3] in area_codes()
        assert phone[4] not in "01"
        assert rewrite(f"[SSN:123-45-{line}]").startswith("9")


@pytest.mark.parametrize(
    ("city", "state", "own", "neighbour"),
    [
        ("Grand Island", "NE", "308", "402"),
        ("Gallup", "NM", "505", "575"),
        ("Waterbury", "CT", "203", "860"),
        ("Johnstown", "PA", "814", "878"),
    ],
)
def test_a_town_at_the_border_of_an_area_has_one_area_code(city, state, own, neighbour):
    assert city in cities_of_area(state, own)
    assert city not in cities_of_area(state, neighbour)


def test_check_digits_stay_valid(rewrite):
    assert is_npi("1234567893")
    made = rewrite("[LICENSE:1234567893]")
    assert is_npi(made)
    assert made != "1234567893"
    vin = rewrite("[VEHICLE:1HGCM82633A004352]")
    assert vin_check_character(vin) == vin[8]


@pytest.mark.parametrize(("surname", "number"), [("Okafor", "BO1234563"), ("Mitchell", "FM2345672")])
def test_the_second_letter_of_a_dea_number_follows_the_surname(rewrite, surname, number):
    assert dea_check_digit(number[2:8]) == number[8]
    name, made = rewrite(f"Dr. [PROVIDER:{surname}], DEA [LICENSE:{number}]").removeprefix("Dr. ").split(", DEA ")
    assert (made[0], made[1]) == (number[0], name[0])
    assert made[2:] != number[2:]
    assert dea_check_digit(made[2:8]) == made[8]


@pytest.mark.parametrize(
    "address", ["[CITY:Springfield], [STATE:MA] [ZIP:01103]", "[CITY:Boston], [STATE:Massachusetts] [ZIP:02115]"]
)
@pytest.mark.parametrize("patient", ["p1", "p2", "p3"])
def test_city_state_and_zip_are_one_place(rewrite, address, patient):
    record = PatientRecord(patient, "F", terms=MARIA.terms)
    places = {(fold(row["city"]), row["state"], row["zip"]) for row in read_tsv("places.tsv")}
    names = {row["state"] for row in read_tsv("places.tsv")}
    city, rest = rewrite(address, record).split(", ")
    state, code = rest.rsplit(" ", 1)
    if state not in names:
        state = rewrite("[STATE:MA]", record)
    assert (fold(city), state, code) in places
    # The city alone, elsewhere in the notes, is the same city.
    assert rewrite(address.split(",")[0], record) == city


def test_a_policy_that_keeps_states_keeps_cities_in_them(rewrite):
    cities = {fold(row["city"]) for row in read_tsv("places.tsv") if row["state"] == "MA"}
    made = rewrite("[CITY:Springfield], [STATE:MA]", maker=obfuscator(group="B"))
    assert made.endswith(", MA")
    assert fold(made.split(",")[0]) in cities - {"springfield"}


@pytest.mark.parametrize(
    ("original", "pattern"),
    [
        ("[STREET:1234 Elm Street Apt 4B]", r"\d{4} [A-Z][a-z]+ Street Apt \d[A-Z]"),
        ("[STREET:PO Box 12]", r"PO Box \d\d"),
        ("[LOCATION_OTHER:Rm 412B]", r"Rm \d{3}B"),
        ("[LOCATION_OTHER:Lincoln Park]", r"[A-Z][a-z]+ Park"),
        ("[COUNTRY:MEXICO]", r"[A-Z]+"),
        ("[FACILITY:Mercy General Hospital]", r"[A-Z][a-z]+ General Hospital"),
        ("[FACILITY:MGH]", r"[A-Z]{3}"),
        ("[ORGANIZATION:First Baptist Church of Hanover]", r"[A-Z][a-z]+ Baptist Church of [A-Z][a-z]+"),
        ("[PROFESSION:retired teacher]", r"[a-z ]+"),
        ("[PROFESSION:S]", r"[A-Z][A-Za-z -]+"),
        ("[PROFESSION:e]", r"[a-z -]+"),
        ("[EMAIL:maria.okafor77@mail.test]", r"[a-z]+\.[a-z]+\d\d@(?!mail)[a-z]+\.test"),
        ("[URL:https://www.mercy.test/portal/123]", r"https://www\.(?!mercy)[a-z]+\.test/portal/\d{3}"),
        ("[IP:10.1.2.3]", r"10\.\d+\.\d+\.\d+"),
        ("[IP:8.8.8.8]", r"100\.\d+\.\d+\.\d+"),
        ("[IP:fe80::1]", r"fe80::[0-9a-f:]+"),
    ],
)
def test_the_kind_stays(rewrite, original, pattern):
    made = rewrite(original)
    assert re.fullmatch(pattern, made), made
    assert made != original.split(":", 1)[1][:-1]


def test_a_facility_is_the_same_with_and_without_its_kind(rewrite):
    assert rewrite("[FACILITY:Mercy General]") == rewrite("[FACILITY:Mercy General Hospital]").removesuffix(" Hospital")


def test_the_mail_address_holds_the_surrogates_name(rewrite):
    first, last = rewrite("[PATIENT:Maria Okafor]").lower().split()
    assert rewrite("[EMAIL:maria.okafor77@mail.test]").startswith(f"{first}.{last}")
