"""Weekdays, holidays, seasons, bare years and ordinal days: last Tuesday, Easter 2021, since 1998, on the 14th."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.figures import is_year
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation

_WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_FULL_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"


def _date(start: int, end: int, strength: Strength = Strength.FORMAT) -> Candidate:
    return Candidate(start, end, Entity.DATE, strength)


WEEKDAY_TRIGGER = (
    rf"(?i)\b{_FULL_WEEKDAY}\b|\b(?:tues|weds|thurs)\b"
    r"|\b(?-i:(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun|MON|TUES?|WED|THU(?:RS?)?|FRI|SAT|SUN))\b"
    r"|\b(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)[.,]? [0-9]{1,2}/"
    r"|\bTh [0-9]{1,2}/[0-9]{1,2}\b"
)
_FULL_WEEKDAY_AT = re.compile(_FULL_WEEKDAY, re.IGNORECASE)
_WEEKDAY_DATE = re.compile(
    rf"(?:{_WEEKDAY}|(?-i:Th))[.,]{{0,2}}\s{{1,2}}(?:the )?"
    r"(?:[0-9]{1,2}(?:[/\-][0-9]{1,4}){1,2}|[0-9]{1,2}(?:st|nd|rd|th))(?![0-9/])",
    re.IGNORECASE,
)
_WEEKDAY_SHORT = re.compile(r"[A-Za-z]{3,5}")
_WEEKDAY_LISTED_AFTER = re.compile(r"[\s/,&\-]{1,3}(?:and |or )?(?:mon|tue|wed|thu|fri|sat|sun)(?![a-z]{3})")
_WEEKDAY_LISTED_BEFORE = re.compile(r"(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)[\s/,&\-]{1,3}(?:and |or )?$")
_RECURS_BEFORE = re.compile(
    r"(?:weekly|times a week|x/week|x ?/ ?wk)[,:]? (?:on )?"
    r"(?:(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)[/,& ]{1,3}){0,3}$"
)
"""In front of the days of a course: x2 weekly, Wed/Sat."""
_WEEKDAY_ANNOUNCED = re.compile(r"(?:^|[^a-z])(?:on|next|last|this|until|till|by|every|each|since|from)\s$")
_DATE_AND_BRACKET = re.compile(r"[0-9] ?\($")
"""What stands in front of a weekday in brackets behind its date: 05/08/2023 (Sat)."""
_PART_OF_DAY_AFTER = re.compile(r"\s(?:am|pm|morning|afternoon|evening|night|at [0-9])")
_WEEKEND_PART_AFTER = re.compile(r"\s?(?:at|am|pm|morning|afternoon|night)")


def read_weekday(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a weekday, alone or with the date that follows it."""
    dated = _WEEKDAY_DATE.match(text, start, end + 24)
    if dated:
        yield _date(start, dated.end(), Strength.LABELLED)
        return
    full = _FULL_WEEKDAY_AT.match(text, start, end)
    if full:
        is_plural = text[full.end() - 1].lower() == "s"
        yield _date(start, full.end() - is_plural)
        return
    short = _WEEKDAY_SHORT.match(text, start, end)
    if short and _is_short_weekday(text, start, short.end()):
        yield _date(start, short.end())


WEEKDAY_LETTER_TRIGGER = r"\|[ \t]{0,3}(?:M|T|Tu|W|Th|F|Sa|Su|S) [0-9]{1,2}/[0-9]{1,2}[ \t]{0,8}\|"
_LETTER_AND_DATE = re.compile(r"[A-Z][a-z]? [0-9/]+")


