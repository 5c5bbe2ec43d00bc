"""Dates keep their form and their distances. Every case moves back fifteen days from a note of 20 March 2021."""

import datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.dates.calendar_terms import MONTHS, PREFIXES, WEEKDAYS
from deid_tasks.engine.obfuscate.dates.common_dates import move_common_digits, move_common_names
from deid_tasks.engine.obfuscate.dates.date_shift import _move_any
from deid_tasks.engine.obfuscate.dates.holidays import HOLIDAY, holiday_date
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.text import Document
from tests.support.surrogate_cases import MARIA, WRITTEN_AT, obfuscator


@pytest.mark.parametrize(
    ("original", "rewritten"),
    [
        ("3/14/2021", "2/27/2021"),
        ("03/14/2021", "02/27/2021"),
        ("3/14/21", "2/27/21"),
        ("03-14-2021", "02-27-2021"),
        ("03-05-2014", "02-18-2014"),
        ("3.14.21", "2.27.21"),
        ("2021-03-14", "2021-02-27"),
        ("20210314", "20210227"),
        ("031421", "022721"),
        ("14-Mar-2021", "27-Feb-2021"),
        ("17-Mar-2021", "02-Mar-2021"),
        ("March 14, 2021", "February 27, 2021"),
        ("March 5th, 2014", "February 18th, 2014"),
        ("MARCH 14, 2021", "FEBRUARY 27, 2021"),
        ("sept 3", "aug 19"),
        ("14 March", "27 February"),
        ("the 14th", "the 27th"),
        ("March 17th", "March 2nd"),
        ("March 3-5, 2021", "February 16-18, 2021"),
        ("Mar '14", "Feb '14"),
        ("11/93", "10/93"),
        ("3/2021", "2/2021"),
        ("3/14", "2/27"),
        ("1/5", "12/21"),
        ("4/5/61", "3/21/61"),
        ("3/1/2020", "2/15/2020"),
        ("1/10/2021", "12/26/2020"),
        ("Sunday", "Saturday"),
        ("mondays", "sundays"),
        ("Tues 3/16", "Mon 3/1"),
        ("Sunday, March 14, 2021", "Saturday, February 27, 2021"),
        ("Thanksgiving", "Veterans Day"),
        ("CHRISTMAS DAY 2020", "DECEMBER 10, 2020"),
        ("spring 2021", "spring 2021"),
        ("2021", "2021"),
        ("3/14-3/16", "2/27-3/1"),
        ("3/14/21-3/16/21", "2/27/21-3/1/21"),
        ("3/14/2021 - 3/16/2021", "2/27/2021 - 3/1/2021"),
        ("3/14-16/21", "2/27-3/1/21"),
        ("3/14, 3/15, and 3/16", "2/27, 2/28, and 3/1"),
        ("12/30/20-1/2/21", "12/15/20-12/18/20"),
        ("12/30 to 1/20/21", "12/15 to 1/5/21"),
        ("March 3 to April 5, 2021", "February 16 to March 21, 2021"),
        ("March 30-April 2, 2021", "March 15-March 18, 2021"),
        ("March 14-16, 2021", "February 27-March 1, 2021"),
        ("14-16 March", "27 February-1 March"),
        ("14-Mar-2021 to 16-Mar-2021", "27-Feb-2021 to 01-Mar-2021"),
        ("2021-03-14T08:35:00Z", "2021-02-27T08:35:00Z"),
        ("3/14/2021 08:35", "2/27/2021 08:35"),
        ("3/14/21 at 8 am", "2/27/21 at 8 am"),
        ("3/14/21 1430", "2/27/21 1430"),
        ("20210314083500", "20210227083500"),
        ("0314", "0227"),
        ("31421", "22721"),
        ("03142021", "02272021"),
        ("14MAR21", "27FEB21"),
        ("2/29/2021", "2/13/2021"),
        ("Feb 29, 2020", "Feb 14, 2020"),
        ("March fourteenth", "February twenty-seventh"),
        ("the Fourteenth of March", "the Twenty-seventh of February"),
        ("first week of March", "first week of February"),
        ("Janurary 5, 2021", "December 21, 2020"),
        ("Tueday", "Monday"),
        ("Christmas '20", "December 10 '20"),
        ("Thanksgiving of 2019", "November 13, 2019"),
        ("day after Thanksgiving", "day after Veterans Day"),
        ("Christmas 12/25/20", "Thursday 12/10/20"),
        ("xmas", "december 10"),
        ("Presidents' Day", "January 31"),
        ("the 1980s", "the 1980s"),
        ("2019-20", "2019-20"),
        ("2014-03", "2014-02"),
        ("Q1 2021", "Q1 2021"),
        ("FY21", "FY21"),
        ("MWF", "MWF"),
        ("today", "today"),
        ("٣/١٤/٢٠٢١", "2/27/2021"),
    ],
)
def test_the_form_stays(rewrite, original, rewritten):
    assert rewrite(f"on [DATE:{original}].") == f"on {rewritten}."


