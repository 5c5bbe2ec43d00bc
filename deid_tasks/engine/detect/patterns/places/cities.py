"""Cities with their state: Boston, MA 02115; Mercy Hospital, Springfield OR; home Burlington VT."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.places.states import CREDENTIALS_AND_STATES, STATE_CODES, STATES
from deid_tasks.engine.detect.patterns.places.streets import STREET_SUFFIX_WORD
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_everyday_word,
    medical_term_words,
    surname_rates,
    towns_with_provinces,
    us_towns_with_states,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, alternation, as_word_set

_STATE_NAMES = "|".join(STATES.values())
CITY_AND_STATE_TRIGGER = (
    r"(?i)\b(?:[a-z][a-z.'\-]{1,20} ){0,2}[a-z][a-z.'\-]{1,20}(?:,\s{0,2}| )"
    rf"(?:{STATE_CODES}|(?:{_STATE_NAMES}))\.?,?\s{{1,2}}[0-9]{{5}}(?:-[0-9]{{4}})?\b"  # boston ma 02115
    rf"|\b[A-Z][A-Za-z.'\-]{{1,20}}, (?-i:{STATE_CODES})\b"  # Boston, MA
)
_CITY_AND_STATE = re.compile(
    r"(?P<city>[A-Za-z][A-Za-z.'\-]{1,20}(?: [A-Za-z][A-Za-z.'\-]{1,20}){0,2}),?\s{1,2}"
    rf"(?P<state>{STATE_CODES}|{_STATE_NAMES})"
    r"(?:\.?,?\s{1,2}(?P<zip>[0-9]{5}(?:-[0-9]{4})?)(?![0-9]))?\b",
    re.IGNORECASE,
)
_CITY_LEFT = re.compile(r"(?:(?:St|Ft|Mt|Ste)\. |[A-Z][A-Za-z.'\-]{1,20} ){1,2}$")
_ABBREVIATIONS_AND_STATES = as_word_set("MD PA MA MS DC OR IN ME OK CT ID DE CO AL LA PR HI ND")
"""Codes of states that end a sentence as words or abbreviations too."""
_BEFORE_CITY = re.compile(
    rf"(?:^|[^a-z])(?:{alternation('places', 'words_before_a_city')})\s{{1,2}}(?:[a-z.]{{2,14}} ){{0,2}}$"
)
_WHOLE_NAME_BEFORE = re.compile(
    r"(?:seen by|by|with|per|w/|Dr\.|supervised by|discussed with|spoke with|surgeon|assistant|provider|PCP):? "
    r"(?:[A-Z][A-Za-z.'\-]{1,20} ){1,2}$"
)
"""Words in front of a whole name, behind which two capitals are a credential: seen by Maria Okafor, PA."""
_PREPOSITION_BEFORE = re.compile(r"(?:^|[^A-Za-z])(?:In|From|Of|To|Near|At)\s$")
_NOT_CITY_WORDS = as_word_set(
    "in from of to near at lives live living the a an address zip home city town residence moved resides and phone"
    " located county dr mr mrs ms was is she he"
)
_HOUSE_NUMBER_BEFORE = re.compile(r"(?:^|[^0-9])[0-9]{1,6}[a-z]?,? (?:\S+ ){0,3}$")
_IDENTIFIER_BEHIND = re.compile(r"[ :#]{0,3}[A-Z]{0,3}[0-9]")
_AUTHORIZATION_BEHIND = re.compile(r" (?:pending|approved|denied|needed|submitted|request|required|sent|started|form)")
"""Behind PA for a prior authorization, in front of which a street or a town may stand: CVS on Lamar, PA needed."""
_ZIP_OF_IDAHO = re.compile(r"83[2-8]")
_WORD = re.compile(r"\S+")


def read_city_and_state(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Boston, MA 02115; without the ZIP code only where the words in front speak of a location."""
    match = _CITY_AND_STATE.match(text, start, end)
    if match is None:
        return
    if match.group("zip"):
        if match.group("state") == "ID" and not _ZIP_OF_IDAHO.match(match.group("zip")):
            return  # the number of an interpreter: Xee V., ID 40772
        city_start = _start_of_city(text, match)
        if city_start is not None:
            yield Candidate(city_start, match.end("city"), Entity.CITY, Strength.LABELLED)
            yield Candidate(*match.span("state"), Entity.STATE, Strength.LABELLED)
            yield Candidate(*match.span("zip"), Entity.ZIP, Strength.LABELLED)
    elif _is_code_of_state(text, match):
        low = _start_of_capitals(text, match.start("city"))
        if _BEFORE_CITY.search(text_before(text, low)) or _PREPOSITION_BEFORE.search(text[max(0, low - 6) : low]):
            yield Candidate(low, match.end("city"), Entity.CITY, Strength.FORMAT)
            yield Candidate(*match.span("state"), Entity.STATE, Strength.FORMAT)


