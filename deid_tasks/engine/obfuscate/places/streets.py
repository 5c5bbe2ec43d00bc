"""Streets: another number and another name; the kind of street, the kind of unit and directions stay."""

import datetime
import re
from collections.abc import Sequence
from itertools import count

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.word_lists import read_word_list
from deid_tasks.engine.obfuscate.word_rewriting import rewrite_words

_YEAR = re.compile(r"(?:19|20)\d\d(?=, [^\W\d])")
_INTERSTATE = re.compile(r"(?P<lead>(?:I[- ]?|[Ii]nterstate |INTERSTATE ))(?P<number>\d{1,2})(?![\d-])")
_INTERSTATES = (
    *(4, 5, 8, 10, 15, 20, 24, 25, 26, 29, 30, 35, 40, 44, 45, 55, 57, 59, 64, 65, 66, 69, 70, 71, 72, 74, 75, 76, 77),
    *(78, 79, 80, 81, 84, 85, 87, 88, 89, 90, 91, 93, 94, 95),
)
"""Interstate highways of the United States with one figure or two (FHWA Route Log)."""
NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Numbers of houses and rooms in words."""
_ADDRESS_WORDS = frozenset(read_word_list("places/address_words.txt"))
STREET_KINDS = frozenset(
    [
        *(
            "ave",
            "avenue",
            "blvd",
            "boulevard",
            "circle",
            "cir",
            "crt",
            "track",
            "trk",
            "close",
            "cres",
            "crescent",
            "dr",
            "drive",
            "lane",
            "ln",
        ),
        *(
            "parade",
            "pde",
            "parkway",
            "pkwy",
            "pike",
            "rd",
            "road",
            "street",
            "tce",
            "terrace",
            "way",
            "strasse",
            "str",
        ),
    ]
)
"""Words that say what kind of street a street is and stand behind its name, folded."""


_LATE_KINDS = frozenset(
    [
        *("bank", "spur", "trace", "green", "gate", "mews", "row", "walk", "hill", "rise", "view", "croft", "grove"),
        *(
            "gardens",
            "yard",
            "wharf",
            "bend",
            "cove",
            "glen",
            "hollow",
            "run",
            "ridge",
            "pass",
            "path",
            "point",
            "quay",
        ),
        *(
            "fold",
            "garth",
            "vale",
            "dale",
            "meadow",
            "meadows",
            "park",
            "wynd",
            "brae",
            "landing",
            "side",
            "end",
            "reach",
        ),
        *("nagar", "colony", "layout", "marg", "chowk", "galli", "salai", "peth", "puram"),
        *("weg", "platz", "gasse", "allee", "cottages", "heights", "knoll", "mill", "trailer", "ranch", "farm", "brow"),
        *("cottage", "lodge", "rectory", "vicarage", "manse", "grange", "villa", "bungalow", "farmhouse", "steading"),
    ]
)
"""Words that say what kind of street a street is where a name stands before them: Mill Bank."""
_EARLY_KINDS = frozenset(
    [
        *(
            "jln",
            "jalan",
            "lorong",
            "rue",
            "calle",
            "via",
            "avenida",
            "camino",
            "paseo",
            "rua",
            "carrer",
            "ulica",
            "ul",
            "heol",
            "stryd",
            "ffordd",
            "lon",
        ),
        *("boreen", "chemin", "allée", "impasse", "quai", "piazza", "viale", "corso", "plaza"),
    ]
)
"""Words that say what kind of street a street is where a name stands behind them: Jalan Senja."""
_SAINT = re.compile(
    rf"\b(?:St|Ste|Saint)\.?\s+(?=[^\W\d_]{{3,}}(?:['’]s)?\s+(?:st|{'|'.join(sorted(STREET_KINDS))})\b)", re.IGNORECASE
)
"""The saint whom a street is named after."""
_SMALL_WORDS = frozenset(("de", "del", "la", "las", "los", "el", "du", "des", "di", "da"))
"""Words inside the names of streets: Calle de Alvarez."""
_DIRECTIONS = frozenset(("north", "south", "east", "west"))
_UNIT_WORDS = frozenset(
    [
        "no",
        "door",
        "plot",
        "blk",
        "hse",
        "dock",
        "pier",
        "mile",
        "pod",
        "stall",
        "hangar",
        "berth",
        "kiosk",
        "spc",
        "space",
        "slip",
        "bay",
        "sp",
        "house",
        "cross",
        "hc",
        "hcr",
    ]
)
_DOOR_LABEL = re.compile(r"(?:[DHFP]\.? ?|Door |Flat |Plot |House |Old |New )No\.? ?(?=\d)", re.IGNORECASE)
_CORNER = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)
_BUILDING = re.compile(
    r"(?P<name>(?:[A-Z][\w'’]+ ){1,3}"
    r"(?:House|Court|Lodge|Building|Tower|Hall|Mill|Cottage|Villas?|Mansions|Apartments))"
    r"(?P<gap>,\s+)(?=\d)"
)
_FRACTION = re.compile(r"(?:(?<=\d) 1/[2-4]|(?<=\d)[½¼¾])(?!\d)")
_NUMBER_AT_START = re.compile(r"\d+")
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _is_address_word(folded: str) -> bool:
    return folded in _ADDRESS_WORDS or folded in _UNIT_WORDS


def _kind_index(words: Sequence[str]) -> int | None:
    """Return the index of the word of a street line that says what kind of street it is and has a name beside it."""
    named = [i for i, word in enumerate(words) if not _is_address_word(word) and not any(map(str.isdigit, word))]
    run = [i for i in named if i - named[0] == named.index(i)]
    if len(run) < 2:
        return None
    if words[run[0]] in _EARLY_KINDS:
        return run[0]
    behind = words[run[-1] + 1] if run[-1] + 1 < len(words) else ""
    return run[-1] if words[run[-1]] in _LATE_KINDS and behind not in STREET_KINDS else None


def _direction_index(words: Sequence[str]) -> int | None:
    """Return the index of a direction that is a street's only name: East South St, 12 North Road."""
    if any(not _is_address_word(word) and not any(map(str.isdigit, word)) for word in words):
        return None
    behind = range(1, len(words))
    return next((i - 1 for i in behind if words[i] in STREET_KINDS | {"st"} and words[i - 1] in _DIRECTIONS), None)


