"""A note's own order of day and month, its country, and what exists together there."""

import datetime
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.obfuscate.identifiers.national_numbers import NATIONAL_NUMBERS, kind_of_number
from deid_tasks.engine.obfuscate.identifiers.telephone_plans import CALLING_CODES
from deid_tasks.engine.obfuscate.note_locale import read_locale
from deid_tasks.engine.obfuscate.organizations.organization_words import UNITS
from deid_tasks.engine.obfuscate.places.place_table import place_rows
from deid_tasks.engine.obfuscate.places.town_table import countries, town_named, towns_of
from deid_tasks.engine.obfuscate.word_lists import read_word_list
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.check_digits import luhn_check_digit
from deid_tasks.engine.text.national_check_digits import (
    dni_check_letter,
    kvnr_check_digit,
    medicare_check_digit,
    nhi_check_digit,
    nhs_check_digit,
    nir_key,
    nric_check_letter,
    phn_check_digit,
    pps_check_letter,
    verhoeff_check_digit,
)
from deid_tasks.settings import ObfuscateSettings, PolicySettings
from tests.support.markup import read_markup
from tests.support.surrogate_cases import WRITTEN_AT, obfuscator

DAYS = st.dates(datetime.date(1930, 1, 1), datetime.date(2030, 12, 31))
SHIFTS = st.integers(-365, 365).filter(bool)
BRITISH = "seen [DATE:25/12/2020]. "
"""Of this date only one order is in the calendar."""
TOWNS = [town for country in sorted(countries()) for town in towns_of(country) if country != "SG"]
CALLS = {country: code for code, country in CALLING_CODES.items()} | {"CA": "1"}


def of_country(country, shift=(-15, -15)):
    settings_ = ObfuscateSettings(key="key", date_shift_days=shift, country=country)
    return Obfuscator(bytes(range(32)), "riverside", PolicySettings(), settings_)


def rewritten(marked, maker=None, patient="p1", written_at=WRITTEN_AT):
    """Return the surrogates of the marked spans, in order."""
    text, spans = read_markup(marked)
    made = (maker or obfuscator()).obfuscate(Document("n", text, patient), spans, None, written_at)
    ends = dict(zip(made.originals, made.replaced, strict=True))
    return [
        made.text[slice(*ends[span.start, span.end])] if (span.start, span.end) in ends else text[span.start : span.end]
        for span in spans
    ]


@given(DAYS, DAYS, st.sampled_from(["%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%A %d/%m/%Y", "%d/%m/%Y %H:%M"]), SHIFTS)
def test_intervals_and_weekdays_stay_exact_in_a_day_first_note(first, second, form, shift):
    maker = obfuscator((shift, shift))
    texts = [day.strftime(form) for day in (first, second)]
    made = rewritten(BRITISH + f"[DATE:{texts[0]}] [DATE:{texts[1]}]", maker)[1:]
    moved = [datetime.datetime.strptime(text, form).date() for text in made]
    assert moved == [first + datetime.timedelta(shift), second + datetime.timedelta(shift)]
    if form.startswith("%A"):
        assert [text.split()[0] for text in made] == [f"{day:%A}" for day in moved]


@given(st.dates(datetime.date(2021, 1, 15), datetime.date(2021, 6, 30)), SHIFTS, st.booleans())
def test_a_date_without_a_year_takes_that_of_the_note(day, shift, has_time):
    maker = obfuscator((shift, shift))
    full, short = rewritten(
        f"visit [DATE:20/03/2021], again [DATE:{day.day}/{day.month}]",
        maker,
        written_at=WRITTEN_AT if has_time else None,
    )
    moved = day + datetime.timedelta(shift)
    assert short == f"{moved.day}/{moved.month}"
    assert full == (datetime.date(2021, 3, 20) + datetime.timedelta(shift)).strftime("%d/%m/%Y")


@given(DAYS, st.dates(datetime.date(2000, 1, 1), datetime.date(2030, 12, 31)), SHIFTS)
def test_the_age_at_a_visit_stays_but_on_the_birthday_itself(born, visit, shift):
    assume(born < visit)
    made = rewritten(f"DOB [DATE:{born:%m/%d/%Y}], seen [DATE:{visit:%m/%d/%Y}]", obfuscator((shift, shift)))
    new_born, new_visit = (datetime.datetime.strptime(text, "%m/%d/%Y").date() for text in made)

    def age(birth, day):
        return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))

    # Leap days between the years may move the birthday by a day or two against the visit.
    near = min(
        abs((datetime.date(2001, visit.month, min(visit.day, 28)) - datetime.date(2001, m, min(d, 28))).days)
        for m, d in [(born.month, born.day)]
    )
    assume(3 < near < 360)
    assert age(new_born, new_visit) == age(born, visit)


