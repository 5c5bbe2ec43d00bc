"""Towns named without their state, where the words in front say that somebody lives there or went there."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.reference_words import is_everyday_word, medical_term_words, us_towns
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES, split_words

_ABROAD = split_words(
    "london paris rome madrid barcelona lisbon berlin munich frankfurt vienna zurich geneva brussels amsterdam dublin edinburgh glasgow manchester liverpool athens warsaw krakow prague budapest "
    "bucharest sofia belgrade moscow kiev kyiv istanbul ankara cairo casablanca lagos abuja accra nairobi johannesburg dakar kinshasa addis tehran baghdad beirut damascus jerusalem riyadh dubai doha "
    "kabul karachi lahore islamabad delhi mumbai bombay kolkata calcutta chennai madras bangalore hyderabad dhaka kathmandu colombo bangkok hanoi saigon manila jakarta singapore beijing shanghai guangzhou "
    "shenzhen hongkong taipei seoul busan tokyo osaka kyoto sydney melbourne brisbane perth auckland wellington toronto montreal vancouver ottawa calgary edmonton winnipeg quebec halifax tijuana "
    "guadalajara monterrey juarez havana kingston santo port-au-prince bogota medellin cali quito guayaquil lima santiago caracas maracaibo rio brasilia recife"
)
_ABROAD |= frozenset(
    (
        "santo domingo", "san juan", "mexico city", "buenos aires", "sao paulo", "rio de janeiro", "hong kong", "new delhi", "tel aviv", "cape town",
        "phnom penh", "san salvador", "guatemala city", "kuala lumpur", "addis ababa", "abu dhabi", "panama city", "saint petersburg",
    )
)  # fmt: skip
_WHO = (
    r"\b(?:(?:[Ll]iv(?:es?|ed|ing)|[Rr]esid(?:es?|ed|ing)|[Bb]orn|[Rr]aised|[Gg]rew up|[Mm]ov(?:ed?|es|ing)|[Rr]elocat(?:ed|ing)|[Tt]ravel(?:l?ed|s|l?ing)?|[Tt]rip|[Vv]acation(?:ed|ing)?|[Vv]isit(?:s|ed|ing)?"
    r"|[Dd]rove|[Ff]lew|[Rr]eturn(?:ed|ing)?|[Nn]ative|[Oo]riginally|[Cc]ame|[Cc]omes|[Rr]esident|[Aa]partment|[Cc]ondo|[Hh]ouse|[Hh]ome|[Ff]amily|[Ss]ister|[Bb]rother|[Dd]aughter|[Ss]on|[Ww]ork(?:s|ed|ing)?"
    r"|[Hh]omeless|[Ss]helter|[Ss]tay(?:s|ed|ing)|[Bb]ack|[Ff]rom|[Mm]an|[Ww]oman|[Gg]entleman|[Ll]ady)"
    r"(?: (?:alone|now|here|back|together|currently|with (?:his|her) [a-z]{3,12}))? (?:in|from|to|of|near|outside|outside of)|[Vv]isit(?:ed|ing)|[Ff]rom|[Ii]n|[Nn]ear|[Hh]ometown:?|[Bb]irthplace:?|[Cc]ity:|CITY:)"
)
_TOWN = rf"{_WHO} {{1,3}}[A-Z][A-Za-z]"
_SHAPE = re.compile(
    r"(?:North|South|East|West|New|Lake|Port|Fort|Mount) [A-Z][a-z]{2,16}"
    r"|[A-Z][a-z]{2,12}(?:furt|mouth|borough|boro|ville|chester|berg|shire|bury|burgh|burg|haven|stad|town|view|field|wood|ford)"
)
"""How towns are called that are in no list."""
_LIVES = re.compile(
    r"(?:liv|resid|born|raised|grew|mov|relocat|native|hometown|birthplace|apartment|house|drove|flew)", re.IGNORECASE
)
_NAME = re.compile(r"(?:(?:St|Ft|Mt)\. ?)?[A-Z][A-Za-z'\-]{1,20}(?: [A-Z][a-z'\-]{1,20}){0,2}")


def read_town(text: str, start: int, end: int) -> Iterator[Candidate]:
    """lives in Worcester; moved from Lagos; a woman from Akron."""
    match = _NAME.match(text, end - 2, end + 62)
    if match is None:
        return
    words = match.group().split(" ")
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        low = fold(name).removesuffix("'s")
        if (
            (
                low in us_towns()
                or low in _ABROAD
                or ((count > 1 or not is_everyday_word(low)) and _SHAPE.fullmatch(name))
            )
            and low not in NOT_NAMES
            and low not in GENERIC_PLACE_WORDS
        ):
            is_told = _LIVES.match(text, start) is not None
            is_bare = " " not in text[start : end - 3].strip()
            if count == 1 and (
                name.isupper() or ((low in medical_term_words() or (is_bare and is_everyday_word(low))) and not is_told)
            ):
                return
            if is_bare and _SHAPE.fullmatch(name) and low not in us_towns():
                return
            yield Candidate(match.start(), match.start() + len(name.removesuffix("'s")), Entity.CITY, Strength.WEAK)
            return


RULES = (Rule("town", _TOWN, read_town),)
