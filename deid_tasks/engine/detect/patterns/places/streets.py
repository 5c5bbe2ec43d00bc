"""Streets, corners, numbered roads and post office boxes, with the city and state behind them."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.months import MONTH
from deid_tasks.engine.detect.patterns.places.states import STATES
from deid_tasks.engine.detect.patterns.reference_words import is_plain_name
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, alternation, as_word_set, word_set

_SUFFIX = alternation("places", "street_suffixes")
_SIDES = "n|s|e|w|ne|nw|se|sw|north|south|east|west"
STREET_TRIGGER = (
    rf"(?i)\b[0-9]{{1,6}}[a-z]?(?:-[0-9]{{1,4}})?(?: 1/2)?,? (?:(?:{_SIDES})\.? )?"
    rf"(?:[a-z0-9'.\-]{{1,20}} ){{1,4}}(?:{_SUFFIX})\b"
)
STREET_SUFFIX_WORD = re.compile(rf"(?:{_SUFFIX})[.,]?", re.IGNORECASE)
_STREET_AT = re.compile(
    r"(?P<number>[0-9]{1,6}[A-Za-z]?(?:-[0-9]{1,4})?(?: 1/2)?),? "
    r"(?P<name>(?:[A-Za-z0-9'.\-]{1,20} ){1,5}?)"
    rf"(?P<suffix>{_SUFFIX})\b\.?"
    r"(?P<side> (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\b\.?)?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r",?\s{1,2}(?:(?:apt|apartment|unit|ste|suite|bldg|building|fl|floor|lot|rm)\.? ?#?\s?[A-Z0-9\-]{1,6}"  # Apt. 12
    r"|[0-9]{1,2}(?:st|nd|rd|th)? (?:fl|floor)|#\s?[A-Z0-9\-]{1,6})(?![A-Za-z0-9])",  # 2nd floor, #4
    re.IGNORECASE,
)
_NOT_STREET_NAMES = word_set("places", "not_street_names")
_WEAK_SUFFIXES = as_word_set(
    "st ct dr pl way run path walk row point hill bend ridge crossing ter sq av loop cove landing heights knoll commons"
    " place court square"
)
"""Kinds of street that are words, titles or units too."""
_NUMBERED = re.compile(rf"(?:[0-9]{{1,3}}(?:st|nd|rd|th)|{_SIDES})")
_ADDRESS_BEFORE = re.compile(r"(?:lives? (?:at|on)|address:?|home:?|resides at|at|m,|[0-9],) $")
_DOCTORS_NAME_BEHIND = re.compile(r"\.? [A-Z][A-Za-z']+(?:[^,A-Za-z']|$)")
_LONGEST_ABBREVIATION = 3
"""Characters of an abbreviation in the name of a street, with its full stop: "St.", "Mt."."""
_HALF_OF_DAY = re.compile(r"[ap]m")
_CONTINUES = re.compile(r",| [A-Z#a-z]")
_NUMBER_BEFORE_HOUSE = re.compile(r"[0-9]{1,4}[A-Za-z]?, (?=[0-9]{1,6}[A-Za-z]? [A-Za-z])")
_FLAT = re.compile(r"\b(?:Flat|FLAT|Apt\.?|APT|Unit|UNIT) [0-9A-Z]{1,4}(?:/[0-9]{1,3})?, $")
_STREET_OF_LETTER = re.compile(r"[0-9]{2,5} (?:(?:N|S|E|W|NE|NW|SE|SW) )?[A-Z] (?:St|Street|Ave|Avenue)")
_YEAR_AT = re.compile(r"(?:19|20)[0-9]{2}, ")
_MONTH_BEFORE = re.compile(rf"(?<![a-z]){MONTH}\.? $")
_NUMBER_OR_CODE_BEFORE = frozenset("/.-:$#")


def read_street(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a house number, a name and a kind of street, with the apartment, and the city and state behind it."""
    inner = _NUMBER_BEFORE_HOUSE.match(text, start, end)
    start = inner.end() if inner else start
    match = _STREET_AT.match(text, start, end + 12)
    if match is None or text[start - 1 : start] in _NUMBER_OR_CODE_BEFORE:
        return
    is_dated = text[start - 1 : start] == "(" or _MONTH_BEFORE.search(text_before(text, start))
    if is_dated and _YEAR_AT.match(text, start):
        return  # a stent of Nov 2019, Quill Landing Medical Center; an operation (2020, Quill Heights)
    words = match.group("name").split()
    if not _is_street(text, start, match, words) or _is_doctor(text, match, words):
        return
    stop = match.end()
    if text[stop - 1] == "." and not _CONTINUES.match(text[stop : stop + 2]):
        stop -= 1
    unit = _UNIT.match(text, stop, stop + 24)
    stop = unit.end() if unit else stop
    flat = _FLAT.search(text[max(0, start - 20) : start])
    yield Candidate(start - len(flat.group()) if flat else start, stop, Entity.STREET, Strength.LABELLED)
    yield from _city_behind(text, stop)


