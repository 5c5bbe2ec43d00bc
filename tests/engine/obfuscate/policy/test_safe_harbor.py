"""What stands in the text after rewriting under each policy."""

import datetime
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import read_columns
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.settings import ObfuscateSettings, PolicySettings
from tests.support.markup import read_markup
from tests.support.surrogate_cases import MARIA, WRITTEN_AT

RESTRICTED = [prefix for (prefix,) in read_columns("restricted_zip_prefixes.tsv", "prefix")]


def maker(preset="safe-harbor", shift=(-15, -15), **policy):
    settings = ObfuscateSettings(key="key", date_shift_days=shift)
    return Obfuscator(bytes(range(32)), "riverside", PolicySettings(preset=preset, **policy), settings)


def rewritten(marked, preset="safe-harbor", shift=(-15, -15), written_at=WRITTEN_AT, **policy):
    text, spans = read_markup(marked)
    made = maker(preset, shift, **policy)
    return made.obfuscate(Document("n1", text, "p1"), spans, MARIA, written_at).text


@pytest.mark.parametrize(
    "marked",
    [
        "in [DATE:2019]",
        "from [DATE:2016-2019]",
        "the [DATE:1990s]",
        "a [AGE:54-year-old] man",
        "aged [AGE:89]",
        "in [STATE:Ohio], [COUNTRY:USA]",
        "ZIP [ZIP:455]",
        "[DATE:two weeks ago]",
    ],
)
def test_what_safe_harbor_lets_stay(marked):
    assert rewritten(marked) == read_markup(marked)[0]


@pytest.mark.parametrize(
    ("marked", "made"),
    [
        ("a [AGE:94-year-old] man", "a 90+-year-old man"),
        ("in her [AGE:nineties]", "in her 90+"),
        ("[AGE:9O] years", "[AGE] years"),
        ("on [DATE:3/14/2021] in [DATE:2021]", "on 2/27/2021 in 2021"),
        ("since [DATE:March 2021]", "since February 2021"),
        ("[DATE:Thursday]", "Wednesday"),
        ("[DATE:last Thursday]", "last Wednesday"),
        ("born [DATE:1928]", "born 1937"),
        ("born in the [DATE:1920s]", "born in the 1940s"),
        ("b. [DATE:'31]", "b. '37"),
        ("DOB [DATE:3/14/1930]", "DOB 2/27/1937"),
        ("DOB [DATE:3/14/30]", "DOB 2/27/37"),
        ("DOB [DATE:19300314]", "DOB 19370227"),
        ("DOB [DATE:2/29/1936]", "DOB 2/13/1937"),
        ("DOB [DATE:1/5/1937]", "DOB 12/21/1937"),
        ("DOB [DATE:3/14/1930 14:30]", None),
        ("ZIP [ZIP:03601]", "ZIP 00000"),
        ("ZIP [ZIP:036XX]", "ZIP 000XX"),
        ("ZIP [ZIP:893]", "ZIP 000"),
        ("ZIP [ZIP:00401-1234]", "ZIP 00000-0000"),
    ],
)
def test_what_safe_harbor_makes(marked, made):
    text = rewritten(marked)
    if made is None:
        assert re.fullmatch(r"DOB 2/27/1937 \d\d:\d\d", text)
        assert "14:30" not in text
    else:
        assert text == made


def test_dates_of_this_century_are_not_taken_for_birth_years():
    assert rewritten("[DATE:3/14/26]", shift=(300, 300), written_at=datetime.datetime(2026, 3, 20)) == "1/8/27"


def test_a_ZIP_keeps_its_area_and_its_state():  # noqa: N802
    made = rewritten("[CITY:Springfield, MA 01103]")
    assert re.fullmatch(r"[^,]+, MA 011\d\d", made)
    assert "Springfield" not in made
    assert not made.endswith("01103")


@pytest.mark.parametrize("prefix", RESTRICTED)
def test_a_restricted_prefix_becomes_zeros_whatever_follows(prefix):
    assert rewritten(f"[ZIP:{prefix}01]") == "00000"
    assert rewritten(f"[ZIP:{prefix}]") == "000"


