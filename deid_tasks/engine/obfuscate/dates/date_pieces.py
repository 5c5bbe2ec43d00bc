"""Dates that were detected in pieces: a day and its month, a month and the year behind it, words of a holiday."""

import re

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.dates.calendar_terms import ORDINAL_WORDS, month_of
from deid_tasks.engine.obfuscate.dates.holidays import HOLIDAY
from deid_tasks.engine.obfuscate.dates.years_in_words import YEAR_IN_WORDS

GAPS = frozenset({" ", ", ", " of "})
"""What may stand between the pieces of one date."""
_DAY_AT_END = re.compile(
    rf"(?:(?<!\d)\d{{1,2}}(?:st|nd|rd|th)?|\b(?:{'|'.join(sorted(ORDINAL_WORDS, key=len, reverse=True))}))(?: of)?$",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(r"(?:19|20)\d\d(?!\d)")
_YEAR_BEHIND = re.compile(r",? (?:19|20)\d\d(?!\d)")


def end_of_date(text: str, before: tuple[int, int], behind: tuple[int, int]) -> int | None:
    """Return where the date ends that two values are pieces of: "Monday 1st" and "January" of 2024; else ``None``.

    The words of a holiday are pieces of it, too.

    Args:
        text: the note.
        before: start and end of the first value.
        behind: start and end of the second one.
    """
    gap = text[before[1] : behind[0]]
    if gap not in GAPS:
        return None
    first, second = text[before[0] : before[1]], text[behind[0] : behind[1]]
    if gap == " " and _is_holiday_in_pieces(first, second):
        return behind[1]
    if YEAR_IN_WORDS.fullmatch(second):
        return behind[1] if _ends_in_month(first) else None
    if gap == " " and month_of(fold(first)) is not None and _YEAR_FIRST.match(second):
        # "May" and "2022-Oct 2022".
        return behind[1]
    if gap == ", " or not _DAY_AT_END.search(first) or month_of(fold(second).split()[0]) is None:
        return None
    year = _YEAR_BEHIND.match(text, behind[1])
    return year.end() if year else behind[1]


def _is_holiday_in_pieces(first: str, second: str) -> bool:
    """Whether two values are one holiday: "Xmas" and "Eve", "Shrove" and "Tues"."""
    if not (first.replace(".", "").replace("'", "").isalpha() and second[-1:].isalpha()):
        return False
    whole = HOLIDAY.match(f"{first} {second}")
    return whole is not None and len(whole["name"]) > len(first)


def _ends_in_month(value: str) -> bool:
    """Whether a month is the last word, or the last but the day: "the fourteenth of March", "March fourteenth"."""
    words = fold(value).replace("-", " ").split()
    return any(month_of(word) is not None for word in words[-3:])