def replace_street(value: str, scope: NameScope) -> str:
    """Return the street line with another number and another street name."""
    if (made := _of_parts(value, scope)) is not None:
        return made
    value = _SAINT.sub("", value)
    parts = ("street", scope.patient_id, fold(re.sub(r"\W+", " ", value)))
    folded = fold(value)
    streets = read_word_list("places/street_names.txt")
    name = next(
        street
        for attempt in count()
        if fold(street := scope.keyed.choice(streets, *parts, "name", str(attempt))) not in folded
    )
    is_named = False
    words = [fold(word) for word in _WORDS.findall(value)]
    kind_index, direction_index = _kind_index(words), _direction_index(words)
    index = -1

    def rewrite(word: str) -> str | None:
        nonlocal is_named, index
        index += 1
        if index == kind_index:
            return word
        if any(char.isdigit() for char in word):
            return other_number(word, parts, scope)
        if not is_named and fold(word) in NUMBER_WORDS:
            number = scope.keyed.choice([number for number in NUMBER_WORDS if number != fold(word)], *parts)
            return match_case(number.capitalize() if word[0].isupper() else number, word)
        if _is_address_word(fold(word)) and index != direction_index:
            return word if len(word) > 1 or fold(word) in "nsewpo" else scope.keyed.like(word, *parts)
        if len(word) == 1 and word.isupper() and (is_named or f"/{word}" in value or f"-{word}" in value):
            # The letter of a building or a flat.
            return scope.keyed.like(word, *parts, upper="ABCDEFGH")
        if is_named or (len(words) > 2 and fold(word) in _SMALL_WORDS):
            return word if fold(word) in _SMALL_WORDS else None
        is_named = True
        return match_case(name, word)

    if year := _YEAR.match(value):
        # "removed 2004, Edge Hill": a year before a place, not a house number.
        moved = datetime.date(int(year.group()), 7, 1) + datetime.timedelta(days=scope.shift_days)
        index += 1
        return str(moved.year) + rewrite_words(value[year.end() :], rewrite)
    street_line = rewrite_words(value, rewrite)
    return street_line if street_line != value else scope.keyed.like(value, *parts)