def _start_of_city(text: str, match: re.Match[str]) -> int | None:
    """Return where the city in front of a state and a ZIP code begins, or ``None`` where no word is its name."""
    city_start, city_end = match.span("city")
    words = list(_WORD.finditer(text[city_start:city_end]))
    is_lower = match.group("city").islower()
    first = len(words)
    while first and _may_be_in_city(words[first - 1].group(), is_lower=is_lower):
        first -= 1
    earliest = words[min(first, len(words) - 1)].start()
    if _HOUSE_NUMBER_BEFORE.search(text_before(text, city_start + earliest)):
        for index, word in enumerate(words[:-1]):
            if index >= first and STREET_SUFFIX_WORD.fullmatch(word.group()):
                first = index + 1
    if first == len(words):
        return None
    is_identifier = match.group("state") == "ID" and text[city_end] != ","
    if is_identifier and words[-1].group().lower() in NOT_NAMES:
        return None
    return city_start + words[first].start()


def _may_be_in_city(word: str, *, is_lower: bool) -> bool:
    return word.lower().strip(".,") not in _NOT_CITY_WORDS and (word[0].isupper() or is_lower)


def _is_code_of_state(text: str, match: re.Match[str]) -> bool:
    """Whether two capitals behind a comma are a state and not a credential, a word or a label."""
    state, end = match.group("state"), match.end()
    city_start, city_end = match.span("city")
    if state not in STATES or text[city_end : city_end + 1] != ",":
        return False
    if state == "PA" and _AUTHORIZATION_BEHIND.match(text, end):
        return False
    if state == "ID" and _IDENTIFIER_BEHIND.match(text[end : end + 7]):
        return False
    if state in CREDENTIALS_AND_STATES and _WHOLE_NAME_BEFORE.search(text[max(0, city_start - 44) : city_start]):
        return False
    may_be_abbreviation = text[end : end + 1] in {".", "-"} and state in _ABBREVIATIONS_AND_STATES
    return not may_be_abbreviation or _BEFORE_CITY.search(text_before(text, city_start)) is not None


def _start_of_capitals(text: str, city_start: int) -> int:
    """Return where a city begins, with the capitalised words in front: St. Louis, New York."""
    left = _CITY_LEFT.search(text[max(0, city_start - 44) : city_start])
    low = city_start - len(left.group()) if left else city_start
    while low < city_start and text[low:city_start].split(" ", 1)[0].lower() in _NOT_CITY_WORDS:
        low = text.index(" ", low) + 1
    return low


BEHIND_HOUSE_TRIGGER = (
    r"(?m)(?:Hospital|Center|Clinic|Infirmary|University|College|\b(?:St|Ave|Rd|Dr|Ln|Blvd|Ct|Pl|Way|Hwy)\.?|[0-9]), "
    rf"(?:[A-Z][a-z'\-]{{2,20}} ){{1,2}}(?:{STATE_CODES})(?:[ \t]{{0,4}}$| {{2}}|,)"
)
_BEHIND_HOUSE = re.compile(rf", (?P<city>[A-Z][A-Za-z' \-]{{2,41}}) (?P<state>{STATE_CODES})(?:\s*|,)$")


