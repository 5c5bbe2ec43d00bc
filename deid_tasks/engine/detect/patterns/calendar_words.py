"""Dates in words: March 14th 2021, 14-Mar-2021, Mar '21, weekdays, holidays, seasons, years and ordinals."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates import is_year
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before

_MISSPELT = (
    r"janurary|januray|janaury|januery|janury|jaunary|febuary|feburary|febraury|febrary|februay|feburay|febuaray|marhc|mrach|apirl|arpil"
    r"|aprli|jully|jluy|agust|augest|augsut|auguest|septmber|septembr|setpember|setember|spetember|septemeber|septembre|sepetmber"
    r"|septempber|ocotber|octber|ocober|octomber|octobr|novemeber|novmber|novemer|novembr|novemebr|decemeber|decmber|decembr|decemer"
    r"|dicember|decemebr"
)
"""Typing errors that are often made, and that no other word is spelt like."""
_MONTH = (
    rf"(?:{_MISSPELT}|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_FULL_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_YEAR = r"(?:(?:19|20)[0-9]{2}(?![0-9])|'[0-9]{2}(?![0-9])|[0-9]{2}(?![0-9:/]))"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_ORDINAL = r"(?:st|nd|rd|th)"
_WEEKDAY_LEAD = re.compile(rf"(?<![a-z])({_WEEKDAY}[.,]{{0,2}}\s{{1,2}}(?:the )?)$", re.IGNORECASE)
_DAY_LEAD = re.compile(
    rf"(?<![0-9./,x])((?:{_DAY}{_ORDINAL}?\s?(?:-|to|&|and)\s?)?{_DAY}(?:{_ORDINAL}| day)?(?:\s{{1,2}}of)?[\s\-./,]{{0,2}})$",
    re.IGNORECASE,
)
_DAY_TAIL = re.compile(
    rf"[.,]?[\s\-./]{{0,2}}(?:the )?{_DAY}(?![0-9]){_ORDINAL}?(?![a-z0-9])(?:\s?(?:-|to|&|and|thru|through)\s?{_DAY}{_ORDINAL}?(?![a-z0-9/:]))?"
    rf"(?:[\s,.\-/]{{1,3}}(?:of )?(?:(?:19|20)[0-9]{{2}}|'?[0-9]{{2}})(?![0-9:/%]|\.[0-9]|\s?[ap]\.?m|\s?(?:mg|mcg|ml|units|year|yo|y\.o|yr))"
    rf"|,?\s?(?:19|20)[0-9]{{2}}(?![0-9]))?",
    re.IGNORECASE,
)
_DAY_GLUED = re.compile(rf"(?:{_DAY}{_ORDINAL}?),?\s?(?:19|20)[0-9]{{2}}(?![0-9])", re.IGNORECASE)
_YEAR_TAIL = re.compile(
    r"[.,]?(?:[\s\-/]{1,2}(?:of )?|(?='))(?:(?:19|20)[0-9]{2}(?![0-9])|'[0-9]{2}(?![0-9])|(?:[4-9][0-9])(?![0-9:/%]))",
    re.IGNORECASE,
)
_YEAR_AFTER_DAY = re.compile(
    r"[.,]?[\s\-/.,]{0,2}(?:of )?(?:(?:19|20)[0-9]{2}(?![0-9])|'?[0-9]{2}(?![0-9:/%]|\s?[ap]\.?m|\s?(?:mg|mcg|ml|year|yo)))",
    re.IGNORECASE,
)
_NAMES_TOO = frozenset(
    {
        "may",
        "march",
        "mar",
        "april",
        "june",
        "jun",
        "august",
        "jan",
        "dec",
        "sep",
        "oct",
        "nov",
        "feb",
        "apr",
        "jul",
        "aug",
        "sept",
    }
)
_PLAIN_SHORT = frozenset({"Sept", "Feb", "Nov", "Oct", "Aug"})
"""Short months that are nobody's name and, written so, nothing else."""
_BEFORE_MONTH = re.compile(
    r"(?:^|[^a-z])(?:in|since|until|till|til|by|last|next|this|early|mid|late|of|through|thru|during|before|after|from|every|each"
    r"|past|around|between|beginning|end|to|or|and|prior to|back in)[\s\-]{1,2}$"
)