@pytest.mark.parametrize("typo", ["323/20", "13/41/2020", "3//44/21", "99/99/99", "0/0"])
def test_what_no_calendar_holds_gets_other_digits_in_the_same_places(rewrite, typo):
    made = rewrite(f"[DATE:{typo}]")
    assert made != typo
    assert [c if not c.isdigit() else "0" for c in made] == [c if not c.isdigit() else "0" for c in typo]


FORMS = (
    "%m/%d/%Y",
    "%Y-%m-%d",
    "%B %d, %Y",
    "%d-%b-%Y",
    "%Y%m%d",
    "%m%d%Y",
    "%d %B %Y",
    "%A, %B %d %Y",
    "%m/%d/%Y %H:%M",
)
DAYS = st.dates(datetime.date(1925, 1, 1), datetime.date(2030, 12, 31))


@given(DAYS, DAYS, st.sampled_from(FORMS), st.sampled_from(FORMS), st.integers(-365, 365).filter(bool))
def test_intervals_stay_exact_across_forms_and_years(first, second, first_form, second_form, shift):
    maker = obfuscator((shift, shift))

    def moved(day, form):
        text = day.strftime(form)
        span = Span(0, len(text), Entity.DATE)
        made = maker.obfuscate(Document("n", text, "p"), [span], None, datetime.datetime(2021, 3, 20)).text
        return datetime.datetime.strptime(made, form).date()

    # Nineteen hundred and some in eight figures, month first, can be read as a year first.
    assume("%m%d%Y" not in (first_form, second_form) or min(first.month, second.month) < 12)
    assert moved(second, second_form) - moved(first, first_form) == second - first
    assert (moved(first, first_form) - first).days == shift


def test_each_patient_has_a_shift_of_its_own_and_never_none():
    maker = obfuscator((-365, 365))
    shifts = {maker.shift_days(f"p{i}") for i in range(400)}
    assert 0 not in shifts
    assert len(shifts) > 200
    assert min(shifts) < -200
    assert max(shifts) > 200


@pytest.mark.parametrize(
    "said", ["slipped on black ice", "SNOWMOBILE accident", "helped with lambing", "camp this summer"]
)
def test_a_note_without_a_patient_stays_in_the_season_that_its_words_tell(said):
    maker = obfuscator((-365, 365))

    def shifts(text, patient_id=None):
        return {
            abs(maker.shift_days(maker.subject(patient_id and f"{patient_id}{number}", f"{text} {number}"))) % 365
            for number in range(60)
        }

    assert all(min(days, 365 - days) <= 42 for days in shifts(said))
    assert len(shifts(said)) > 5
    assert any(42 < days < 323 for days in shifts(said, "p")), "a patient's dates do not depend on one note"
    assert any(42 < days < 323 for days in shifts("knee pain"))


@pytest.mark.parametrize(
    ("said", "offsets"),
    [
        ("clinic Tuesdays", {0, 1, 2, 3, 6}),
        ("seen Wed 11/1, back Fri", {0, 5, 6}),
        ("Mon to FRI", {0, 3, 4}),
        ("HD MWF", {0}),
        ("HD TThS, off Sunday", {0}),
        ("wed for 40 years, sat up", {*range(7)}),
    ],
)
def test_working_days_of_a_note_without_a_patient_stay_working_days(said, offsets):
    maker = obfuscator((-365, 365))
    shifts = {maker.shift_days(maker.subject(None, f"{said} {number}")) for number in range(200)}
    assert {days % 7 for days in shifts} == offsets
    assert len(shifts) > 20