@pytest.mark.parametrize(
    ("marked", "country", "is_day_first"),
    [
        ("seen [DATE:14/3/2021]", "US", True),
        ("seen [DATE:3/14/2021]", "US", False),
        ("seen [DATE:3/4/2021]", "US", False),
        ("seen [DATE:3/4/2021], haemoglobin and oedema noted", "GB", True),
        ("[ZIP:LS6 2AB], seen [DATE:3/4/2021]", "GB", True),
        ("[ZIP:T12 DC4A]", "IE", True),
        ("[ZIP:H3H 2R9] [DATE:3/4/2021]", "CA", False),
        ("[CITY:Wollongong], [DATE:3/4/2021]", "AU", True),
        ("[PHONE:+64 9 307 4949]", "NZ", True),
        ("[PHONE:+91 98765 43210]", "IN", True),
        ("[CITY:München]", "DE", True),
        ("[STATE:Occitanie]", "FR", True),
        ("[CITY:Pietermaritzburg], [DATE:3/4/2021]", "ZA", True),
        ("[CITY:Boston], [STATE:MA], once in [CITY:Leeds]", "US", False),
        ("take 2-14 units, review [DATE:2-14]", "US", False),
        ("works [DATE:6/52]", "US", False),
    ],
)
def test_the_locale_is_read_from_the_note(marked, country, is_day_first):
    text, spans = read_markup(marked)
    locale = read_locale(text, spans, None, "US")
    assert (locale.country, locale.is_day_first) == (country, is_day_first)


def test_the_setting_decides_what_the_note_leaves_open():
    assert rewritten("seen [DATE:3/4/2021]", of_country("GB")) == ["19/3/2021"]
    assert rewritten("seen [DATE:3/4/2021]", of_country("US")) == ["2/17/2021"]
    assert rewritten("seen [DATE:3/14/2021]", of_country("GB")) == ["2/27/2021"]
    assert re.fullmatch(r"0\d{4} \d{6}|0\d{2,3} \d{3,4} \d{4}", rewritten("[PHONE:0161 496 0123]", of_country("GB"))[0])


def test_a_year_comes_from_the_commonest_year_of_the_notes_dates():
    text, spans = read_markup("DOB [DATE:4/5/1961]; seen [DATE:3/14/2019], labs [DATE:3/12/2019], due [DATE:5/1/2020]")
    assert read_locale(text, spans, None, "US").written_at == datetime.datetime(2019, 3, 14)
    text, spans = read_markup("seen [DATE:3/14] and [DATE:3/16]")
    assert read_locale(text, spans, None, "US").written_at is None


def test_a_birth_date_that_stands_twice_does_not_tell_the_year_of_the_note():
    text, spans = read_markup("seen [DATE:2024-03-13], b. [DATE:09/09/1983], claim for [DATE:9/8/83]; bed [DATE:2055]")
    assert read_locale(text, spans, None, "US").written_at == datetime.datetime(2024, 3, 13)


@pytest.mark.parametrize(
    "marked",
    ["for [DATE:2/52]", "review in [DATE:3/12]", "[DATE:2/7] ago", "pain [DATE:7/10]", "NRS pain was [DATE:3/10]"],
)
def test_spans_of_time_and_scores_are_not_dates(marked):
    text, spans = read_markup(BRITISH + marked)
    assert rewritten(BRITISH + marked)[1] == text[spans[1].start : spans[1].end]


@settings(max_examples=200)
@given(st.sampled_from(TOWNS), st.sampled_from(["p1", "p2", "p3"]), st.integers(0, 5))
def test_town_region_postcode_and_area_code_agree(town, patient, index):
    postcode = town.postcodes[index % len(town.postcodes)]
    tail = {"GB": " 2AB", "IE": " DC4A", "CA": " 2C4", "IN": "24"}.get(town.country, "")
    phone = f"+{CALLS[town.country]} {town.area_code} 234 5678"
    if town.country == "CA":
        phone = f"{town.area_code}-234-5678"
    marked = f"[CITY:{town.name}], [STATE:{town.region}] [ZIP:{postcode}{tail}], [PHONE:{phone}] [PHONE:+{CALLS[town.country]} {town.area_code} 345 6789]"
    if town.country == "CA":
        marked = marked.rsplit(" [PHONE", 1)[0]
    made = rewritten(marked, patient=patient)
    new = town_named(fold(made[0]), town.country)
    assert new is not None
    assert new != town
    assert made[1] == new.region
    assert made[2].startswith(new.postcodes)
    assert re.sub(r"\D", "", made[3]).startswith(("" if town.country == "CA" else CALLS[town.country]) + new.area_code)
    assert town_named(fold(rewritten(f"{marked} and [CITY:{town.name}]", patient=patient)[-1]), town.country) == new