_SPAN_OF_MONTHS = re.compile(rf" ?(?:-|/|to|through|thru) ?{_MONTH}(?![a-z])", re.IGNORECASE)
_MONTH_TRIGGER = rf"(?i)(?:\b|[0-9_]){_MONTH}(?:\b|[0-9_])"
_MONTH_BEFORE = re.compile(rf"(?<![a-z]){_MONTH}\.? $", re.IGNORECASE)
_MONTH_AT = re.compile(_MONTH, re.IGNORECASE)


def _date(start: int, end: int, strength: Strength = Strength.FORMAT) -> Candidate:
    return Candidate(start, end, Entity.DATE, strength)


def _lead(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where the text that ``pattern`` allows in front of ``start`` begins."""
    stretch = text[max(0, start - 24) : start]
    match = pattern.search(stretch)
    return start - len(match.group(1)) if match else start


def read_month(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Judge one month's name: with a day, with a year, or alone."""
    match = _MONTH_AT.search(text, start, end)
    if match is None:
        return
    month, end = match.span()
    if text[end : end + 1].isalpha() or text[month - 1 : month].isalpha():
        return
    limit = end + 40
    day = _lead(_DAY_LEAD, text, month)
    if day < month and (
        (text[day - 1 : day] == "-" and text[day - 2 : day - 1].isdigit())
        or _MONTH_BEFORE.search(text[max(0, day - 12) : day])
    ):
        day = month
    if "\n" in text[day:month] and not _is_wrapped(text, end, _YEAR_TAIL.match(text, end, limit)):
        day = month
    if day < month:
        tail = _YEAR_AFTER_DAY.match(text, end, limit)
        stop = tail.end() if tail else end
        word = match.group()
        is_verb = word in {"may", "march", "mar"} and not tail
        if not is_verb or re.search(r"(?:st|nd|rd|th|of)\W*$", text[day:month]):
            yield _date(_lead(_WEEKDAY_LEAD, text, day), stop)
        return
    tail = _DAY_GLUED.match(text, end, limit) or _DAY_TAIL.match(text, end, limit) or _YEAR_TAIL.match(text, end, limit)
    if (
        tail
        and "\n" in tail.group()
        and not _is_wrapped(text, tail.end(), re.search(r"(?:19|20)[0-9]{2}", tail.group()))
    ):
        tail = None  # the number of the next item of a list
    word = match.group()
    if (
        tail
        and not (
            word in {"may", "march", "mar", "dec"}
            and re.match(r"\s[0-9]{1,2}$", tail.group())
            and not _told(text, month)
        )
        and not re.match(
            r"\s?(?:%|mg|mcg|ml|tabs?|units?|times|days|weeks|months|x\b|/[0-9])", text[tail.end() : tail.end() + 8]
        )
    ):
        yield _date(_lead(_WEEKDAY_LEAD, text, month), tail.end())
        return
    if _SPAN_OF_MONTHS.match(text, end, end + 16):
        yield _date(month, end)
        return
    dot = end + 1 if text[end : end + 1] == "." else end
    if not word[0].isupper() or (len(word) <= 4 and word.isupper()):
        return
    follows_name = re.match(r"\.?\s[A-Z][a-z]", text[end : end + 4])
    if word.lower() not in _NAMES_TOO or word in _PLAIN_SHORT:
        if not follows_name or _BEFORE_MONTH.search(text_before(text, month)):
            yield _date(month, end)
    elif _BEFORE_MONTH.search(text_before(text, month)) and not follows_name:
        yield _date(
            month,
            dot
            if len(word) <= 4 and word.lower() != "may" and dot < len(text) and text[dot : dot + 2].strip().islower()
            else end,
        )


_GOES_ON = re.compile(r"[.,;)]|\s*$| (?:and|at|to|for|with|by|he|she|the|was|when|due|or|but|in|on)\b")


def _is_wrapped(text: str, stop: int, year: object) -> bool:
    """Whether a date may have gone on in the next line: it has a year, or the sentence goes on behind it."""
    return bool(year) or _GOES_ON.match(text, stop, stop + 8) is not None


def _told(text: str, start: int) -> bool:
    return bool(
        re.search(
            rf"(?:on|since|until|till|by|from|before|after|through|and|to|of|{_FULL_WEEKDAY},?)\s$",
            text_before(text, start),
        )
    )


_WEEKDAY_TRIGGER = (
    rf"(?i)\b{_FULL_WEEKDAY}\b|\b(?:tues|weds|thurs)\b"
    r"|\b(?-i:(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun|MON|TUES?|WED|THU(?:RS?)?|FRI|SAT|SUN))\b"
    r"|\b(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)[.,]? [0-9]{1,2}/"
)
_FULL_WEEKDAY_AT = re.compile(_FULL_WEEKDAY, re.IGNORECASE)
_WEEKDAY_DATE = re.compile(
    rf"{_WEEKDAY}[.,]{{0,2}}\s{{1,2}}(?:the )?(?:[0-9]{{1,2}}(?:[/\-][0-9]{{1,4}}){{1,2}}|[0-9]{{1,2}}{_ORDINAL})(?![0-9/])",
    re.IGNORECASE,
)
_WEEKDAY_SHORT = re.compile(r"[A-Za-z]{3,5}")


def read_weekday(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A weekday, alone or with the date that follows it."""
    dated = _WEEKDAY_DATE.match(text, start, end + 24)
    if dated:
        yield _date(start, dated.end(), Strength.LABELLED)
        return
    full = _FULL_WEEKDAY_AT.match(text, start, end)
    if full:
        plural = text[full.end() - 1].lower() == "s"
        yield _date(start, full.end() - plural)
        return
    short = _WEEKDAY_SHORT.match(text, start, end)
    if short is None:
        return
    ahead, tail = text_before(text, start), text_after(text, short.end())
    is_listed = re.match(r"[\s/,&\-]{1,3}(?:and |or )?(?:mon|tue|wed|thu|fri|sat|sun)(?![a-z]{3})", tail) or re.search(
        r"(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)[\s/,&\-]{1,3}(?:and |or )?$", ahead
    )
    if short.group().lower() in {"tues", "weds", "thurs"}:
        yield _date(start, short.end())
        return
    is_told = re.search(r"(?:^|[^a-z])(?:on|next|last|this|until|till|by|every|each|since|from)\s$", ahead)
    if (
        short.group().lower() in {"sat", "sun"}
        and not is_listed
        and not (is_told and re.match(r"\s?(?:at|am|pm|morning|afternoon|night)", tail))
    ):
        return
    if is_listed or is_told or re.match(r"\s(?:am|pm|morning|afternoon|evening|night|at [0-9])", tail):
        yield _date(start, short.end())


_HOLIDAY = (
    r"(?i)\b(?:thanksgiving(?: day)?|christmas(?: eve| day)?|xmas|new year'?s?(?:'s)?(?: eve| day)|labor day|memorial day|independence day"
    r"|(?:4th|fourth) of july|easter(?: sunday| monday)?|halloween|veteran'?s'? day|columbus day|indigenous peoples'? day"
    r"|president'?s'? day|mlk day|martin luther king(?:,? jr\.?)? day|mother'?s'? day|father'?s'? day|valentine'?s'? day"
    r"|(?:st\.?|saint) patrick'?s? day|ha?n?ukkah|hanukkah|chanukah|ramadan|passover|yom kippur|rosh hashanah?|diwali|eid(?: al-fitr| al-adha)?"
    r"|good friday|palm sunday|ash wednesday|juneteenth|boxing day|cinco de mayo|kwanzaa|groundhog day|mardi gras|super bowl sunday"
    r"|lunar new year|chinese new year|flag day|patriots'? day|arbor day|earth day|three kings day)\b"
)
_HOLIDAY_YEAR = re.compile(r",?\s(?:of )?(?:(?:19|20)[0-9]{2}(?![0-9])|'[0-9]{2}(?![0-9]))")


def read_holiday(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A holiday, with its year where one follows."""
    year = _HOLIDAY_YEAR.match(text, end, end + 12)
    yield _date(start, year.end() if year else end)


_SEASON = (
    r"(?i)\b(?:(?:early|late|mid)[ -])?(?:spring|summer|fall|autumn|winter)(?: of|,)? (?:(?:19|20)[0-9]{2}|'[0-9]{2})\b"
    r"|\b(?:last|this|next|past|this past|previous) (?:spring|summer|autumn|winter)\b"
)
_SEASON_AT = re.compile(r"(?:(?:early|late|mid)[ -])?(?:spring|summer|fall|autumn|winter)", re.IGNORECASE)


def read_season(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A season with its year, or told from now."""
    season = _SEASON_AT.search(text, start, end)
    if season:
        yield _date(season.start(), end)


_YEAR_TRIGGER = r"\b(?:19|20)[0-9]{2}(?:'?s)?\b"
_YEAR_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:in|since|year|of|from|until|till|til|through|thru|circa|ca\.?|c\.|before|after|early|late|mid|around|back|between"
    r"|and|to|or|by|about|during|approx\.?|approximately|~|last|fall|spring|summer|winter|autumn|prior to|born|copyright)[\s\-~:(]{1,2}$"
)
_YEAR_FIRST = re.compile(r"(?:^|[;,(\-/])[\s\-*]{0,4}$")
_WORD_BEFORE = re.compile(r"(?:^|[^a-z])(?:[a-z][a-z.\-]{1,20}|x ?[1-9])[,:]?\s?[(\-]?\s?$")
_MEASURED = re.compile(
    r"(?:^|[^a-z])(?:at|@|d|d3|b12|fluid|fluids|vitamin|wbc|plt|platelets?|anc|count|cd4|load|bnp|probnp|pro-bnp|ck|cpk|troponin|ferritin"
    r"|dose|intake|output|uop|volume|metformin|calories|steps|room|rm|box|epic|version|windows|office|model|v|icd|hcpcs|cpt|unit|bed|x|total|time|ddimer|d-dimer|is|was"
    r"|amoxicillin|keppra|levetiracetam|valtrex|valacyclovir|calcium|omega|oil|fish|acid|hours|hrs|pager|ext|extension|apt|suite|ste)[\s:#=.]{1,3}$"
)
_YEAR_UNIT = re.compile(
    r"\s?(?:ml|cc|mg|mcg|g\b|kcal|cal|calories|units?|iu|hrs?\b|hours?|h\b|steps|copies|cells|l\b|lbs?|meq|rpm|kg|meters|feet|ft|grams?|people|\+|%|/(?=\S)|,[0-9]|[a-z/]{0,14}\s?(?:criteria|guidelines?|classification|consensus)|\.[0-9]|-?calorie|daily|bid|tid|qd)"
)


def read_year(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A year on its own, where nothing says that it is an amount, a time or a room."""
    if text[start - 1 : start] and text[start - 1] in "$#.,:=<>+@/\\" and not text[start - 1 : start].isspace():
        return
    if (
        text[start - 1 : start] == "-"
        and text[start - 2 : start - 1].isalnum()
        and not re.search(r"(?:mid|early|late|pre|post)-$", text[max(0, start - 6) : start].lower())
    ):
        return
    if text[end : end + 1] == "-" and text[end + 1 : end + 2].isdigit():
        return
    ahead, tail = text_before(text, start), text_after(text, end)
    if _YEAR_UNIT.match(tail) or _MEASURED.search(ahead):
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


_SHORT_YEAR = (
    r"(?i)\b(?:in|since|until|of|year|from|circa|summer|winter|fall|spring|class of|back in|ca|before|after) '[0-9]{2}\b"
    r"|\b(?:the|early|mid|late|in|since)[ -]'[3-9]0'?s\b"
)


def read_short_year(text: str, start: int, end: int) -> Iterator[Candidate]:
    """since '09, back in the '70s."""
    yield _date(text.index("'", start, end), end)


_DIALYSIS = r"\b(?:M/?W/?F|T/?Th/?S(?:at|a)?|T/Th|TTS|Tu/?Th/?Sa?|M-W-F|T-Th-S(?:at|a)?|TTHS)\b"


def read_dialysis(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """HD MWF: weekdays by their letters."""
    yield _date(start, end)


_ORDINAL_TRIGGER = r"(?i)\b(?:on|until|till?|by|since|from|through|thru|after|before) the (?:[12]?[0-9](?:st|nd|rd|th)|3[01](?:st|th))\b"
_ORDINAL_TAIL = re.compile(
    r"\s*(?:[.,;)!?]|$|of (?:this|last|next|the) (?:month)|at\b|for (?:a|an|his|her|the|follow)|with (?:dr|his|her)|when\b|because\b|if\b)"
)


def read_ordinal(text: str, start: int, end: int) -> Iterator[Candidate]:
    """on the 14th."""
    if _ORDINAL_TAIL.match(text_after(text, end)):
        yield _date(text.rfind(" ", start, end) + 1, end, Strength.WEAK)


RULES = (
    Rule("month", _MONTH_TRIGGER, read_month),
    Rule("weekday", _WEEKDAY_TRIGGER, read_weekday),
    Rule("holiday", _HOLIDAY, read_holiday),
    Rule("season", _SEASON, read_season),
    Rule("year", _YEAR_TRIGGER, read_year),
    Rule("weekdays by letters", _DIALYSIS, read_dialysis),
    Rule("short year", _SHORT_YEAR, read_short_year),
    Rule("day of the month", _ORDINAL_TRIGGER, read_ordinal),
)
