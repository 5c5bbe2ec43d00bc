"""Fractions that are written as dates are: spans of time in the British manner, and scores."""

import re

_SPAN_OF_TIME = re.compile(r"(?P<number>[1-9]\d?)/(?P<unit>7|12|52)", re.ASCII)
"""Days, months and weeks: 3/7, 3/12 and 2/52."""
_TENTHS = re.compile(r"(?:10|\d)/10", re.ASCII)
_DEPTHS = re.compile(r"\d/\d/\d", re.ASCII)
"""Three numbers of one digit: depths of pockets, or doses at three times of the day."""
_CLASS_BEFORE = re.compile(r"\b(?:class|grade|stage|nyha|ccs|level)\b[^\n.;]{0,4}$", re.IGNORECASE)
_OF_TWO_DIGITS = re.compile(r"\d/\d", re.ASCII)
_APGAR_BEFORE = re.compile(r"\bapgars?\b[^\n.;]{0,24}$", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"(?:\b(?:on|since|from|until|till|(?<!overdue )by|dated?|dob|born|seen|due|lmp|visit|appt"
    r"|appointment|reviewed|admitted|discharged"
    r"|[a-z]{3,6}day|mon|tues?|wed|thur?s?|fri|sat|sun)\b\W{0,3})$",
    re.IGNORECASE,
)
"""Words before a day of the calendar."""
_SCORE_BEFORE = re.compile(
    r"(?:\b(?:pain|ache|discomfort|tightness|headache|burning|itch|soreness|scor\w+|scale|severity|rat(?:ed|es|ing)|intensity|nrs|vas|strength|power|apgars?|graded?)\b"
    r"[^\n.;]{0,16})$",
    re.IGNORECASE,
)
_SEVERITY_BEHIND = re.compile(
    r",?\s+(?:(?:relieved|worse|improved|eased|better|aggravated)\b|at (?:rest|worst|best)\b|on (?:movement|arrival)\b"
    r"|in (?:severity|intensity)\b|with (?:movement|activity|ambulation)\b)",
    re.IGNORECASE,
)
_NO_HOLIDAY_BEFORE = re.compile(r"\s+(?:disease|factor|tree)\b", re.IGNORECASE)
"""Behind a holiday: Christmas disease and factor, and a rash like a Christmas tree."""
_REACH = 28


def is_no_date(text: str, start: int, end: int, *, is_day_first: bool) -> bool:
    """Whether ``start``–``end`` of a note, read as a date, is a span of time or a score.

    Args:
        text: the note.
        start: where the fraction begins.
        end: where it ends.
        is_day_first: whether the note writes 3/4 for the third of April, as countries with British shorthand do.
    """
    value = text[start:end]
    if value.isalpha():
        return _NO_HOLIDAY_BEFORE.match(text, end) is not None
    if not 3 <= end - start <= 5:
        return False
    if _DEPTHS.fullmatch(value):
        return True
    before = text[max(0, start - _REACH) : start]
    if _TENTHS.fullmatch(value):
        is_score = _SCORE_BEFORE.search(before) or _SEVERITY_BEHIND.match(text, end)
        return is_score is not None and not _ANNOUNCED.search(before)
    if _OF_TWO_DIGITS.fullmatch(value) and _CLASS_BEFORE.search(before):
        return True
    if _OF_TWO_DIGITS.fullmatch(value) and _APGAR_BEFORE.search(text[max(0, start - 32) : start]):
        return True
    if not is_day_first or (found := _SPAN_OF_TIME.fullmatch(value)) is None:
        return False
    return found["unit"] == "52" or not _ANNOUNCED.search(before)