def read_weekday_letter(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read W 3/5: the letter of a weekday and a date, alone in a cell of a table."""
    if match := _LETTER_AND_DATE.search(text, start, end):
        yield _date(*match.span(), Strength.LABELLED)


def _is_short_weekday(text: str, start: int, end: int) -> bool:
    """Whether Mon, SAT and the like are a weekday: "sat" and "sun" are words too."""
    word = text[start:end].lower()
    if word in {"tues", "weds", "thurs"}:
        return True
    ahead, behind = text_before(text, start), text_after(text, end)
    if _DATE_AND_BRACKET.search(ahead) and behind[:1] == ")":
        return True
    if _RECURS_BEFORE.search(ahead):
        return False
    if _WEEKDAY_LISTED_AFTER.match(behind) or _WEEKDAY_LISTED_BEFORE.search(ahead):
        return True
    is_announced = _WEEKDAY_ANNOUNCED.search(ahead) is not None
    if word in {"sat", "sun"} and not (is_announced and _WEEKEND_PART_AFTER.match(behind)):
        return False
    return is_announced or _PART_OF_DAY_AFTER.match(behind) is not None


HOLIDAY_TRIGGER = rf"(?i)\b(?:{alternation('dates', 'holidays')})\b"
_HOLIDAY_YEAR = re.compile(r",?\s(?:of )?(?:(?:19|20)[0-9]{2}(?![0-9])|'[0-9]{2}(?![0-9]))")


def read_holiday(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a holiday, with its year where one follows."""
    year = _HOLIDAY_YEAR.match(text, end, end + 12)
    yield _date(start, year.end() if year else end)


MLK_TRIGGER = (
    r"\b(?:M|Mon|Monday),? [0-9]{1,2}/[0-9]{1,2}(?:/[0-9]{2,4})?,? MLK\b"
    r"|\bMLK (?:[Hh]oliday|[Ww]eekend|[Ww]knd|closed|off)\b"
)


def read_holiday_by_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the day of Martin Luther King by its letters, behind a Monday: M 1/20/25 MLK."""
    begin = text.index("MLK", start, end)
    yield _date(begin, begin + 3, Strength.LABELLED)


SEASON_TRIGGER = (
    r"(?i)\b(?:(?:early|late|mid)[ -])?(?:spring|summer|fall|autumn|winter)(?: of|,)? (?:(?:19|20)[0-9]{2}|'[0-9]{2})\b"
    r"|\b(?:last|past|this past|previous) (?:spring|summer|autumn|winter)\b"
)
_SEASON_AT = re.compile(r"(?:(?:early|late|mid)[ -])?(?:spring|summer|fall|autumn|winter)", re.IGNORECASE)


def read_season(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a season with its year, or of the past: spring 2021, last winter; not this winter, which is about today."""
    season = _SEASON_AT.search(text, start, end)
    if season:
        yield _date(season.start(), end)


YEAR_TRIGGER = r"\b(?:19|20)[0-9]{2}(?:'?s)?\b"
_YEAR_BEFORE = re.compile(rf"(?:^|[^a-z])(?:{alternation('dates', 'words_before_a_year')})[\s\-~:(]{{1,2}}$")
_YEAR_FIRST = re.compile(r"(?:^|[;,(\-/])[\s\-*]{0,4}$")
_WORD_BEFORE = re.compile(r"(?:^|[^a-z])(?:[a-z][a-z.\-]{1,20}|x ?[1-9])[,:]?\s?[(\-]?\s?$")
_AMOUNT_BEFORE = re.compile(rf"(?:^|[^a-z])(?:{alternation('dates', 'words_before_an_amount')})[\s:#=.]{{1,3}}$")
_AMOUNT_UNIT = re.compile(rf"\s?(?:{alternation('dates', 'units_after_an_amount')})")
_PREFIX_BEFORE = re.compile(r"(?:mid|early|late|pre|post)-$")


def read_year(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a year on its own, where nothing says that it is an amount, a time or a room."""
    if _is_part_of_number(text, start, end):
        return
    ahead, behind = text_before(text, start), text_after(text, end)
    if _AMOUNT_UNIT.match(behind) or _AMOUNT_BEFORE.search(ahead):
        return
    if text[end - 1] == "s":
        if text[start + 3] == "0":
            yield _date(start, end)
        return
    if not is_year(text[start:end]):
        return
    if _YEAR_BEFORE.search(ahead):
        yield _date(start, end)
    elif int(text[start:end]) % 50 and (_YEAR_FIRST.search(ahead) or _WORD_BEFORE.search(ahead)):
        yield _date(start, end, Strength.WEAK)


def _is_part_of_number(text: str, start: int, end: int) -> bool:
    """Whether the mark in front or behind makes four figures a part of a number, an amount or an address."""
    left = text[start - 1 : start]
    if left and left in "$#.,:=<>+@/\\":
        return True
    is_hyphenated = left == "-" and text[start - 2 : start - 1].isalnum()
    if is_hyphenated and not _PREFIX_BEFORE.search(text[max(0, start - 6) : start].lower()):
        return True
    return text[end : end + 1] == "-" and text[end + 1 : end + 2].isdigit()


SHORT_YEAR_TRIGGER = (
    r"(?i)\b(?:in|since|until|of|year|from|circa|summer|winter|fall|spring|class of|back in|ca|before|after) "
    r"'[0-9]{2}\b"
    r"|\b(?:the|early|mid|late|in|since)[ -]'[3-9]0'?s\b"
    r"|\b[a-z]{2,24},? {1,2}'[0-9]{2}\b"  # left hip replacement '09
)
_LENGTH_AFTER = re.compile(r"(?:['\"]|\s?(?:x\b|by [0-9]|ft|feet|in(?:ch|\.)|long|tall|high|away|[0-9]))")
"""What stands behind feet or inches, or at the end of a quotation."""


def read_short_year(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a year of two figures: since '09, back in the '70s, left hip replacement '09."""
    if not _LENGTH_AFTER.match(text_after(text, end)) or text[end - 2] == "0":
        yield _date(text.index("'", start, end), end)


DIALYSIS_TRIGGER = r"\b(?:M/?W/?F|T/?Th/?S(?:at|a)?|T/Th|TTS|Tu/?Th/?Sa?|M-W-F|T-Th-S(?:at|a)?|TTHS)\b"


_DOSE_BEFORE = re.compile(r"[a-z] (?:ds|ss|[0-9.]{1,6} ?m?c?g|tabs?|bid|daily|po) $")
"""In front of the weekdays of a drug: Bactrim DS MWF."""


def read_dialysis(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read weekdays by their letters: HD MWF."""
    if not _DOSE_BEFORE.search(text_before(text, start)):
        yield _date(start, end)


ORDINAL_TRIGGER = (
    r"(?i)\b(?:on|until|till?|by|since|from|through|thru|after|before) the "
    r"(?:[12]?[0-9](?:st|nd|rd|th)|3[01](?:st|th))\b"
)
_ORDINAL_TAIL = re.compile(
    r"\s*(?:[.,;)!?]|$|of (?:this|last|next|the) (?:month)|at\b|for (?:a|an|his|her|the|follow)|with (?:dr|his|her)"
    r"|when\b|because\b|if\b)"
)


def read_ordinal(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a day of the month: on the 14th."""
    if _ORDINAL_TAIL.match(text_after(text, end)):
        yield _date(text.rfind(" ", start, end) + 1, end, Strength.WEAK)