def read_city_behind_house(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a city behind a house or a street, at the end of a line or a column: Mercy Hospital, Springfield OR."""
    match = _BEHIND_HOUSE.search(text, start, end)
    if match and match["state"] not in CREDENTIALS_AND_STATES:
        yield Candidate(*match.span("city"), Entity.CITY)
        yield Candidate(*match.span("state"), Entity.STATE)


TOWN_AND_STATE_TRIGGER = rf"\b[A-Z][a-z'\-]{{2,20}}(?: [A-Z][a-z'\-]{{2,20}})?,? (?:{STATE_CODES})\b"
_PLAIN_CODES = as_word_set("NY NJ NH NM NV TX TN WY WV WI UT KS KY IA IL FL AZ MN")
"""Codes of states that are not a medical abbreviation."""
_TITLE_BEFORE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|MR|MRS|MS|DR)\.? $")
_SCAN_BEHIND = re.compile(r" (?:scan|head|chest|abd|brain|w/|with|neg|show|angio|guid)")
_NOT_CODES = CREDENTIALS_AND_STATES | {"OR"}


def read_town_and_state(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a town and the state where the list of towns has it: home Burlington VT 8/13."""
    state, name = text[end - 2 : end], text[start : end - 3].rstrip(",")
    is_credential = state in _NOT_CODES and not _is_no_name(name, text[start:end])
    if is_credential or (state == "CT" and _SCAN_BEHIND.match(text_after(text, end))):
        return
    if state == "PA" and _AUTHORIZATION_BEHIND.match(text, end):
        return
    towns = (name, name.rsplit(" ", maxsplit=1)[-1])
    town = next((town for town in towns if (fold(town), state) in us_towns_with_states()), None)
    if town is None or _TITLE_BEFORE.search(text[max(0, start - 8) : start]):
        return
    if "," not in text[start:end] and _is_word_and_abbreviation(town, state):
        return
    low = start + len(name) - len(town)
    yield Candidate(low, low + len(town), Entity.CITY)
    yield Candidate(end - 2, end, Entity.STATE)


TOWN_AND_PROVINCE_TRIGGER = (
    r"\b[A-Z][A-Za-z'\-]{2,20}(?: [A-Z][A-Za-z'\-]{2,20})?,? (?:ON|QC|BC|AB|MB|SK|NS|NB|NL|PE|NSW|VIC|QLD|TAS)\b"
)


_POSTCODE_BEHIND = re.compile(r",? {1,2}(?:\d{4}(?!\d)|[A-Z]\d[A-Z] ?\d[A-Z]\d\b)")


def read_town_and_province(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a town of Canada or Australia and its province.

    The table of towns has both, as for KENORA ON, or a postcode stands behind: Jan Juc VIC 3228.
    """
    code = start + text[start:end].rindex(" ") + 1
    name = text[start:code].rstrip(", ")
    if _POSTCODE_BEHIND.match(text, end) and not any(word.lower() in NOT_NAMES for word in name.split()):
        yield Candidate(start, start + len(name), Entity.CITY)
        yield Candidate(code, end, Entity.STATE)
        return
    for town in (name, name.rsplit(" ", maxsplit=1)[-1]):
        if (fold(town), text[code:end]) in towns_with_provinces():
            low = start + len(name) - len(town)
            yield Candidate(low, low + len(town), Entity.CITY)
            yield Candidate(code, end, Entity.STATE)
            return


def _is_no_name(town: str, written: str) -> bool:
    """Whether a town with a comma behind it is nobody's name, and what follows no credential: Hattiesburg, MS."""
    word = fold(town.rsplit(" ", maxsplit=1)[-1])
    return "," in written and word not in surname_rates() and word not in given_name_rates()


def _is_word_and_abbreviation(town: str, state: str) -> bool:
    """Whether a town is a word too and its state an abbreviation, or the town a medical word."""
    if " " in town:
        return False
    is_medical = fold(town) in medical_term_words()
    return is_medical or (is_everyday_word(town) and state not in _PLAIN_CODES)