US_PLACES = [row for row in place_rows() if row[3] and "," not in row[3]]
CODES_OF = {}
for _zip, _city, _state, _codes in place_rows():
    CODES_OF.setdefault((_city.casefold(), _state), set()).update(_codes.split(","))


@settings(max_examples=300)
@given(st.sampled_from(US_PLACES), st.sampled_from(["p1", "p2", "p3"]))
def test_a_telephone_number_has_an_area_code_of_the_surrogate_town(place, patient):
    zip_code, city, state, area = place
    assume(CODES_OF[city.casefold(), state] == {area})
    made = rewritten(f"[CITY:{city}], [STATE:{state}] [ZIP:{zip_code}] tel [PHONE:({area}) 234-5678]", patient=patient)
    assert made[3][1:4] in CODES_OF[made[0].casefold(), made[1]]


@pytest.mark.parametrize("kind", NATIONAL_NUMBERS, ids=lambda kind: kind.name)
def test_a_valid_number_becomes_a_valid_number_of_its_kind(kind):
    maker = of_country(kind.country)

    @settings(max_examples=60)
    @given(st.from_regex(kind.form, fullmatch=True))
    def check(drawn):
        match = kind.form.fullmatch(drawn)
        digit = kind.check(match["body"])
        assume(digit)
        value = match["body"] + digit + match["rest"]
        found = kind_of_number(value, kind.country)
        assume(found is not None and found[0] is kind)
        made = rewritten(f"[OTHER_ID:{value}]", maker)[0]
        again = kind.form.fullmatch(made)
        assert kind.check(again["body"]) == again["check"]
        assert made != value
        spaced = " ".join((value[:3], value[3:6], value[6:]))
        assert rewritten(f"[OTHER_ID:{spaced}]", maker)[0].replace(" ", "") == made

    check()


@given(st.sampled_from(NATIONAL_NUMBERS), st.data())
def test_an_invalid_number_keeps_its_form(kind, data):
    value = data.draw(st.from_regex(kind.form, fullmatch=True))
    assume(kind_of_number(value, kind.country) is None)
    made = rewritten(f"[OTHER_ID:{value}]", of_country(kind.country))[0]
    assert re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", made)) == re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", value))


def test_published_examples_of_check_characters():
    assert nhs_check_digit("943476591") == "9"
    assert medicare_check_digit("21234567") == "0"
    assert nhi_check_digit("ZAC536") == "1"
    assert nhi_check_digit("ZZZ001") == "6"
    assert verhoeff_check_digit("236") == "3"
    assert [nric_check_letter(stem) for stem in ("S1234567", "T1234567", "F1234567", "G1234567")] == list("DJNX")
    assert pps_check_letter("1234567") == "T"
    assert phn_check_digit("969865821") == "5"
    assert [dni_check_letter(stem) for stem in ("12345678", "X1234567")] == ["Z", "L"]
    assert nir_key("2550814168025") == "38"
    assert kvnr_check_digit("A12345678") == "0"


def test_the_birth_date_in_a_number_moves_with_the_patient():
    made = rewritten("CHI [MRN:0504610007], DOB [DATE:05/04/1961], [ZIP:EH16 4SA]")
    assert made[1] == "21/03/1961"
    assert made[0].startswith("210361")


def test_a_south_african_number_keeps_birth_sex_and_citizenship():
    made = rewritten("ID No [OTHER_ID:8503225456081], DOB [DATE:22/03/1985], [CITY:Pietermaritzburg]")
    assert made[1] == "07/03/1985"
    assert re.fullmatch(r"850307[5-9]\d{3}08\d", made[0])
    assert made[0][-1] == luhn_check_digit(made[0][:-1])


def test_a_note_comes_out_the_same_behind_any_other():
    notes = ["seen [DATE:3/4/2021], [CITY:Boston] [ZIP:02115]", "[ZIP:LS6 2AB] [DATE:3/4/2021] [PHONE:0113 496 0123]"]
    maker = obfuscator()
    alone = [rewritten(note, obfuscator()) for note in notes]
    assert [rewritten(note, maker) for note in notes] == alone
    assert [rewritten(note, maker) for note in reversed(notes)] == alone[::-1]


def test_every_country_of_the_setting_has_towns():
    known = set(ObfuscateSettings.model_json_schema()["properties"]["country"]["enum"])
    assert known == countries() | {"US"}


@pytest.mark.parametrize(
    "name",
    ["organizations/first_words", "organizations/second_words", "organizations/single_names", "places/landmarks"],
)
def test_no_word_of_a_surrogate_name_is_a_clinical_term(name):
    clinical = {fold(row["term"]) for table in ("medical_terms.tsv", "eponyms.tsv") for row in read_tsv(table)}
    words = read_word_list(f"{name}.txt")
    assert not {word for word in words if fold(word) in clinical | UNITS}
    assert len(set(words)) == len(words)
