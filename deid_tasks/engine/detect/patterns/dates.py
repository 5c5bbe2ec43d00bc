"""Dates in figures: 3/14/2021, 03-14-21, 2021-03-14, 11/93, 3/14, ranges, and the typing errors of hurried people."""

import itertools
import re
from collections.abc import Iterable, Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before

_NUMERIC = (
    r"[0-9]{1,4}(?:[/.\-\\]{1,2}[0-9]{1,4}){2,5}"
    r"|[0-9]{1,2} ?/ ?[0-9]{1,2} ?/ ?(?:19|20|')?[0-9]{2}"
    r"|[0-9]{1,4}[/.\-\\]{1,2}[0-9]{1,4}"
    r"|(?:19|20)[0-9]{6}"
)
_NUMBER = re.compile(r"[0-9]+")
_SEPARATOR = re.compile(r"[^0-9]+")

_UNIT = re.compile(
    r"\s{0,2}(?:%|mg|mcg|ug|g|gm|grams?|ml|l|cc|units?|iu|meq|mmol|mm|cm|kg|lbs?|mmhg|mm ?hg|tabs?|tablets?|caps?|capsules?|puffs?"
    r"|drops?|gtts?|bpm|lpm|french|fr|inch(?:es)?|k)(?![a-z0-9]|\s?:)"
)
_NO_DAY_AFTER = re.compile(
    r"\s{0,2}(?:%|x\b|-?inch|-?(?:mg|mcg|ug|g|gm|grams?|ml|l|cc|units?|iu|meq|mmol|mm|cm|kg|lbs?|mmhg|tabs?|tablets?|caps?|capsules?"
    r"|puffs?|drops?|gtts?|bpm|lpm|ppd|packs?|pk|days?|d|nights?|wks?|weeks?|months?|mos?|hrs?|hours?|h|mins?|minutes?|years?|yrs?"
    r"|times|sec|seconds?|strength|murmur|systolic|holosystolic|sem|hsm|diastolic|pain|motor|muscle|power|reflex\w*|pulses?"
    r"|throughout|bilateral\w*|out of|nodes?|lymph|positive|negative|cores?|beats?|hx|history|ago|scale|score|severity"
    r"|intensity|points?|at rest|at worst|at best|with (?:rest|movement|activity)|on (?:the )?(?:pain|right|left|vas|scale)"
    r"|in (?:the )?(?:all|both|severity|intensity|bilateral|upper|lower|right|left|strength|bue|ble|rue|lue|rle|lle)"
    r"|of (?:the )?(?:a|an|his|her|cup|pill|dose|cases|patients|questions|items)|er|xr|sr|ns|saline|d5)(?![a-z]))"
)
_NO_DAY_BEFORE = re.compile(
    r"(?<![a-z])(?:bp|b/p|pressures?|pain|strength|power|motor|scale|scor(?:e|es|ed|ing)|murmur|grade|graded|rat(?:ed|es|ing|io)"
    r"|vision|acuity|va|od|ou|gcs|apgars?|mmt|reflexes|dtrs?|pulses|phq|gad|moca|mmse|slums|braden|morse|cage|audit|ciwa|cows"
    r"|level|severity|intensity|sem|ef|o2|fio2|nodes?|stage|gleason|birads|bi-rads|muscles?|(?:dorsi|plantar)?flexion|extension"
    r"|quad\w*|grip|deltoids?|biceps|triceps|hamstrings?|iliopsoas|ehl|ta|sensation|orientation|oriented|recall|words|percocet"
    r"|norco|vicodin|lortab|endocet|hydrocodone|oxycodone|titer|gauge|fraction|tone|total|lawton|folstein|beighton|amts|nottingham|vas|nrs|flacc|nihss|epworth|monofilament|semmes|vanderbilt|naming)(?![a-z])[^\n.;]{0,18}$"
)
_DAY_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:on|since|from|until|til|till|thru|through|before|after|dated?|dates|as of|dos|dob|d\.o\.b|dod|doa|appt"
    r"|appointment|visit|seen|last|next|due|admitted|admit|discharged?|adm|d/c|dc|exam|labs?|ct|mri|cxr|xr|x-?ray|ekg|ecg|echo"
    r"|scan|us|drawn|started|start|stopped|stop|ended|end|week of|weekend of|effective|expires?|exp|received|recd|filled|done"
    r"|performed|completed|collected|signed|updated|scheduled|scheduled for|returned?|f/u|followup|follow-up|biopsy|bx|surgery|cx"
    r"|ordered|reported|called|refill(?:ed)?|given|placed|removed|inserted|mon|tues?|wed|thur?s?|fri|sat|sun|[a-z]{3,6}day"
    r"|lmp|edd|edc|ed on|dictated|transcribed|printed|faxed|resulted|reviewed|[dt]|am of|pm of|morning of|evening of|night of|visited|turned in|arrived|finished|to see|sent|taken|coll|tee|tte|back|vanc|ctx|abx|hd|rounds|nights?|noc|evenings?|eves)"
    r"[\s:.,(=]{0,3}$"
)
_SPELL_BEFORE = re.compile(r"(?:^|[^a-z])(?:for|in|every|over|past|last|next|x|of|after|about|approx|~|to)\s?$|^\s*$")
"""What stands in front of British shorthand: "for 3/12" is three months."""
_SPELL_AFTER = re.compile(r" (?:ago|hx|history|later|hence|post[- ]?op)\b")
"""What stands behind it: "seen 6/12 ago"."""
_GLUED_BEFORE = re.compile(r"(?:^|[^a-z])(?:on|visit|seen|since|dob|date|called|by|until|from|last)$")
_BIRTH_BEFORE = re.compile(r"(?:dob|d\.o\.b\.?|birth ?date|date of birth|born|dos|date)[\s:=(#]{0,4}(?:on )?$")
_MONTH_YEAR_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:in|since|from|of|until|till|through|thru|before|after|by|dated?|circa|ca|last|ago|around|on|early|late|mid"
    r"|p|s/p [a-z ]{2,25}|[a-z]{3,}(?:ectomy|plasty|otomy|ostomy|scopy|gram|graphy)|cabg|pci|mi|cva|tia|dx|diagnosed|echo|cath"
    r"|stent\w*|surgery|colonoscopy|mri|ct|bx|repair|fusion|replacement|tkr|tha|tka|thr|[-(])[\s:,(]{0,2}$"
)
_CLOCK_AFTER = re.compile(
    r"\s{1,3}(?:at |@ ?)?(?:[0-2]?[0-9]:[0-5][0-9](?![0-9])|[01][0-9][0-5][0-9](?![0-9/]))|,? (?:to|thru|through) [0-9]{1,2}/[0-9]{1,2}(?![0-9])"
)
_RANGE_BEFORE = re.compile(r"(?:here|from|on|stay|admitted|adm) [0-9]{1,2}/[0-9]{1,2},? (?:to|thru|through) $")
_HYPHEN_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:on|since|until|from|through|thru|dated?|seen|visit|due|admitted|adm|discharged?|d/c|dc|f/u|surgery|biopsy|bx"
    r"|started|stopped|appt|lmp|called|faxed|refill(?:ed)?)[\s:]{1,2}$"
)
_HYPHEN_AFTER = re.compile(r"\s*(?:[.,;:)]|$|(?:at|with|by|and|for|was|for|showed|w/|to|am|pm)\b(?! [0-9]))")
"""Around month and day with a hyphen, which is more often a range."""
_HOUR_AFTER = re.compile(
    r",?\s(?:at |@ ?)?(?:[0-9]{1,2}(?::[0-5][0-9])?\s?[ap]m?(?![a-z0-9])|[0-2]?[0-9]:[0-5][0-9](?![0-9:]))"
)
_RANGED_BEFORE = re.compile(r"(?:[0-9]|(?:take|takes|tabs?|x|q|every|over|between|sats?|rr|hr|range))\W{0,2}$")
_PULSE_BEFORE = re.compile(r"(?:^|[^a-z])(?:dp|dp [0-4]/4[,;]? (?:and )?pt)[ :]{1,2}$")
_SIGHT_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:va|ph|cc|sc|re|le|od|os|ou|vision)\W{1,12}(?:6/[0-9]{1,2}(?:\.5)?\W{1,4}(?:ph\W)?)?$"
)
_SIGHT = frozenset({9, 12, 18, 24})
"""Below the six metres of Snellen's chart."""
_SCALE_BOTTOMS = frozenset({5, 6, 7, 10})
_COMMON_FRACTIONS = frozenset({(1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (1, 8), (1, 1), (2, 2), (3, 3), (4, 4), (1, 5)})
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_month_day(month: int, day: int) -> bool:
    """Whether the month has such a day in some year."""
    return 1 <= month <= 12 and 1 <= day <= _DAYS_IN_MONTH[month - 1]


def is_year(digits: str) -> bool:
    """Whether ``digits`` are a year a note may hold: four figures from 1880 to 2099."""
    return len(digits) == 4 and 1880 <= int(digits) <= 2099


def _date(start: int, end: int, strength: Strength = Strength.FORMAT) -> Candidate:
    return Candidate(start, end, Entity.DATE, strength)


def read_numeric(text: str, start: int, end: int) -> Iterable[Candidate]:
    """Judge one run of figures and separators."""
    left, right = text[start - 1 : start], text[end : end + 1]
    if left.isdigit() or right.isdigit() or right in {"%", "\\"} or left in {"$", "#", "_"}:
        return ()
    if (
        left in {".", "/", ",", "-"}
        and start > 1
        and (text[start - 2].isdigit() or (left != "," and text[start - 2].isalpha()))
    ):
        return ()
    if right in {".", "/", "-", ","} and text[end + 1 : end + 2].isdigit():
        return ()
    parts = [match.span() for match in _NUMBER.finditer(text, start, end)]
    if len(parts) == 1:
        return _compact(text, start, end)
    if len(parts) == 2:
        return _two(text, start, end, parts)
    if len(parts) == 3:
        return _three(text, start, end, parts)
    return _range(text, parts)


def _compact(text: str, start: int, end: int) -> Iterator[Candidate]:
    digits = text[start:end]
    is_alone = not text[start - 1 : start].isalnum() and not (text[end : end + 1].isalnum() and text[end] != "T")
    if is_alone and is_month_day(int(digits[4:6]), int(digits[6:8])) and int(digits[:4]) <= 2049:
        yield _date(start, end)


def _range(text: str, parts: list[tuple[int, int]]) -> Iterator[Candidate]:
    """3/1-3/5, 3/14/21-3/16/21: pieces between hyphens, each a date of its own."""
    pieces: list[list[tuple[int, int]]] = [[parts[0]]]
    for previous, part in itertools.pairwise(parts):
        if "-" in text[previous[1] : part[0]]:
            pieces.append([part])
        else:
            pieces[-1].append(part)
    if (
        len(pieces) < 2
        or ("." in text[parts[0][1] : parts[-1][0]] and len(parts) < 6)
        or not all(_looks_like_day(text, piece) for piece in pieces)
    ):
        return
    if len(parts) > 4 or not _NO_DAY_AFTER.match(text_after(text, parts[-1][1])):
        for piece in pieces:
            yield _date(piece[0][0], piece[-1][1])


def _looks_like_day(text: str, piece: list[tuple[int, int]]) -> bool:
    values = [int(text[a:b]) for a, b in piece]
    if len(piece) == 3:
        last = text[slice(*piece[2])]
        return is_month_day(values[0], values[1]) and (len(last) == 2 or is_year(last))
    if len(piece) != 2:
        return False
    is_month = 1 <= values[0] <= 12 and (is_year(text[slice(*piece[1])]) or 50 <= values[1] <= 99)
    return is_month_day(values[0], values[1]) or is_month


def _three(text: str, start: int, end: int, parts: list[tuple[int, int]]) -> Iterator[Candidate]:
    strings = [text[a:b] for a, b in parts]
    first, second, third = (int(s) for s in strings)
    separators = [text[parts[i][1] : parts[i + 1][0]].strip() for i in (0, 1)]
    if text[start - 1 : start].isalpha() and text[start - 2 : start - 1].isalnum() is False and len(strings[2]) < 4:
        return
    tail = text_after(text, end)
    if is_year(strings[0]) and len(strings[1]) <= 2 and len(strings[2]) <= 2:
        if is_month_day(second, third) or is_month_day(third, second):
            yield _date(start, end)
        return
    if len(strings[0]) > 2 or len(strings[1]) > 2:
        if (
            len(strings[0]) <= 3
            and len(strings[1]) <= 3
            and is_year(strings[2])
            and separators[0] == separators[1] != "-"
        ):
            yield _date(start, end)
        return
    if is_year(strings[2]):
        if separators[0] == separators[1] or is_month_day(first, second) or is_month_day(second, first):
            yield _date(start, end)
        return
    ahead = text_before(text, start)
    if 0 in {first, second} or ((first, second, third) == (1, 5, 10) and "apgar" in ahead):
        return  # hours of doses, and the minutes of Apgar's scores
    is_calendar = is_month_day(first, second) or is_month_day(second, first)
    is_told = bool(_DAY_BEFORE.search(ahead))
    if len(strings[2]) == 3 and is_calendar and strings[2].startswith(("19", "20", "02")):
        yield _date(start, end)  # a year with a figure dropped
    elif len(strings[2]) == 2 and not _UNIT.match(tail):
        slashed = "/" in separators[0] and "/" in separators[1]
        if (is_calendar and (slashed or (separators[0] == separators[1] and "apgar" not in ahead))) or (
            is_calendar and "/" in "".join(separators) and is_told
        ):
            yield _date(start, end)
        elif slashed and min(first, second) <= 12 and (first <= 31 or second <= 31) and len({first, second, third}) > 1:
            yield _date(start, end)  # 13/41/20
    elif len(strings[2]) == 1 and is_calendar and is_told and _BIRTH_BEFORE.search(ahead):
        yield _date(start, end)
    elif (
        separators == ["/", "-"]
        and is_month_day(first, second)
        and 1 <= third <= 31
        and len(strings[2]) <= 2
        and is_told
    ) and not _NO_DAY_AFTER.match(tail):
        yield _date(start, end)  # 3/1-5


def _two(text: str, start: int, end: int, parts: list[tuple[int, int]]) -> Iterator[Candidate]:
    one, two = (text[a:b] for a, b in parts)
    separator = text[parts[0][1] : parts[1][0]]
    first, second = int(one), int(two)
    if text[start - 1 : start].isalpha() and not _GLUED_BEFORE.search(text_before(text, start, 8)):
        return
    ahead, tail = text_before(text, start), text_after(text, end)
    if separator == "-":
        yield from _hyphenated(start, end, one, two, ahead, tail)
        return
    if "/" not in separator:
        return
    if is_year(two) and 1 <= first <= 12 and len(one) <= 2:
        if not _UNIT.match(tail):
            yield _date(start, end)
    elif is_year(one) and len(two) <= 2 and (1 <= second <= 12 or second == (first + 1) % 100):
        if not _UNIT.match(tail) and not _NO_DAY_BEFORE.search(ahead):
            yield _date(start, end)
    elif len(one) in {3, 4} and len(two) == 2:
        if _is_typo(one, second) and _DAY_BEFORE.search(ahead) and not _NO_DAY_AFTER.match(tail):
            yield _date(start, end)  # 323/20
    elif len(one) <= 2 and len(two) <= 2 and not text[end : end + 1].isalpha() and _is_day(one, two, ahead, tail):
        yield _date(start, end)


def _is_typo(digits: str, year: int) -> bool:
    cuts = [(digits[:1], digits[1:]), (digits[:2], digits[2:])]
    return year <= 49 and any(b and is_month_day(int(a), int(b)) for a, b in cuts)


def _is_day(one: str, two: str, ahead: str, tail: str) -> bool:
    """Whether one/two is month/day or month/year and no score, fraction or pressure."""
    first, second = int(one), int(two)
    if _NO_DAY_AFTER.match(tail) or (second == 12 and one == str(first) and _SPELL_AFTER.match(tail)):
        return False
    if (second == 4 and first <= 4 and _PULSE_BEFORE.search(ahead)) or (
        one == "6" and second in _SIGHT and _SIGHT_BEFORE.search(ahead)
    ):
        return False
    is_told = bool(_DAY_BEFORE.search(ahead) or _CLOCK_AFTER.match(tail) or _RANGE_BEFORE.search(ahead))
    if 1 <= first <= 12 and second > 31 and len(two) == 2:
        if second == 52 and not one.startswith("0"):
            return False
        if _NO_DAY_BEFORE.search(ahead):
            return is_told
        opens_line = not ahead.strip() and second >= 50 and re.match(r"\s?[:\-]|\s[a-z]{2}", tail) is not None
        return one.startswith("0") or is_told or opens_line or bool(_MONTH_YEAR_BEFORE.search(ahead))
    if 1 <= first <= 12 and two.startswith("0") and len(one) == 2 and second == 0:
        return bool(_MONTH_YEAR_BEFORE.search(ahead))  # 11/00
    if not is_month_day(first, second):
        return is_told and is_month_day(second, first) and not _NO_DAY_BEFORE.search(ahead)
    padded = one.startswith("0") or two.startswith("0")
    if _NO_DAY_BEFORE.search(ahead) and not is_told:
        return False
    if not padded and (second in _SCALE_BOTTOMS or (first, second) in _COMMON_FRACTIONS):
        return is_told
    return bool(is_told or padded or second != 12 or not _SPELL_BEFORE.search(ahead))


def _hyphenated(start: int, end: int, one: str, two: str, ahead: str, tail: str) -> Iterator[Candidate]:
    first, second = int(one), int(two)
    if is_year(one) and (is_year(two) or (len(two) == 2 and (1 <= second <= 12 or second == (first + 1) % 100))):
        if not _UNIT.match(tail) and (not is_year(two) or first < second):
            yield _date(start, end)
        return
    if is_year(two) and len(one) <= 2 and 1 <= first <= 12:
        if not _UNIT.match(tail):
            yield _date(start, end)
        return
    if len(one) > 2 or len(two) != 2 or not is_month_day(first, second):
        return
    is_named = re.search(
        r"(?:^|[^a-z])(?:dated?|dos|dob|seen on|visit on|(?:mon|tues?|wed|thur?s?|fri)|[a-z]{3,6}day)[\s:,.]{1,3}$",
        ahead,
    )
    if (
        is_named
        or (second > 12 and _HYPHEN_BEFORE.search(ahead) and _HYPHEN_AFTER.match(tail))
        or (second > 12 and _HOUR_AFTER.match(tail) and not _RANGED_BEFORE.search(ahead))
    ):
        yield _date(start, end)


_LABELLED = r"(?i)(?:dob|d\.o\.b\.?|date of birth|birth ?date|dos|date of service|date):? {0,2}[0-9]{6,8}"
_LABELLED_VALUE = re.compile(r"[0-9]{6,8}$")


def read_labelled(text: str, start: int, end: int) -> Iterator[Candidate]:
    """DOB: 03142021 or 031421."""
    match = _LABELLED_VALUE.search(text, start, end)
    if match is None or text[end : end + 1].isdigit() or end - match.start() == 7:
        return
    digits = match.group()
    if is_month_day(int(digits[:2]), int(digits[2:4])) or is_year(digits[:4]):
        yield _date(match.start(), end, Strength.LABELLED)


RULES = (
    Rule("numeric date", _NUMERIC, read_numeric),
    Rule("labelled date", _LABELLED, read_labelled),
)