def _of_parts(value: str, scope: NameScope) -> str | None:
    """Return a street line whose parts are replaced each by itself; ``None`` for other values.

    Such are a corner of two streets, the name of a building, and a fraction of a number. Words for parts alone stay.
    """
    if all(_is_address_word(fold(word)) for word in re.findall(r"[^\W_]+", value)):
        return value
    if (interstate := replace_interstate(value, scope)) is not None:
        return interstate
    if label := _DOOR_LABEL.match(value):
        # "D.No 5/118": the number of a door.
        return label.group() + replace_street(value[label.end() :], scope)
    if corner := _CORNER.search(value):
        return f"{_side(value[: corner.start()], scope)}{corner.group()}{_side(value[corner.end() :], scope)}"
    if building := _BUILDING.match(value):
        name = _other_building(building["name"], scope)
        return name + building["gap"] + replace_street(value[building.end() :], scope)
    if fraction := _FRACTION.search(value):
        whole = replace_street(value[: fraction.start()] + value[fraction.end() :], scope)
        number = _NUMBER_AT_START.match(whole)
        return whole[: number.end()] + fraction.group() + whole[number.end() :] if number else whole
    return None


def replace_interstate(value: str, scope: NameScope) -> str | None:
    """Return another interstate with what stands behind it; ``None`` for other roads. Numbers without a road tell."""
    road = _INTERSTATE.match(value)
    if road is None:
        return None
    parts = ("interstate", scope.patient_id)
    alike = [one for one in _INTERSTATES if (one < 10) == (len(road["number"]) < 2) and one != int(road["number"])]
    number = scope.keyed.choice(alike, *parts, road["number"])
    rest = re.sub(r"\d+", lambda found: other_number(found.group(), parts, scope), value[road.end() :])
    return f"{road['lead']}{number}{rest}"


def _side(value: str, scope: NameScope) -> str:
    """Return another street for one at a corner, of which the word for its kind is left out mostly: "Pike and 3rd"."""
    words = value.split()
    if len(words) != 1:
        return replace_street(value, scope)
    parts = ("street", scope.patient_id, fold(value))
    if value[0].isdigit():
        return other_number(value, parts, scope)
    streets = [name for name in read_word_list("places/street_names.txt") if fold(name) != fold(value)]
    return match_case(scope.keyed.choice(streets, *parts), value)


def _other_building(name: str, scope: NameScope) -> str:
    """Return another name of a building: "Beacon House"."""
    *first, last = name.split()
    names = [one for one in read_word_list("organizations/single_names.txt") if fold(one) not in fold(name)]
    return f"{match_case(scope.keyed.choice(names, 'building', scope.patient_id, fold(name)), ' '.join(first))} {last}"


def other_number(word: str, parts: tuple[str, ...], scope: NameScope) -> str:
    """Return a number with other digits, and with the letter or the fitting ordinal ending that stands behind it.

    Args:
        word: a number, with letters perhaps.
        parts: what the choice depends on.
        scope: whose number it is.
    """
    ordinal = re.fullmatch(r"(\d+)(st|nd|rd|th)", word, re.IGNORECASE)
    made = re.sub(r"^0", "1", scope.keyed.like(ordinal[1] if ordinal else word, *parts, upper="ABCDEFGH"))
    if word[0] == "0" and len(word) > 1:
        # A floor: "#01-77".
        made = "0" + re.sub(r"^0", "1", made[1:])
        if made == word:
            made = "0" + str(1 + int(word[1]) % 9) + word[2:] if word[1].isdecimal() else made
    if made == word:
        made = "2" + made[1:]
    if not ordinal:
        return made
    ending = "th" if made[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(made[-1], "th")
    return made + match_case(ending, ordinal[2])
