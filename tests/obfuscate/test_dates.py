"""Dates keep their form and their distances. Every case moves back fifteen days from a note of 20 March 2021."""

import datetime

import pytest
from conftest import MARIA, obfuscator
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.entities import Entity
from deid_tasks.span import Span
from deid_tasks.text import Document


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
        ("CHRISTMAS DAY 2020", "THANKSGIVING 2020"),
        ("spring 2021", "spring 2021"),
        ("2021", "2021"),
    ],
)
def test_the_form_stays(rewrite, original, rewritten):
    assert rewrite(f"on [DATE:{original}].") == f"on {rewritten}."


@pytest.mark.parametrize("typo", ["323/20", "13/41/2020", "3//44/21", "99/99/99", "0/0"])
def test_what_no_calendar_holds_gets_other_digits_in_the_same_places(rewrite, typo):
    made = rewrite(f"[DATE:{typo}]")
    assert made != typo
    assert [c if not c.isdigit() else "0" for c in made] == [c if not c.isdigit() else "0" for c in typo]


FORMS = ("%m/%d/%Y", "%Y-%m-%d", "%B %d, %Y", "%d-%b-%Y")
DAYS = st.dates(datetime.date(1925, 1, 1), datetime.date(2030, 12, 31))


@given(DAYS, DAYS, st.sampled_from(FORMS), st.sampled_from(FORMS), st.integers(-365, 365).filter(bool))
def test_intervals_stay_exact_across_forms_and_years(first, second, first_form, second_form, shift):
    maker = obfuscator((shift, shift))

    def moved(day, form):
        text = day.strftime(form)
        span = Span(0, len(text), Entity.DATE)
        made = maker.obfuscate(Document("n", text, "p"), [span], None, datetime.datetime(2021, 3, 20)).text
        return datetime.datetime.strptime(made, form).date()

    assert moved(second, second_form) - moved(first, first_form) == second - first
    assert (moved(first, first_form) - first).days == shift


def test_each_patient_has_a_shift_of_its_own_and_never_none():
    maker = obfuscator((-365, 365))
    shifts = {maker.shift_days(f"p{i}") for i in range(400)}
    assert 0 not in shifts
    assert len(shifts) > 200
    assert min(shifts) < -200
    assert max(shifts) > 200


def test_the_notes_own_time_moves_with_its_dates():
    maker = obfuscator()
    assert maker.shift_datetime(datetime.datetime(2021, 3, 20, 9), MARIA.patient_id) == datetime.datetime(2021, 3, 5, 9)
    assert maker.shift_datetime(None, "p") is None
