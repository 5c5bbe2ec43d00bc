"""Dates in figures: 3/14/2021, 03-14-21, 2021-03-14, 11/93, 3/14, ranges, and the typing errors of hurried people."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation

NUMERIC_TRIGGER = (
    r"[0-9]{1,4}(?:[/.\-\\]{1,2}[0-9]{1,4}){2,5}"  # three to six numbers
    r"|[0-9]{1,2} ?/ ?[0-9]{1,2} ?/ ?(?:19|20|')?[0-9]{2}"  # three numbers with blanks around the slashes
    r"|[0-9]{1,4}[/.\-\\]{1,2}[0-9]{1,4}"  # two numbers
    r"|(?:19|20)[0-9]{6}"  # 20210314
)
_NUMBER = re.compile(r"[0-9]+")

_UNIT = re.compile(rf"\s{{0,2}}(?:{alternation('dates', 'units_of_measure')})(?![a-z0-9]|\s?:)")
_FRACTION_AFTER = re.compile(
    rf"\s{{0,2}}(?:%|x\b|-?inch|-?(?:{alternation('dates', 'words_after_a_fraction')})(?![a-z]))"
)
_FRACTION_BEFORE = re.compile(
    rf"(?<![a-z])(?:{alternation('dates', 'words_before_a_fraction')})(?![a-z])[^\n.;]{{0,18}}$"
)
_DAY_BEFORE = re.compile(rf"(?:^|[^a-z])(?:{alternation('dates', 'words_before_a_day')})[\s:.,(=]{{0,3}}$")
_DURATION_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:for|in|every|over|past|last|next|x|of|after|about|approx|~|to)\s?$|^\s*$"
)
"""What stands in front of British shorthand: "for 3/12" is three months."""
_DURATION_AFTER = re.compile(r" (?:ago|hx|history|later|hence|post[- ]?op)\b")
"""What stands behind it: "seen 6/12 later"."""
_GLUED_BEFORE = re.compile(r"(?:^|[^a-z])(?:on|visit|seen|since|dob|date|called|by|until|from|last)$")
_BIRTH_BEFORE = re.compile(r"(?:dob|d\.o\.b\.?|birth ?date|date of birth|born|dos|date)[\s:=(#]{0,4}(?:on )?$")
_MONTH_YEAR_BEFORE = re.compile(
    rf"(?:^|[^a-z])(?:{alternation('dates', 'words_before_a_month_and_year')})[\s:,(]{{0,2}}$"
)
_CLOCK_AFTER = re.compile(
    r"\s{1,3}(?:at |@ ?)?(?:[0-2]?[0-9]:[0-5][0-9](?![0-9])|[01][0-9][0-5][0-9](?![0-9/]))"  # 3/14 at 10:30, 3/14 1030
    r"|,? (?:to|thru|through) [0-9]{1,2}/[0-9]{1,2}(?![0-9])"  # 3/14 to 3/16
)
_RANGE_BEFORE = re.compile(r"(?:here|from|on|stay|admitted|adm) [0-9]{1,2}/[0-9]{1,2},? (?:to|thru|through) $")
_HYPHEN_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:on|since|until|from|through|thru|dated?|seen|visit|due|admitted|adm|discharged?|d/c|dc|f/u|surgery|biopsy|bx"
    r"|started|stopped|appt|lmp|called|faxed|refill(?:ed)?)[\s:]{1,2}$"
)
_HYPHEN_AFTER = re.compile(r"\s*(?:[.,;:)]|$|(?:at|with|by|and|for|was|for|showed|w/|to|am|pm)\b(?! [0-9]))")
"""What stands around a month and a day with a hyphen, which is more often a range."""
_NAMED_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:dated?|dos|dob|seen on|visit on|(?:mon|tues?|wed|thur?s?|fri)|[a-z]{3,6}day)[\s:,.]{1,3}$"
)
_HOUR_AFTER = re.compile(
    r",?\s(?:at |@ ?)?(?:[0-9]{1,2}(?::[0-5][0-9])?\s?[ap]m?(?![a-z0-9])|[0-2]?[0-9]:[0-5][0-9](?![0-9:]))"
)
_RANGE_OF_VALUES_BEFORE = re.compile(r"(?:[0-9]|(?:take|takes|tabs?|x|q|every|over|between|sats?|rr|hr|range))\W{0,2}$")
_PULSE_BEFORE = re.compile(r"(?:^|[^a-z])(?:dp|dp [0-4]/4[,;]? (?:and )?pt)[ :]{1,2}$")
_SIGHT_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:va|ph|cc|sc|re|le|od|os|ou|vision)\W{1,12}(?:6/[0-9]{1,2}(?:\.5)?\W{1,4}(?:ph\W)?)?$"
)
_LINE_OPENING = re.compile(r"\s?[:\-]|\s[a-z]{2}")
_SIGHT = frozenset({9, 12, 18, 24})
"""Denominators below the six metres of Snellen's chart."""
_SCALE_BOTTOMS = frozenset({5, 6, 7, 10})
_COMMON_FRACTIONS = frozenset({(1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (1, 8), (1, 1), (2, 2), (3, 3), (4, 4), (1, 5)})
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_month_day(month: int, day: int) -> bool:
    """Whether the month has such a day in some year."""
    return 1 <= month <= 12 and 1 <= day <= _DAYS_IN_MONTH[month - 1]


def is_year(digits: str) -> bool:
    """Whether ``digits`` are a year that a note may hold: four figures from 1880 to 2099."""
    return len(digits) == 4 and 1880 <= int(digits) <= 2099


def _is_school_year(first: int, second: str) -> bool:
    """Whether ``second`` is a month, or the last two figures of the year after ``first``."""
    return 1 <= int(second) <= 12 or int(second) == (first + 1) % 100


@dataclass(slots=True)
class _Figures:
    """Two or three numbers of one match, and the text around them."""

    text: str
    start: int
    end: int
    numbers: tuple[str, ...]
    separators: tuple[str, ...]
    values: tuple[int, ...]
    ahead: str
    behind: str

    @property
    def follows_letter(self) -> bool:
        return self.text[self.start - 1 : self.start].isalpha()

    @property
    def has_equal_separators(self) -> bool:
        return self.separators[0] == self.separators[1]

    @property
    def has_slashes(self) -> bool:
        return all("/" in separator for separator in self.separators)

    @property
    def is_calendar(self) -> bool:
        """Whether the first two numbers are a month and a day, in either order."""
        first, second = self.values[:2]
        return is_month_day(first, second) or is_month_day(second, first)

    @property
    def has_unit(self) -> bool:
        return _UNIT.match(self.behind) is not None

    @property
    def is_fraction_behind(self) -> bool:
        return _FRACTION_AFTER.match(self.behind) is not None

    @property
    def is_fraction_ahead(self) -> bool:
        return _FRACTION_BEFORE.search(self.ahead) is not None

    @property
    def is_day_ahead(self) -> bool:
        """Whether the words in front announce a day."""
        return _DAY_BEFORE.search(self.ahead) is not None

    @property
    def is_announced(self) -> bool:
        """Whether the words in front announce a day, or a time or the end of a range stands behind."""
        return self.is_day_ahead or bool(_CLOCK_AFTER.match(self.behind) or _RANGE_BEFORE.search(self.ahead))


def read_numeric(text: str, start: int, end: int) -> Iterable[Candidate]:
    """Judge one run of figures and separators."""
    left, right = text[start - 1 : start], text[end : end + 1]
    if left.isdigit() or right.isdigit() or right in {"%", "\\"} or left in {"$", "#", "_"}:
        return ()
    if left in {".", "/", ",", "-"} and start > 1 and _continues_to_the_left(text, start):
        return ()
    if right in {".", "/", "-", ","} and text[end + 1 : end + 2].isdigit():
        return ()
    parts = [match.span() for match in _NUMBER.finditer(text, start, end)]
    if len(parts) > 3:
        return _range(text, parts)
    is_date = _is_compact(text, start, end) if len(parts) == 1 else _is_date(text, start, end, parts)
    return (Candidate(start, end, Entity.DATE),) if is_date else ()


def _continues_to_the_left(text: str, start: int) -> bool:
    """Whether the mark in front belongs to a longer number or code."""
    return text[start - 2].isdigit() or (text[start - 1] != "," and text[start - 2].isalpha())


def _is_compact(text: str, start: int, end: int) -> bool:
    """Whether eight figures on their own are a date: 20210314."""
    digits = text[start:end]
    is_alone = not text[start - 1 : start].isalnum() and not (text[end : end + 1].isalnum() and text[end] != "T")
    return is_alone and is_month_day(int(digits[4:6]), int(digits[6:8])) and int(digits[:4]) <= 2049


def _is_date(text: str, start: int, end: int, parts: list[tuple[int, int]]) -> bool:
    separators = tuple(text[left[1] : right[0]] for left, right in itertools.pairwise(parts))
    table = TWO_NUMBERS
    if len(parts) == 3:
        separators, table = tuple(separator.strip() for separator in separators), THREE_NUMBERS
    numbers = tuple([text[low:high] for low, high in parts])
    values = tuple([int(number) for number in numbers])
    figures = _Figures(text, start, end, numbers, separators, values, text_before(text, start), text_after(text, end))
    return bool(table.decide(figures))


def _range(text: str, parts: list[tuple[int, int]]) -> Iterator[Candidate]:
    """Split 3/1-3/5 and 3/14/21-3/16/21 at the hyphens, each part a date of its own."""
    days: list[list[tuple[int, int]]] = [[parts[0]]]
    for previous, part in itertools.pairwise(parts):
        if "-" in text[previous[1] : part[0]]:
            days.append([part])
        else:
            days[-1].append(part)
    if len(days) < 2 or not all(_looks_like_day(text, day) for day in days):
        return
    if "." in text[parts[0][1] : parts[-1][0]] and len(parts) < 6:
        return
    if len(parts) > 4 or not _FRACTION_AFTER.match(text_after(text, parts[-1][1])):
        for day in days:
            yield Candidate(day[0][0], day[-1][1], Entity.DATE)


def _looks_like_day(text: str, day: list[tuple[int, int]]) -> bool:
    values = [int(text[low:high]) for low, high in day]
    if len(day) == 3:
        last = text[slice(*day[2])]
        return is_month_day(values[0], values[1]) and (len(last) == 2 or is_year(last))
    if len(day) != 2:
        return False
    is_month = 1 <= values[0] <= 12 and (is_year(text[slice(*day[1])]) or 50 <= values[1] <= 99)
    return is_month_day(values[0], values[1]) or is_month


# Three numbers.


def _is_glued_to_one_letter(figures: _Figures) -> bool:
    is_one_letter = not figures.text[figures.start - 2 : figures.start - 1].isalnum()
    return figures.follows_letter and is_one_letter and len(figures.numbers[2]) < 4


def _is_year_first(figures: _Figures) -> bool:
    year, second, third = figures.numbers
    return is_year(year) and len(second) <= 2 and len(third) <= 2


def _is_calendar_behind_year(figures: _Figures) -> bool:
    _, second, third = figures.values
    return is_month_day(second, third) or is_month_day(third, second)


def _has_long_month_or_day(figures: _Figures) -> bool:
    return len(figures.numbers[0]) > 2 or len(figures.numbers[1]) > 2


def _is_one_figure_too_long(figures: _Figures) -> bool:
    first, second, year = figures.numbers
    is_short = len(first) <= 3 and len(second) <= 3
    return is_short and is_year(year) and figures.has_equal_separators and figures.separators[1] != "-"


def _is_zero_or_apgar(figures: _Figures) -> bool:
    """Whether the numbers are hours of doses (0/8/16) or the minutes of Apgar's scores."""
    return 0 in figures.values[:2] or (figures.values == (1, 5, 10) and "apgar" in figures.ahead)


def _is_cut_year(figures: _Figures) -> bool:
    year = figures.numbers[2]
    return len(year) == 3 and figures.is_calendar and year.startswith(("19", "20", "02"))


def _is_date_with_short_year(figures: _Figures) -> bool:
    return (figures.is_calendar and _has_separators_of_a_date(figures)) or _is_mistyped(figures)


def _has_separators_of_a_date(figures: _Figures) -> bool:
    if figures.has_slashes or (figures.has_equal_separators and "apgar" not in figures.ahead):
        return True
    return any("/" in separator for separator in figures.separators) and figures.is_day_ahead


def _is_mistyped(figures: _Figures) -> bool:
    """Whether a month or a day is beyond the calendar, as in 12/41/20."""
    first, second, _ = figures.values
    is_near = min(first, second) <= 12 and (first <= 31 or second <= 31)
    return figures.has_slashes and is_near and len(set(figures.values)) > 1


def _is_labelled_with_short_year(figures: _Figures) -> bool:
    is_labelled = figures.is_day_ahead and _BIRTH_BEFORE.search(figures.ahead)
    return len(figures.numbers[2]) == 1 and figures.is_calendar and bool(is_labelled)


def _is_range_of_days(figures: _Figures) -> bool:
    first, second, third = figures.values
    is_day = is_month_day(first, second) and 1 <= third <= 31 and len(figures.numbers[2]) <= 2
    has_marks = figures.separators == ("/", "-")
    return has_marks and is_day and figures.is_day_ahead and not figures.is_fraction_behind


THREE_NUMBERS: FormTable[_Figures, bool] = FormTable(
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


# Two numbers.


def _is_glued_to_word(figures: _Figures) -> bool:
    return figures.follows_letter and not _GLUED_BEFORE.search(text_before(figures.text, figures.start, 8))


def _is_month_and_year(figures: _Figures) -> bool:
    return is_year(figures.numbers[1]) and 1 <= figures.values[0] <= 12 and len(figures.numbers[0]) <= 2


def _is_year_and_month(figures: _Figures) -> bool:
    first, second = figures.numbers
    return is_year(first) and len(second) <= 2 and _is_school_year(int(first), second)


def _is_undivided(figures: _Figures) -> bool:
    return len(figures.numbers[0]) in {3, 4} and len(figures.numbers[1]) == 2


def _is_undivided_date(figures: _Figures) -> bool:
    """Whether a separator was left out, as in 323/20."""
    digits, year = figures.numbers[0], figures.values[1]
    cuts = ((digits[:1], digits[1:]), (digits[:2], digits[2:]))
    is_date = year <= 49 and any(day and is_month_day(int(month), int(day)) for month, day in cuts)
    return is_date and figures.is_day_ahead and not figures.is_fraction_behind


def _is_short_pair(figures: _Figures) -> bool:
    is_short = len(figures.numbers[0]) <= 2 and len(figures.numbers[1]) <= 2
    return is_short and not figures.text[figures.end : figures.end + 1].isalpha()


TWO_NUMBERS: FormTable[_Figures, bool] = FormTable(
    "two numbers",
    Form("a word in front", "room4/12", _is_glued_to_word, never),
    Form(
        "hyphen",
        "since [DATE:2015-09]",
        lambda figures: figures.separators[0] == "-",
        lambda figures: bool(HYPHENATED_NUMBERS.decide(figures)),
    ),
    Form("point or backslash", "lactate 3.14", lambda figures: "/" not in figures.separators[0], never),
    Form("month and year", "since [DATE:9/2015]", _is_month_and_year, lambda figures: not figures.has_unit),
    Form(
        "year and month, or a school year",
        "season [DATE:2015/16]",
        _is_year_and_month,
        lambda figures: not figures.has_unit and not figures.is_fraction_ahead,
    ),
    Form("separator left out", "fell on [DATE:323/20] at home", _is_undivided, _is_undivided_date),
    Form("two figures each", "seen [DATE:3/14]", _is_short_pair, lambda figures: bool(SHORT_NUMBERS.decide(figures))),
)
"""How two numbers are read."""


def _is_duration(figures: _Figures) -> bool:
    """Whether 6/12 is six months, in the words behind it."""
    is_unpadded = figures.numbers[0] == str(figures.values[0])
    return figures.values[1] == 12 and is_unpadded and _DURATION_AFTER.match(figures.behind) is not None


def _is_pulse(figures: _Figures) -> bool:
    return figures.values[1] == 4 and figures.values[0] <= 4 and _PULSE_BEFORE.search(figures.ahead) is not None


def _is_sight(figures: _Figures) -> bool:
    is_sight = figures.numbers[0] == "6" and figures.values[1] in _SIGHT
    return is_sight and _SIGHT_BEFORE.search(figures.ahead) is not None


def _may_be_month_and_short_year(figures: _Figures) -> bool:
    return 1 <= figures.values[0] <= 12 and figures.values[1] > 31 and len(figures.numbers[1]) == 2


def _is_weeks_of_the_year(figures: _Figures) -> bool:
    is_weeks = figures.values[1] == 52 and not figures.numbers[0].startswith("0")
    return _may_be_month_and_short_year(figures) and is_weeks


def _is_month_and_short_year(figures: _Figures) -> bool:
    if figures.numbers[0].startswith("0") or figures.is_announced or _opens_line(figures):
        return True
    return _MONTH_YEAR_BEFORE.search(figures.ahead) is not None


def _opens_line(figures: _Figures) -> bool:
    is_first = not figures.ahead.strip() and figures.values[1] >= 50
    return is_first and _LINE_OPENING.match(figures.behind) is not None


def _is_turn_of_the_century(figures: _Figures) -> bool:
    is_zero = figures.numbers[1].startswith("0") and figures.values[1] == 0
    return 1 <= figures.values[0] <= 12 and is_zero and len(figures.numbers[0]) == 2


def _is_day_first(figures: _Figures) -> bool:
    first, second = figures.values
    return figures.is_announced and is_month_day(second, first) and not figures.is_fraction_ahead


def _is_padded(figures: _Figures) -> bool:
    return figures.numbers[0].startswith("0") or figures.numbers[1].startswith("0")


def _is_usual_fraction(figures: _Figures) -> bool:
    is_usual = figures.values[1] in _SCALE_BOTTOMS or figures.values in _COMMON_FRACTIONS
    return is_usual and not _is_padded(figures)


def _is_month_and_day(figures: _Figures) -> bool:
    if figures.is_announced or _is_padded(figures) or figures.values[1] != 12:
        return True
    return not _DURATION_BEFORE.search(figures.ahead)


SHORT_NUMBERS: FormTable[_Figures, bool] = FormTable(
    "two numbers of two figures each",
    Form("measure behind", "strength 3/5 in all", lambda figures: figures.is_fraction_behind, never),
    Form("months ago", "seen 6/12 later", _is_duration, never),
    Form("pulse", "pulses dp 2/4", _is_pulse, never),
    Form("visual acuity", "va 6/9", _is_sight, never),
    Form("weeks of a year", "works 12/52", _is_weeks_of_the_year, never),
    Form(
        "month and year behind a measure",
        "pain score 11/93",
        lambda figures: _may_be_month_and_short_year(figures) and figures.is_fraction_ahead,
        lambda figures: figures.is_announced,
    ),
    Form("month and year", "CABG [DATE:11/93]", _may_be_month_and_short_year, _is_month_and_short_year),
    Form(
        "month and the year 2000",
        "CABG [DATE:11/00]",
        _is_turn_of_the_century,
        lambda figures: _MONTH_YEAR_BEFORE.search(figures.ahead) is not None,
    ),
    Form("day first", "seen [DATE:14/3]", lambda figures: not is_month_day(*figures.values), _is_day_first),
    Form(
        "month and day behind a measure",
        "pain 3/8",
        lambda figures: figures.is_fraction_ahead and not figures.is_announced,
        never,
    ),
    Form("usual fraction", "cut 3/4 of", _is_usual_fraction, lambda figures: figures.is_announced),
    Form("month and day", "seen [DATE:3/14]", always, _is_month_and_day),
)
"""How two numbers of at most two figures each are read, with a slash between them."""


def _is_span_of_years(figures: _Figures) -> bool:
    first, second = figures.numbers
    return is_year(first) and (is_year(second) or (len(second) == 2 and _is_school_year(int(first), second)))


def _is_rising(figures: _Figures) -> bool:
    is_rising = not is_year(figures.numbers[1]) or figures.values[0] < figures.values[1]
    return is_rising and not figures.has_unit


def _is_not_month_day(figures: _Figures) -> bool:
    first, second = figures.numbers
    return len(first) > 2 or len(second) != 2 or not is_month_day(*figures.values)


def _is_hyphen_day(figures: _Figures) -> bool:
    is_day = figures.values[1] > 12 and _HYPHEN_BEFORE.search(figures.ahead)
    return bool(is_day) and _HYPHEN_AFTER.match(figures.behind) is not None


def _is_hyphen_day_with_hour(figures: _Figures) -> bool:
    is_day = figures.values[1] > 12 and _HOUR_AFTER.match(figures.behind)
    return bool(is_day) and not _RANGE_OF_VALUES_BEFORE.search(figures.ahead)


HYPHENATED_NUMBERS: FormTable[_Figures, bool] = FormTable(
    "two numbers with a hyphen",
    Form("years, or year and month", "worked [DATE:1998-2004] there", _is_span_of_years, _is_rising),
    Form("month and year", "since [DATE:09-2015]", _is_month_and_year, lambda figures: not figures.has_unit),
    Form("range of values", "take 2-3 tabs", _is_not_month_day, never),
    Form("named", "dated [DATE:3-14]", lambda figures: bool(_NAMED_BEFORE.search(figures.ahead)), always),
    Form("between words of a day", "seen [DATE:3-14] with", _is_hyphen_day, always),
    Form("hour behind", "call [DATE:3-14] at [TIME:10:30]", _is_hyphen_day_with_hour, always),
)
"""How two numbers with a hyphen between them are read, which are more often a range of values."""

FORM_TABLES = (THREE_NUMBERS, TWO_NUMBERS, SHORT_NUMBERS, HYPHENATED_NUMBERS)

LABELLED_TRIGGER = r"(?i)(?:dob|d\.o\.b\.?|date of birth|birth ?date|dos|date of service|date):? {0,2}[0-9]{6,8}"
_LABELLED_VALUE = re.compile(r"[0-9]{6,8}$")


def read_labelled_date(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read figures without separators behind a label: DOB: 03142021 or 031421."""
    match = _LABELLED_VALUE.search(text, start, end)
    if match is None or text[end : end + 1].isdigit() or end - match.start() == 7:
        return
    digits = match.group()
    if is_month_day(int(digits[:2]), int(digits[2:4])) or is_year(digits[:4]):
        yield Candidate(match.start(), end, Entity.DATE, Strength.LABELLED)
