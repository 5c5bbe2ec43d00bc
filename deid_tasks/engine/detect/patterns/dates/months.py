"""Dates with the name of a month: March 14th 2021, 14-Mar-2021, Mar '21, since March."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

MONTH = (
    rf"(?:{alternation('dates', 'misspelt_months')}"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
"""Matches the name of a month, in lower case."""
_WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_FULL_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_ORDINAL = r"(?:st|nd|rd|th)"
_LONG_YEAR = r"(?:19|20)[0-9]{2}"
_WEEKDAY_LEAD = re.compile(rf"(?<![a-z])({_WEEKDAY}[.,]{{0,2}}\s{{1,2}}(?:the )?)$", re.IGNORECASE)
_YEAR_LEAD = re.compile(r"(?<![0-9./\-])((?:19|20)[0-9]{2}[\-/.])$")
"""The year of a date that begins with it: 2021-Mar-14."""
_DAY_LEAD = re.compile(
    rf"(?<![0-9./,x])(?<![0-9]:)((?:{_DAY}{_ORDINAL}?\s?(?:-|to|&|and)\s?)?"  # the first day of a range: 3-5 March
    rf"{_DAY}(?:{_ORDINAL}| day)?(?:\s{{1,2}}of)?[\s\-./,]{{0,2}})$",
    re.IGNORECASE,
)
_DAY_TAIL = re.compile(
    rf"[.,]?[\s\-./]{{0,2}}(?:the )?{_DAY}(?![0-9]){_ORDINAL}?(?![a-z0-9])"
    rf"(?:\s?(?:-|to|&|and|thru|through)\s?{_DAY}{_ORDINAL}?(?![a-z0-9/:]))?"  # the last day of a range: March 3-5
    rf"(?:[\s,.\-/]{{1,3}}(?:of )?(?:(?:19|20)[0-9]{{2}}|'?[0-9]{{2}})"  # a year, unless it is a time or an amount
    rf"(?![0-9:/%]|\.[0-9]|\s?[ap]\.?m|\s?(?:mg|mcg|ml|units|year|yo|y\.o|yr|y(?![a-z])))"
    rf"|,?\s?{_LONG_YEAR}(?![0-9]))?",
    re.IGNORECASE,
)
_DAY_GLUED = re.compile(rf"(?:{_DAY}{_ORDINAL}?),?\s?{_LONG_YEAR}(?![0-9])", re.IGNORECASE)
_YEAR_TAIL = re.compile(
    rf"[.,]?(?:[\s\-/]{{1,2}}(?:of )?|(?='))(?:{_LONG_YEAR}(?![0-9])|'[0-9]{{2}}(?![0-9])|(?:[4-9][0-9])(?![0-9:/%]))",
    re.IGNORECASE,
)
_YEAR_AFTER_DAY = re.compile(
    rf"[.,]?[\s\-/.,]{{0,2}}(?:of )?(?:{_LONG_YEAR}(?![0-9])"
    r"|'?[0-9]{2}(?![0-9:/%]|h[0-9]|\s?[ap]\.?m|\s?(?:mg|mcg|ml|year|yo|y(?![a-z]))))",
    re.IGNORECASE,
)
_NAMES_OR_WORDS = as_word_set("jan feb mar apr jun jul aug sep sept oct nov dec march april may june august")
"""Months that are also given names, words or abbreviations."""
_PLAIN_SHORT = frozenset({"Sept", "Feb", "Nov", "Oct", "Aug"})
"""Short months that are not names and, written so, nothing else."""
_BEFORE_MONTH = re.compile(rf"(?:^|[^a-z])(?:{alternation('dates', 'words_before_a_month')})[\s\-]{{1,2}}$")
_ITEM = re.compile(r"[0-9]{1,2}\. ")
_VERB_BEHIND = re.compile(
    r" (?:also |still |not )?(?:be|have|try|use|take|start|stop|resume|return|increase|decrease|repeat|discharge|go"
    r"|proceed|continue|restart|transition|(?:re)?consider|need|require|benefit|advance|shower|bathe|drive)\b"
)
_SMALL_WORD_BEHIND = re.compile(r" [a-z]{2,}")
_SPAN_OF_MONTHS = re.compile(rf" ?(?:-|/|to|through|thru) ?{MONTH}(?![a-z])", re.IGNORECASE)
MONTH_TRIGGER = rf"(?i)(?:\b|[0-9_]){MONTH}(?:\b|[0-9_])"
_MONTH_BEFORE = re.compile(rf"(?<![a-z]){MONTH}\.? $", re.IGNORECASE)
_MONTH_AT = re.compile(MONTH, re.IGNORECASE)
_SENTENCE_CONTINUES = re.compile(r"[.,;)]|\s*$| (?:and|at|to|for|with|by|he|she|the|was|when|due|or|but|in|on)\b")
_ORDINAL_AT_END = re.compile(r"(?:st|nd|rd|th|of)\W*$")
_LONG_YEAR_AT = re.compile(_LONG_YEAR)
_ITEM_BEHIND = re.compile(r"[.)][ ]{1,3}[A-Z]")
"""What makes a number at the beginning of a line that of an item: "6. Call"."""
_BARE_NUMBER = re.compile(r"\s[0-9]{1,2}$")
_AMOUNT_AFTER = re.compile(r"\s?(?:%|mg|mcg|ml|tabs?|units?|times|days|weeks|months|x\b|/[0-9])")
_CAPITALISED_AFTER = re.compile(r"\.?\s[A-Z][a-z]")
_ANNOUNCED = re.compile(rf"(?:on|since|until|till|by|from|before|after|through|and|to|of|{_FULL_WEEKDAY},?)\s$")


def _date(start: int, end: int, strength: Strength = Strength.FORMAT) -> Candidate:
    return Candidate(start, end, Entity.DATE, strength)


def read_month(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Judge the name of a month: with a day, with a year, or alone."""
    match = _MONTH_AT.search(text, start, end)
    if match is None:
        return
    word = match.group()
    month, end = match.span()
    if text[end : end + 1].isalpha() or text[month - 1 : month].isalpha():
        return
    day = _start_of_day(text, month, end)
    if day < month:
        yield from _day_and_month(text, day, month, end)
        return
    tail = _day_or_year_behind(text, end)
    if tail and not _is_amount(text, month, word, tail):
        year = _lead_start(_YEAR_LEAD, text, month)
        yield _date(year if year < month else _lead_start(_WEEKDAY_LEAD, text, month), tail.end())
    elif _SPAN_OF_MONTHS.match(text, end, end + 16):
        yield _date(month, end)
    elif word[0].isupper() and not (len(word) <= 4 and word.isupper()):
        yield from _month_alone(text, month, end)


