"""How two numbers are read: 9/2015, 11/93, 3/14, 3-14, and what only looks like them."""

import re

from deid_tasks.engine.detect.patterns.dates.figures import Figures, is_month_day, is_school_year, is_year
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.rule import text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation

_DURATION_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:for|in|every|over|past|last|next|x|of|after|about|approx|~|to)\s?$|^\s*$"
)
"""What stands in front of British shorthand: "for 3/12" is three months."""
_DURATION_AFTER = re.compile(r" (?:ago|hx|history|later|hence|post[- ]?op)\b")
"""What stands behind it: "seen 6/12 later"."""
_GLUED_BEFORE = re.compile(r"(?:^|[^a-z])(?:on|visit|seen|since|dob|date|called|by|until|from|last)$")
_MONTH_YEAR_BEFORE = re.compile(
    rf"(?:^|[^a-z])(?:{alternation('dates', 'words_before_a_month_and_year')})[\s:,(]{{0,2}}$"
)
_HYPHEN_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:on|since|until|from|through|thru|dated?|seen|visit|due|admitted|adm|discharged?|d/c|dc|f/u|surgery|biopsy|bx"
    r"|started|stopped|appt|lmp|called|faxed|refill(?:ed)?|received|rec'?d|rcvd|requested|consulted)[\s:]{1,2}$"
)
_HYPHEN_EXAM_BEFORE = re.compile(r"(?:^|[^a-z])(?:dexa|edc|edd|lmp|mammo(?:gram)?|pap|rhc|lhc|inj|depo)[\s:]{1,2}$")
"""In front of a day with a hyphen, whatever follows: DEXA 8-15 T -2.6."""
_HYPHEN_RANGE_BEFORE = re.compile(
    r"(?:splint|cast|boot|sling|off|from|adm|hosp|cert) (?:[0-9]{1,2}-[0-9]{1,2} (?:to|thru) )?$"
)
_HYPHEN_RANGE_AFTER = re.compile(r" (?:to|thru) [0-9]{1,2}-[0-9]{1,2}(?![0-9-])")
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
_PAINS_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:pain|pn|severity|nrs|score)[^\n.;]{0,12} (?:10|[0-9])/10(?: [0-2][0-9][0-5][0-9])?"
    r"(?:,? (?:10|[0-9])/10(?: [0-2][0-9][0-5][0-9])?){0,4},? $"
)
"""What stands in front of the next pain of a row with its times: pain 8/10 0600, 4/10 0700."""
_CLOCK_BEFORE = re.compile(r"(?:^|[^0-9:.])[0-2]?[0-9]:[0-5][0-9] {1,2}$")
"""A time of day in front of its day: 00:40 18/3."""
_LINE_OPENING = re.compile(r"\s?[:\-]|\s[a-z]{2}")
_SIGHT = frozenset({9, 12, 18, 24})
"""Denominators below the six metres of Snellen's chart."""
_SCALE_BOTTOMS = frozenset({5, 6, 7, 10})
_COMMON_FRACTIONS = frozenset({(1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (1, 8), (1, 1), (2, 2), (3, 3), (4, 4), (1, 5)})


def _is_glued_to_word(figures: Figures) -> bool:
    return figures.follows_letter and not _GLUED_BEFORE.search(text_before(figures.text, figures.start, 8))


def _is_month_and_year(figures: Figures) -> bool:
    return is_year(figures.numbers[1]) and 1 <= figures.values[0] <= 12 and len(figures.numbers[0]) <= 2


def _is_year_and_month(figures: Figures) -> bool:
    first, second = figures.numbers
    return is_year(first) and len(second) <= 2 and is_school_year(int(first), second)


def _is_undivided(figures: Figures) -> bool:
    return len(figures.numbers[0]) in {3, 4} and len(figures.numbers[1]) == 2


def _is_undivided_date(figures: Figures) -> bool:
    """Whether a separator was left out, as in 323/20."""
    digits, year = figures.numbers[0], figures.values[1]
    cuts = ((digits[:1], digits[1:]), (digits[:2], digits[2:]))
    is_date = year <= 49 and any(day and is_month_day(int(month), int(day)) for month, day in cuts)
    return is_date and figures.is_day_ahead and not figures.is_fraction_behind


def _is_short_pair(figures: Figures) -> bool:
    is_short = len(figures.numbers[0]) <= 2 and len(figures.numbers[1]) <= 2
    return is_short and not figures.text[figures.end : figures.end + 1].isalpha()


TWO_NUMBERS: FormTable[Figures, bool] = FormTable(
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


def _is_duration(figures: Figures) -> bool:
    """Whether 6/12 is six months, in the words behind it."""
    is_unpadded = figures.numbers[0] == str(figures.values[0])
    return figures.values[1] == 12 and is_unpadded and _DURATION_AFTER.match(figures.behind) is not None


def _is_pulse(figures: Figures) -> bool:
    return figures.values[1] == 4 and figures.values[0] <= 4 and _PULSE_BEFORE.search(figures.ahead) is not None


def _is_sight(figures: Figures) -> bool:
    is_sight = figures.numbers[0] == "6" and figures.values[1] in _SIGHT
    return is_sight and _SIGHT_BEFORE.search(figures.ahead) is not None


def _may_be_month_and_short_year(figures: Figures) -> bool:
    return 1 <= figures.values[0] <= 12 and figures.values[1] > 31 and len(figures.numbers[1]) == 2


def _is_weeks_of_the_year(figures: Figures) -> bool:
    is_weeks = figures.values[1] == 52 and not figures.numbers[0].startswith("0")
    return _may_be_month_and_short_year(figures) and is_weeks


def _is_month_and_short_year(figures: Figures) -> bool:
    if figures.numbers[0].startswith("0") or figures.is_announced or _opens_line(figures):
        return True
    return _MONTH_YEAR_BEFORE.search(figures.ahead) is not None


def _opens_line(figures: Figures) -> bool:
    is_first = not figures.ahead.strip() and figures.values[1] >= 50
    return is_first and _LINE_OPENING.match(figures.behind) is not None


def _is_turn_of_the_century(figures: Figures) -> bool:
    is_zero = figures.numbers[1].startswith("0") and figures.values[1] == 0
    return 1 <= figures.values[0] <= 12 and is_zero and len(figures.numbers[0]) == 2


def _is_day_first(figures: Figures) -> bool:
    first, second = figures.values
    is_announced = figures.is_announced or _CLOCK_BEFORE.search(figures.ahead) is not None
    return is_announced and is_month_day(second, first) and not figures.is_fraction_ahead


def _is_next_pain(figures: Figures) -> bool:
    return figures.values[1] == 10 and _PAINS_BEFORE.search(figures.ahead) is not None


def _is_padded(figures: Figures) -> bool:
    return figures.numbers[0].startswith("0") or figures.numbers[1].startswith("0")


def _is_usual_fraction(figures: Figures) -> bool:
    is_usual = figures.values[1] in _SCALE_BOTTOMS or figures.values in _COMMON_FRACTIONS
    return is_usual and not _is_padded(figures)


def _is_month_and_day(figures: Figures) -> bool:
    if figures.is_announced or _is_padded(figures) or figures.values[1] != 12:
        return True
    return not _DURATION_BEFORE.search(figures.ahead)


SHORT_NUMBERS: FormTable[Figures, bool] = FormTable(
    "two numbers of two figures each",
    Form("measure behind", "strength 3/5 in all", lambda figures: figures.is_fraction_behind, never),
    Form("months ago", "seen 6/12 later", _is_duration, never),
    Form("pulse", "pulses dp 2/4", _is_pulse, never),
    Form("visual acuity", "va 6/9", _is_sight, never),
    Form("next pain of a row", "pain 8/10, 4/10 [TIME:0700]", _is_next_pain, never),
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


def _is_span_of_years(figures: Figures) -> bool:
    first, second = figures.numbers
    return is_year(first) and (is_year(second) or (len(second) == 2 and is_school_year(int(first), second)))


def _is_rising(figures: Figures) -> bool:
    is_rising = not is_year(figures.numbers[1]) or figures.values[0] < figures.values[1]
    return is_rising and not figures.has_unit


def _is_not_month_day(figures: Figures) -> bool:
    first, second = figures.numbers
    is_short = len(second) != 2 and not _is_hyphen_day_of_examination(figures)
    return len(first) > 2 or is_short or not is_month_day(*figures.values)


def _is_hyphen_day(figures: Figures) -> bool:
    is_day = figures.values[1] > 12 and _HYPHEN_BEFORE.search(figures.ahead)
    return bool(is_day) and _HYPHEN_AFTER.match(figures.behind) is not None


def _is_hyphen_day_with_hour(figures: Figures) -> bool:
    is_day = figures.values[1] > 12 and _HOUR_AFTER.match(figures.behind)
    return bool(is_day) and not _RANGE_OF_VALUES_BEFORE.search(figures.ahead)


def _is_hyphen_day_of_examination(figures: Figures) -> bool:
    range_before = _HYPHEN_RANGE_BEFORE.search(figures.ahead)
    is_end = range_before is not None and "-" in range_before.group()
    is_start = range_before is not None and _HYPHEN_RANGE_AFTER.match(figures.behind)
    is_day = is_end or is_start or _HYPHEN_EXAM_BEFORE.search(figures.ahead)
    return bool(is_day) and not figures.has_unit and not figures.is_fraction_behind


HYPHENATED_NUMBERS: FormTable[Figures, bool] = FormTable(
    "two numbers with a hyphen",
    Form("years, or year and month", "worked [DATE:1998-2004] there", _is_span_of_years, _is_rising),
    Form("month and year", "since [DATE:09-2015]", _is_month_and_year, lambda figures: not figures.has_unit),
    Form("range of values", "take 2-3 tabs", _is_not_month_day, never),
    Form(
        "behind an examination, or the end of a range",
        "DEXA [DATE:8-15] T -2.6, splint [DATE:3-2] to [DATE:3-16]",
        _is_hyphen_day_of_examination,
        always,
    ),
    Form("named", "dated [DATE:3-14]", lambda figures: bool(_NAMED_BEFORE.search(figures.ahead)), always),
    Form("between words of a day", "seen [DATE:3-14] with", _is_hyphen_day, always),
    Form("hour behind", "call [DATE:3-14] at [TIME:10:30]", _is_hyphen_day_with_hour, always),
)
"""How two numbers with a hyphen between them are read, which are more often a range of values."""