def test_a_town_of_a_restricted_area_moves_within_its_state():
    table = {(city, state): zip_code for zip_code, city, state in read_columns("places.tsv", "zip", "city", "state")}
    areas = set()
    for town in ("Charlestown", "Walpole", "Acworth", "Alstead", "Lempster"):
        city = rewritten(f"[CITY:{town}], [STATE:NH]").split(",")[0]
        areas.add(table[city, "NH"][:3])
    assert areas - {"036"}


@pytest.mark.parametrize(("city", "state", "zip_code"), [("Dayton", "OH", "45402"), ("Chicago", "IL", "60614")])
def test_a_town_that_is_an_area_of_its_own_is_replaced_too(city, state, zip_code):
    for patient in range(20):
        text, spans = read_markup(f"[CITY:{city}], [STATE:{state}] [ZIP:{zip_code}]")
        made = maker().obfuscate(Document("n1", text, f"p{patient}"), spans, None, WRITTEN_AT).text
        name, _, rest = made.partition(", ")
        assert name != city
        assert rest[:6] == f"{state} {zip_code[:3]}"
        assert rest[3:] != zip_code


def test_a_limited_data_set_keeps_dates_towns_and_ages_and_moves_no_date():
    marked = (
        "[PATIENT:Maria Okafor], [AGE:94], [STREET:12 Elm St], [CITY:Springfield], [STATE:MA] [ZIP:01103],"
        " seen [DATE:3/14/2021] at [TIME:14:30]. Marked as a date: [DATE:Okafor 7]."
    )
    made = rewritten(marked, "limited-dataset")
    assert ", Springfield, MA 01103, seen 3/14/2021 at 14:30." in made
    assert ", 94, " in made
    assert not re.search("Maria|Okafor 7|12 Elm", made)
    engine = maker("limited-dataset")
    assert engine.shift_days("p1") == 0
    assert engine.shift_datetime(WRITTEN_AT, "p1") == WRITTEN_AT


def test_gdpr_leaves_nothing_and_moves_ages_within_their_group():
    made = rewritten("[AGE:54], [DATE:2019], [STATE:MA], [COUNTRY:Ghana], [TIME:14:30]", "gdpr", shift=(400, 400))
    age, year, state, country, time = made.split(", ")
    assert 40 <= int(age) < 60
    assert age != "54"
    assert year == "2020"
    assert (state, country, time) != ("MA", "Ghana", "14:30")
    assert state != "MA"
    assert country != "Ghana"


def test_tables_follow_the_same_policy():
    engine = maker()
    assert engine.value("MA", Entity.STATE, MARIA) == "MA"
    assert engine.value("03601", Entity.ZIP, MARIA) == "00000"
    assert engine.value("Springfield", Entity.CITY, MARIA, state="MA") != "Springfield"
    assert maker("limited-dataset").value("Springfield", Entity.CITY, MARIA, state="MA") == "Springfield"


@given(
    year=st.integers(1900, 2026),
    month=st.integers(1, 12),
    day=st.integers(1, 28),
    form=st.sampled_from(
        ["{y}", "{m}/{d}/{y}", "{y}-{m:02}-{d:02}", "{d} Mar {y}", "born {y}", "{m}/{y}", "{y}{m:02}{d:02}"]
    ),
    shift=st.sampled_from([-365, -40, 1, 300, 365]),
)
def test_no_year_tells_of_an_age_over_89(year, month, day, form, shift):
    value = form.format(y=year, m=month, d=day)
    made = maker(shift=(shift, shift)).obfuscate(
        Document("n1", value, "p1"), [Span(0, len(value), Entity.DATE)], MARIA, datetime.datetime(2026, 6, 1)
    )
    years = [int(one) for one in re.findall(r"(?:18|19|20)\d\d", made.text)]
    assert min(years) >= 2026 - 89 if years else made.text == "[DATE]"