def _is_street(text: str, start: int, match: re.Match[str], words: list[str]) -> bool:
    """Whether the words between a number and a kind of street are its name."""
    plain = [word.strip(".,").lower() for word in words]
    if any(word in _NOT_STREET_NAMES for word in plain if word != "st") or "\n" in match.group():
        return False
    suffix = match.group("suffix")
    is_weak = suffix.lower() in _WEAK_SUFFIXES
    is_numbered = all(_NUMBERED.fullmatch(word) for word in plain)
    is_title = all(word[0].isupper() or word[0].isdigit() for word in words) and suffix[0].isupper()
    if not is_title and (is_weak or not (is_numbered or _is_address(text, start, words))):
        return False
    if any(word.isdigit() for word in plain):
        return False
    if not is_numbered and not any(len(word) > 1 and word[0].isalpha() for word in plain):
        return _is_street_of_letter(text, start, match)
    if not (match.group("name").isupper() and suffix.isupper()):
        return True
    return not any(word in NOT_NAMES for word in plain) and not (is_weak and len(words) > 2)


def _is_street_of_letter(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a street has one letter for its name, behind a house number of several figures: 1204 K St."""
    is_street = _STREET_OF_LETTER.fullmatch(text, start, match.end("suffix")) is not None
    return is_street and not _DOCTORS_NAME_BEHIND.match(text[match.end("suffix") : match.end("suffix") + 24])


def _is_address(text: str, start: int, words: list[str]) -> bool:
    """Whether the words in front say that an address follows: lives at 12 main street."""
    return len(words) <= 2 and _ADDRESS_BEFORE.search(text_before(text, start)) is not None


def _is_doctor(text: str, match: re.Match[str], words: list[str]) -> bool:
    """Whether Dr is a doctor and not a drive, behind a time or a sentence: 3 pm Dr Okafor came; Code red. Dr Ng."""
    if match.group("suffix") not in {"Dr", "DR"}:
        return False
    ends_sentence = words[-1].endswith(".") and len(words[-1]) > _LONGEST_ABBREVIATION
    if not ends_sentence and not _HALF_OF_DAY.search(words[-1].strip(".,").lower()):
        return False
    behind = match.end("suffix")
    return _DOCTORS_NAME_BEHIND.match(text[behind : behind + 24]) is not None


CORNER_TRIGGER = (
    r"\b(?:[Oo]n|[Aa]t|[Nn]ear|[Oo]f|[Bb]y|[Oo]ff) [A-Z][a-z]{2,15}(?: (?:St|Ave|Rd|Blvd|Dr)\.?)? (?:&|and) "
    r"(?:[0-9]{1,3}(?:st|nd|rd|th)|[A-Z][a-z]{2,15} (?:St|Ave|Rd|Blvd|Street|Avenue|Road|Boulevard))\b"
)
_NO_CORNER_AFTER = re.compile(
    r"\s?(?:toe|finger|digit|rib|meta|ray|inter|ics|cranial|nerve|of\b|week|day|month|dose|grade|degree)"
)


def read_corner(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the drugstore on Elm & 5th and crash at Oak and Main St."""
    begin = text.index(" ", start, end) + 1
    first = text[begin : text.index(" ", begin, end)]
    if first.lower() not in NOT_NAMES and not _NO_CORNER_AFTER.match(text_after(text, end)):
        yield Candidate(begin, end, Entity.STREET)


_CITY_BEHIND = re.compile(
    r"(?:,|\s|\n){1,3}(?P<city>[A-Z][A-Za-z.'\-]{1,20}(?: [A-Z][A-Za-z.'\-]{1,20}){0,3}?),? "
    r"(?P<state>[A-Z]{2})\b\.?(?:,? (?P<zip>[0-9]{5}(?:-[0-9]{4})?)(?![0-9]))?"
)


def _city_behind(text: str, start: int) -> Iterator[Candidate]:
    """Read the city, the state and the ZIP code behind a street."""
    match = _CITY_BEHIND.match(text, start, start + 80)
    if match and match.group("state") in STATES:
        yield Candidate(*match.span("city"), Entity.CITY, Strength.LABELLED)
        yield Candidate(*match.span("state"), Entity.STATE, Strength.LABELLED)
        if match.group("zip"):
            yield Candidate(*match.span("zip"), Entity.ZIP, Strength.LABELLED)


def _with_unit(text: str, start: int, end: int, strength: Strength = Strength.FORMAT) -> Iterator[Candidate]:
    """Read a street with the apartment, and the city and state behind it."""
    unit = _UNIT.match(text, end, end + 24)
    stop = unit.end() if unit else end
    yield Candidate(start, stop, Entity.STREET, strength)
    yield from _city_behind(text, stop)


_NUMBERED_ROAD = (
    r"\b[0-9]{1,6} (?:Old )?(?:State |County |US |Rural )?"
    r"(?:Route|Road|Rd\.?|Rte\.?|Rt\.?|Highway|Hwy\.?) [0-9]{1,4}[A-Z]?\b"  # 12345 State Route 7
    r"|\b(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve|Fifteen|Twenty) "
    r"(?:[A-Z][A-Za-z'.\-]{1,20} ){1,3}"
    r"(?:Street|Avenue|Road|Drive|Lane|Way|Place|Plaza|Square|Court|Boulevard|Parkway|Circle|St|Ave|Rd|Blvd)\b"
    r"|\b(?:PSC|Unit|UNIT|CMR|USNS|USS|USCGC|USNV) (?:[0-9]{1,5},? )?Box [0-9]{1,5}\b"
    r"|\bPSC [0-9]{1,5}, Box [0-9]{1,5}\b"
)
BOX_TRIGGER = (
    r"(?i)\bp\.? ?o\.? ?box:? ?#? ?[0-9]{1,6}\b"  # PO Box 123
    r"|\b(?:rr|rural route|hc) ?#? ?[0-9]{1,3},? box [0-9]{1,5}\b"  # RR 2 Box 14
    rf"|(?-i:{_NUMBERED_ROAD})"
)


def read_box(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read PO Box 123, RR 2 Box 14, 12345 State Route 7 and One Hospital Way."""
    yield from _with_unit(text, start, end, Strength.LABELLED)


RARE_STREET_TRIGGER = (
    r"\b[0-9]{2,6} (?:[A-Z][a-z'\-]{1,20} ){1,3}"
    rf"(?:{alternation('places', 'rare_street_suffixes')})\b"
)


def read_rare_street(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a number, a name and a suffix that is an everyday word: 922 Kirby Port Apt. 12."""
    words = text[start:end].split()[1:-1]
    if text[start - 1 : start] in _NUMBER_OR_CODE_BEFORE or not is_plain_name(words[0]) or len(words) > 2:
        return
    yield from _with_unit(text, start, end)


BLOCK_TRIGGER = r"(?i:\bbl(?:k|ock)) [0-9]{1,4}[A-Z]? [A-Z][A-Za-z .'0-9]{3,40}[ ,]{1,2}#[0-9]{1,3}-[0-9]{1,4}[A-Z]?\b"


def read_block(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a block, its street and its flat in Singapore: Blk 418 Ang Mo Kio Ave 10 #07-112."""
    yield from _with_unit(text, start, end, Strength.LABELLED)


LANDMARK_TRIGGER = (
    r"\b(?:[Oo]pp|OPP|[Nn]r|[Nn]ear|[Bb]ehind|[Bb]eside)\.? (?:to )?"
    r"[A-Z][A-Za-z.'&]{1,20}(?: [A-Z][A-Za-z.'&]{1,20}){0,3}"
    r", ?[A-Z][a-z]{3,20} ?[-,]? ?[1-9][0-9]{2} ?[0-9]{3}\b"
)
_LANDMARK = re.compile(r"(?:[A-Za-z]+\.? (?:to )?)(?P<name>[^,]+)")


def read_landmark(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the landmark of an Indian address, in front of the town and its PIN code: Opp. RTO, Tumakuru - 572 104."""
    match = _LANDMARK.match(text, start, end)
    if match:
        yield Candidate(*match.span("name"), Entity.STREET, Strength.WEAK)


LETTERS_TRIGGER = r"\b(?:on|off|down|along|near|from|of) (?:MLK|JFK|FDR)\b"
_HOLIDAY_BEHIND = re.compile(r"(?:'s)? (?:day|holiday|weekend|wknd|monday|hospital|medical|airport|high|school)")
_OFF_WORK_BEFORE = re.compile(r"(?:closed|off work|day|open|clinic) $")


def read_street_by_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read lives off MLK, the streets that bear the letters of a name; not closed on MLK day."""
    if _HOLIDAY_BEHIND.match(text_after(text, end)) or _OFF_WORK_BEFORE.search(text_before(text, start)):
        return
    yield Candidate(end - 3, end, Entity.STREET, Strength.WEAK)
