"""The form of each text: a table of forms, and texts that are not what they were marked as."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import FORMS, IdentifierForm
from deid_tasks.engine.obfuscate.policy import form_of_span

YEAR, OLD, UNCLEAR, FULL = (
    IdentifierForm.YEAR,
    IdentifierForm.BIRTH_YEAR_OVER_89,
    IdentifierForm.DATE_UNCLEAR,
    IdentifierForm.FULL_DATE,
)


@pytest.mark.parametrize(("form", "entry"), FORMS.items())
def test_the_example_of_a_form_has_it(form, entry):
    assert form_of_span(entry.example, entry.entity) is form


@pytest.mark.parametrize(
    ("value", "form"),
    [
        *((value, YEAR) for value in ("2019", "1937", "1990s", "'09", "in 2019", "early 2019", "2019-2021", "2014-15")),
        *((value, OLD) for value in ("1936", "1928", "1930s", "'31", "'22", "1928-2019", "since 1931")),
        *((value, UNCLEAR) for value in ("2090", "14 Okafor", "Okafor 2019", "99/99/9999", "1234567890", "", "1430")),
        *((value, FULL) for value in ("3/14", "3/14/21", "March 3-5", "the 14th", "20210314", "Mar-14", "0314")),
        *((value, FULL) for value in ("2021-07-28T15:22:09Z", "3/14/2021 14:30", "Monday, March 3", "1/1/1930")),
        *((value, IdentifierForm.MONTH_AND_YEAR) for value in ("3/2019", "Mar 2019", "March of 2019", "May 2019-2021")),
        *((value, IdentifierForm.MONTH) for value in ("March", "in May")),
        *((value, IdentifierForm.SEASON) for value in ("spring", "Q3 2019", "winter of 2019")),
        *((value, IdentifierForm.WEEKDAY) for value in ("Thursday", "Mon", "MWF", "Tuesdays")),
        *((value, IdentifierForm.RELATIVE_DATE) for value in ("last Thursday", "next March", "this past spring")),
        *(
            (value, IdentifierForm.RELATIVE_DAY)
            for value in ("yesterday", "two weeks ago", "3 days", "POD 3", "last week")
        ),
        *((value, IdentifierForm.HOLIDAY) for value in ("Christmas 2019", "Fourth of July", "Thanksgiving")),
        ("Christmas Okafor", UNCLEAR),
        ("at 14:35", IdentifierForm.TIME_OF_DAY),
    ],
)
def test_dates(value, form):
    assert form_of_span(value, Entity.DATE) is form


@pytest.mark.parametrize(("as_of_year", "form"), [(2017, YEAR), (2018, OLD)])
def test_a_birth_year_is_judged_by_the_year_asked_about(as_of_year, form):
    assert form_of_span("1928", Entity.DATE, as_of_year) is form


@pytest.mark.parametrize(
    ("value", "form"),
    [
        *(
            (value, IdentifierForm.AGE_UNDER_90)
            for value in ("54", "54-year-old", "89", "in her 80s", "eighty-two", "newborn")
        ),
        *(
            (value, IdentifierForm.AGE_UNDER_90)
            for value in ("6 months", "100 months", "18m6d", "54yo F", "3-week-old", "54M")
        ),
        *(
            (value, IdentifierForm.AGE_90_OR_OVER)
            for value in ("90", "94 yo", "nineties", "ninety-one", ">89", "89+", "her 90s")
        ),
        *((value, IdentifierForm.AGE_90_OR_OVER) for value in ("nonagenarian", "102-year-old", "a hundred", "88-91")),
        *((value, IdentifierForm.AGE_UNCLEAR) for value in ("9O", "LXXII", "54 Okafor", "elderly", "")),
    ],
)
def test_ages(value, form):
    assert form_of_span(value, Entity.AGE) is form


def test_a_lower_limit_of_ages_moves_the_forms():
    assert form_of_span("81", Entity.AGE, max_age_years=80) is IdentifierForm.AGE_90_OR_OVER
    assert form_of_span("eighty-two", Entity.AGE, max_age_years=80) is IdentifierForm.AGE_UNCLEAR


@pytest.mark.parametrize(
    ("value", "entity", "form"),
    [
        *((value, Entity.STATE, IdentifierForm.STATE) for value in ("NY", "Mass.", "D.C.", "PR", "ohio")),
        *((value, Entity.STATE, IdentifierForm.REGION_UNCLEAR) for value in ("Bavaria", "Okafor", "Ontario")),
        *((value, Entity.COUNTRY, IdentifierForm.COUNTRY) for value in ("USA", "U.S.", "the Netherlands", "Guatemala")),
        *((value, Entity.COUNTRY, IdentifierForm.COUNTRY_UNCLEAR) for value in ("Mexican", "Okafor")),
        *((value, Entity.ZIP, IdentifierForm.ZIP) for value in ("45502", "45502-1234", "03601")),
        *((value, Entity.ZIP, IdentifierForm.ZIP_3) for value in ("455", "021XX", "021**")),
        *(
            (value, Entity.ZIP, IdentifierForm.RESTRICTED_ZIP_3)
            for value in ("036", "893xx", "063", "205", "772", "004")
        ),
        *((value, Entity.ZIP, IdentifierForm.POSTAL_CODE) for value in ("SW1A 1AA", "0365", "K1A 0B1")),
        *(
            (value, Entity.TIME, IdentifierForm.TIME_OF_DAY)
            for value in ("14:35", "8 am", "1435 hrs", "half past nine", "noon")
        ),
        ("Okafor 8 am", Entity.TIME, IdentifierForm.TIME_UNCLEAR),
    ],
)
def test_places_and_times(value, entity, form):
    assert form_of_span(value, entity) is form
