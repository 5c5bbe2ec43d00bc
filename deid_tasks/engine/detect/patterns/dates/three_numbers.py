"""How three numbers are read: 3/14/2021, 2021-03-14, 12/41/20."""

import re

from deid_tasks.engine.detect.patterns.dates.figures import Figures, is_month_day, is_year
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never

_BIRTH_BEFORE = re.compile(r"(?:dob|d\.o\.b\.?|birth ?date|date of birth|born|dos|date)[\s:=(#]{0,4}(?:on )?$")


def _is_glued_to_one_letter(figures: Figures) -> bool:
    is_one_letter = not figures.text[figures.start - 2 : figures.start - 1].isalnum()
    return figures.follows_letter and is_one_letter and len(figures.numbers[2]) < 4


def _is_year_first(figures: Figures) -> bool:
    year, second, third = figures.numbers
    return is_year(year) and len(second) <= 2 and len(third) <= 2


def _is_calendar_behind_year(figures: Figures) -> bool:
    _, second, third = figures.values
    return is_month_day(second, third) or is_month_day(third, second)


def _has_long_month_or_day(figures: Figures) -> bool:
    return len(figures.numbers[0]) > 2 or len(figures.numbers[1]) > 2


def _is_one_figure_too_long(figures: Figures) -> bool:
    first, second, year = figures.numbers
    is_short = len(first) <= 3 and len(second) <= 3
    return is_short and is_year(year) and figures.has_equal_separators and figures.separators[1] != "-"


def _is_zero_or_apgar(figures: Figures) -> bool:
    """Whether the numbers are hours of doses (0/8/16) or the minutes of Apgar's scores."""
    return 0 in figures.values[:2] or (figures.values == (1, 5, 10) and "apgar" in figures.ahead)


def _is_cut_year(figures: Figures) -> bool:
    year = figures.numbers[2]
    return len(year) == 3 and figures.is_calendar and year.startswith(("19", "20", "02"))


def _is_date_with_short_year(figures: Figures) -> bool:
    return (figures.is_calendar and _has_separators_of_a_date(figures)) or _is_mistyped(figures)


def _has_separators_of_a_date(figures: Figures) -> bool:
    if figures.has_slashes or (figures.has_equal_separators and "apgar" not in figures.ahead):
        return True
    return any("/" in separator for separator in figures.separators) and figures.is_day_ahead


def _is_mistyped(figures: Figures) -> bool:
    """Whether a month or a day is beyond the calendar, as in 12/41/20."""
    first, second, _ = figures.values
    is_near = min(first, second) <= 12 and (first <= 31 or second <= 31)
    return figures.has_slashes and is_near and len(set(figures.values)) > 1


def _is_labelled_with_short_year(figures: Figures) -> bool:
    is_labelled = figures.is_day_ahead and _BIRTH_BEFORE.search(figures.ahead)
    return len(figures.numbers[2]) == 1 and figures.is_calendar and bool(is_labelled)


def _is_range_of_days(figures: Figures) -> bool:
    first, second, third = figures.values
    is_day = is_month_day(first, second) and 1 <= third <= 31 and len(figures.numbers[2]) <= 2
    has_marks = figures.separators == ("/", "-")
    return has_marks and is_day and figures.is_day_ahead and not figures.is_fraction_behind


THREE_NUMBERS: FormTable[Figures, bool] = FormTable(
    "three numbers",
    Form("one letter in front", "panel v3/14/21", _is_glued_to_one_letter, never),
    Form("year first", "CT of [DATE:2021-03-14]", _is_year_first, _is_calendar_behind_year),
    Form("a figure too many", "MRI of [DATE:13/411/2020]", _has_long_month_or_day, _is_one_figure_too_long),
    Form(
        "year last",
        "seen [DATE:3/14/2021]",
        lambda figures: is_year(figures.numbers[2]),
        lambda figures: figures.has_equal_separators or figures.is_calendar,
    ),
    Form("hours of doses, Apgar's minutes", "apgars 1/5/10 given", _is_zero_or_apgar, never),
    Form("a figure of the year dropped", "seen [DATE:3/14/202]", _is_cut_year, always),
    Form(
        "year of two figures",
        "seen [DATE:3/14/21], [DATE:12/41/20]",
        lambda figures: len(figures.numbers[2]) == 2 and not figures.has_unit,
        _is_date_with_short_year,
    ),
    Form("labelled, year of one figure", "DOB [DATE:3/14/2]", _is_labelled_with_short_year, always),
    Form("days of one month", "admitted on [DATE:3/1-5] for", _is_range_of_days, always),
)
"""How three numbers are read."""