def _lead_start(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Return where the text that ``pattern`` allows in front of ``start`` begins; ``start`` where there is none."""
    stretch = text[max(0, start - 24) : start]
    match = pattern.search(stretch)
    return start - len(match.group(1)) if match else start


def _start_of_day(text: str, month: int, end: int) -> int:
    """Return the start of the day in front of the month, or ``month`` where there is none."""
    day = _lead_start(_DAY_LEAD, text, month)
    if day == month:
        return month
    is_end_of_number = text[day - 1 : day] == "-" and text[day - 2 : day - 1].isdigit()
    if is_end_of_number or _MONTH_BEFORE.search(text[max(0, day - 12) : day]):
        return month
    if "\n" in text[day:month] and not _may_be_wrapped(text, end, _YEAR_TAIL.match(text, end, end + 40)):
        return month
    return day


def _day_and_month(text: str, day: int, month: int, end: int) -> Iterator[Candidate]:
    """Read 14 March and 14th of March 2021; "1 may" and "2 march" are verbs."""
    tail = _YEAR_AFTER_DAY.match(text, end, end + 40)
    is_verb = not tail and (text[month:end] in {"may", "march", "mar"} or _opens_question(text, day, month, end))
    if not is_verb or _ORDINAL_AT_END.search(text[day:month]):
        yield _date(_lead_start(_WEEKDAY_LEAD, text, day), tail.end() if tail else end)


def _opens_question(text: str, day: int, month: int, end: int) -> bool:
    """Whether May is a verb behind the number of an item: 1. May warfarin be continued?"""
    is_item = text[month:end] == "May" and _ITEM.fullmatch(text, day, month) is not None
    if is_item and _VERB_BEHIND.match(text, end):
        return True  # a score at the end of a sentence: is 4. May reconsider
    return is_item and not text_before(text, day).strip() and _SMALL_WORD_BEHIND.match(text, end) is not None


def _day_or_year_behind(text: str, end: int) -> re.Match[str] | None:
    """Return the day, the year or both behind a month."""
    limit = end + 40
    tail = _DAY_GLUED.match(text, end, limit) or _DAY_TAIL.match(text, end, limit) or _YEAR_TAIL.match(text, end, limit)
    if tail and "\n" in tail.group() and not _may_be_wrapped(text, tail.end(), _LONG_YEAR_AT.search(tail.group())):
        return None  # the number of the next item of a list
    return tail


def _is_amount(text: str, month: int, word: str, tail: re.Match[str]) -> bool:
    """Whether the number behind a month belongs to something else: may 2 tabs."""
    is_word = word in {"may", "march", "mar", "dec"} and _BARE_NUMBER.match(tail.group())
    if is_word and not _ANNOUNCED.search(text_before(text, month)):
        return True
    return _AMOUNT_AFTER.match(text[tail.end() : tail.end() + 8]) is not None


def _month_alone(text: str, month: int, end: int) -> Iterator[Candidate]:
    """Read a month without day or year, with the point of its abbreviation where the sentence continues."""
    word = text[month:end]
    follows_name = _CAPITALISED_AFTER.match(text[end : end + 4])
    is_announced = _BEFORE_MONTH.search(text_before(text, month))
    if word.lower() not in _NAMES_OR_WORDS or word in _PLAIN_SHORT:
        if not follows_name or is_announced:
            yield _date(month, end)
    elif is_announced and not follows_name:
        dot = end + 1 if text[end : end + 1] == "." else end
        is_abbreviation = len(word) <= 4 and word.lower() != "may" and dot < len(text)
        yield _date(month, dot if is_abbreviation and text[dot : dot + 2].strip().islower() else end)


def _may_be_wrapped(text: str, stop: int, year: re.Match[str] | None) -> bool:
    """Whether a date may continue in the next line: it has a year, or the sentence continues behind it."""
    if year:
        return True
    return _SENTENCE_CONTINUES.match(text, stop, stop + 8) is not None and not _ITEM_BEHIND.match(text, stop)