def test_no_shift_leaves_day_and_month():
    maker = obfuscator((-366, 366))
    shifts = {maker.shift_days(f"p{i}") for i in range(8_000)}
    assert not shifts & {-366, -365, 365, 366}
    assert {-364, -1, 1, 364} <= shifts
    assert obfuscator((365, 365)).shift_days("p") == 365


def test_the_notes_own_time_moves_with_its_dates():
    maker = obfuscator()
    assert maker.shift_datetime(datetime.datetime(2021, 3, 20, 9), MARIA.patient_id) == datetime.datetime(2021, 3, 5, 9)
    assert maker.shift_datetime(None, "p") is None


def test_a_policy_that_changes_times_changes_them_beside_dates(rewrite):
    made = rewrite("[DATE:3/14/2021 08:35]", maker=obfuscator(keep=()))
    assert made.startswith("2/27/2021 ")
    assert made != "2/27/2021 08:35"


@settings(max_examples=300)
@given(st.from_regex(r"[0-9]{1,4}([/. -][0-9]{1,4}){0,3}", fullmatch=True))
def test_any_figures_keep_their_marks(value):
    made = obfuscator().obfuscate(Document("n", value, "p"), [Span(0, len(value), Entity.DATE)], None, None).text
    assert len([c for c in made if not c.isdigit()]) >= len([c for c in value if not c.isdigit()])


def test_a_long_stretch_is_no_date_and_costs_little(rewrite):
    made = rewrite("[DATE:" + "12:34 3/14/21 March Christmas " * 400 + "]")
    assert "3/14/21" not in made
    assert "March" not in made


_NAMES = (*PREFIXES[MONTHS], *PREFIXES[WEEKDAYS], "fall", "first", "xyz")
_FIGURE = st.integers(0, 33)


@given(
    st.sampled_from(
        ["{n} {a}/{b}", "{n} {a}", "{n} {a}th", "{n} {a}, {y}", "{n} {y}", "{a}-{n}-{y}", "{a}/{b}", "0{a}/{b}"]
    ),
    st.sampled_from(_NAMES).flatmap(lambda name: st.sampled_from([name, name.title(), name.upper()])),
    _FIGURE.flatmap(lambda number: st.sampled_from([str(number), f"{number:02d}"])),
    _FIGURE,
    st.integers(0, 9999),
    st.dates(datetime.date(1990, 1, 1), datetime.date(2030, 1, 1)),
    st.integers(-365, 365).filter(bool),
    st.booleans(),
)
def test_common_forms_are_moved_as_all_others_are(form, name, first, second, year, day, shift, is_day_first):
    """What is read at less cost comes out as what is read in full."""
    value = form.format(n=name, a=first, b=second, y=f"{year:04d}")
    scope = NameScope(KeyedChoices(bytes(32), "riverside"), "p1")
    context = NoteContext(
        scope, scope, shift, datetime.datetime.combine(day, datetime.time()), is_day_first=is_day_first
    )
    now = context.written_at
    made = move_common_digits(value, now, shift, is_day_first=is_day_first) or move_common_names(
        value, now, shift, is_day_first=is_day_first
    )
    assume(made is not None)
    assert made == _move_any(value, context)


@pytest.mark.parametrize(
    ("name", "country", "day"),
    [
        ("Thanksgiving", "US", datetime.date(2024, 11, 28)),
        ("Thanksgiving", "CA", datetime.date(2024, 10, 14)),
        ("Women's Day", "ZA", datetime.date(2024, 8, 9)),
        ("Mother's Day", "GB", datetime.date(2024, 3, 10)),
        ("Labour Day", "NZ", datetime.date(2024, 10, 28)),
        ("Shrove Tues", "GB", datetime.date(2024, 2, 13)),
        ("Ukrainian Xmas", "CA", datetime.date(2024, 1, 7)),
        ("Orthodox Easter", "US", datetime.date(2024, 5, 5)),
        ("Election Day", "US", datetime.date(2024, 11, 5)),
        ("Victoria Day", "CA", datetime.date(2024, 5, 20)),
        ("Mattu Pongal", "IN", datetime.date(2024, 1, 16)),
        ("leap day", "US", datetime.date(2024, 2, 29)),
    ],
)
def test_holidays_by_country(name, country, day):
    found = HOLIDAY.search(f"{name} 2024")
    assert holiday_date(found, WRITTEN_AT, country) == day
