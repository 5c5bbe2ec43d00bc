"""Streets, corners, numbered roads and post office boxes, with the city and state behind them."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.detect.patterns.reference_words import is_plain_name
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, split_words

STATES = STATE_NAMES | {"PR": "Puerto Rico"}
SUFFIX = r"street|st|avenue|ave|av|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|place|pl|terrace|ter|circle|cir|way|parkway|pkwy|highway|hwy|square|sq|trail|trl|turnpike|tpke|plaza|loop|alley|crossing|ridge|run|path|crescent|cres|walk|row|pike|mews|commons|landing|cove|point|hill|heights|bend|knoll"
_STREET = rf"(?i)\b[0-9]{{1,6}}[a-z]?(?:-[0-9]{{1,4}})?(?: 1/2)?,? (?:(?:n|s|e|w|ne|nw|se|sw|north|south|east|west)\.? )?(?:[a-z0-9'.\-]{{1,20}} ){{1,4}}(?:{SUFFIX})\b"
_STREET_AT = re.compile(
    r"(?P<number>[0-9]{1,6}[A-Za-z]?(?:-[0-9]{1,4})?(?: 1/2)?),? (?P<name>(?:[A-Za-z0-9'.\-]{1,20} ){1,5}?)(?P<suffix>"
    + SUFFIX
    + r")\b\.?(?P<side> (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\b\.?)?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r",?\s{1,2}(?:(?:apt|apartment|unit|ste|suite|bldg|building|fl|floor|lot|rm)\.? ?#?\s?[A-Z0-9\-]{1,6}|[0-9]{1,2}(?:st|nd|rd|th)? (?:fl|floor)|#\s?[A-Z0-9\-]{1,6})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_NO_STREET_WORD = split_words(
    """
    mg mcg ml cc mm cm kg lb lbs am pm a an the of in on by at to for with and or per is was year years yr yrs old yo month months week weeks day days hour hours hr hrs min mins minute minutes
    times time patient pt seen saw md rn np pa dr dr. mr mr. mrs mrs. ms ms. tab tabs tablet tablets cap caps capsule capsules dose doses units unit daily bid tid qid qhs prn po iv im sq sc right left
    lesion mass nodule nodules stone stones from scan scans chest head abdomen pelvis ct mri cxr refills refill visits visit male female year-old woman man she he had has x no non noted feet ft
    fr french inch inches pounds percent grade stage type level levels episodes packs pack beers drinks drink liters liter prior steps step flights block blocks miles mile mph days' weeks' first this that
    january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec down off only then
    """
)
_WEAKSUFFIXES = split_words(
    "st ct dr pl way run path walk row point hill bend ridge crossing ter sq av loop cove landing heights knoll commons place court square"
)


def read_street(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A house number, a name and a kind of street, with the apartment; the city and state behind it."""
    inner = _NUMBER_BEFORE_HOUSE.match(text, start, end)
    start = inner.end() if inner else start
    match = _STREET_AT.match(text, start, end + 12)
    if match is None or text[start - 1 : start] in {"/", ".", "-", ":", "$", "#"}:
        return
    words = match.group("name").split()
    plain = [word.strip(".,").lower() for word in words]
    if any(word in _NO_STREET_WORD for word in plain if word not in {"st"}) or "\n" in match.group():
        return
    suffix = match.group("suffix")
    numbered = all(
        re.fullmatch(r"(?:[0-9]{1,3}(?:st|nd|rd|th)|n|s|e|w|ne|nw|se|sw|north|south|east|west)", word) for word in plain
    )
    is_title = all(word[0].isupper() or word[0].isdigit() for word in words) and suffix[0].isupper()
    is_upper = match.group("name").isupper() and suffix.isupper()
    if (
        not is_title
        and not (numbered and suffix.lower() not in _WEAKSUFFIXES)
        and not (
            len(words) <= 2
            and suffix.lower() not in _WEAKSUFFIXES
            and re.search(r"(?:lives? (?:at|on)|address:?|home:?|resides at|at|m,|[0-9],) $", text_before(text, start))
        )
    ):
        return
    if any(word.isdigit() for word in plain) or (
        not numbered and not any(len(word) > 1 and word[0].isalpha() for word in plain)
    ):
        return
    if is_upper and (any(word in NOT_NAMES for word in plain) or (suffix.lower() in _WEAKSUFFIXES and len(words) > 2)):
        return
    if (
        suffix in {"Dr", "DR"}
        and re.match(r"\.? [A-Z][A-Za-z']+(?:[^,A-Za-z']|$)", text[match.end("suffix") : match.end("suffix") + 24])
        and re.search(r"[ap]m", plain[-1])
    ):
        return
    stop = match.end()
    if text[stop - 1] == ".":
        stop = stop if re.match(r",| [A-Z#a-z]", text[stop : stop + 2]) else stop - 1
    unit = _UNIT.match(text, stop, stop + 24)
    stop = unit.end() if unit else stop
    flat = _FLAT.search(text[max(0, start - 20) : start])
    yield Candidate(start - len(flat.group()) if flat else start, stop, Entity.STREET, Strength.LABELLED)
    yield from _city_behind(text, stop)


_NUMBER_BEFORE_HOUSE = re.compile(r"[0-9]{1,4}[A-Za-z]?, (?=[0-9]{1,6}[A-Za-z]? [A-Za-z])")
_FLAT = re.compile(r"\b(?:Flat|FLAT|Apt\.?|APT|Unit|UNIT) [0-9A-Z]{1,4}(?:/[0-9]{1,3})?, $")
_CORNER = (
    r"\b(?:[Oo]n|[Aa]t|[Nn]ear|[Oo]f|[Bb]y|[Oo]ff) [A-Z][a-z]{2,15}(?: (?:St|Ave|Rd|Blvd|Dr)\.?)? (?:&|and) "
    r"(?:[0-9]{1,3}(?:st|nd|rd|th)|[A-Z][a-z]{2,15} (?:St|Ave|Rd|Blvd|Street|Avenue|Road|Boulevard))\b"
)
_NO_CORNER_AFTER = re.compile(
    r"\s?(?:toe|finger|digit|rib|meta|ray|inter|ics|cranial|nerve|of\b|week|day|month|dose|grade|degree)"
)


def read_corner(text: str, start: int, end: int) -> Iterator[Candidate]:
    """the drugstore on Elm & 5th; crash at Oak and Main St."""
    begin = text.index(" ", start, end) + 1
    first = text[begin : text.index(" ", begin, end)]
    if first.lower() not in NOT_NAMES and not _NO_CORNER_AFTER.match(text_after(text, end)):
        yield Candidate(begin, end, Entity.STREET)


_CITY_BEHIND = re.compile(
    r"(?:,|\s|\n){1,3}(?P<city>[A-Z][A-Za-z.'\-]{1,20}(?: [A-Z][A-Za-z.'\-]{1,20}){0,3}?),? (?P<state>[A-Z]{2})\b\.?(?:,? (?P<zip>[0-9]{5}(?:-[0-9]{4})?)(?![0-9]))?"
)


def _city_behind(text: str, start: int) -> Iterator[Candidate]:
    match = _CITY_BEHIND.match(text, start, start + 80)
    if match and match.group("state") in STATES:
        yield Candidate(*match.span("city"), Entity.CITY, Strength.LABELLED)
        yield Candidate(*match.span("state"), Entity.STATE, Strength.LABELLED)
        if match.group("zip"):
            yield Candidate(*match.span("zip"), Entity.ZIP, Strength.LABELLED)


def _with_unit(text: str, start: int, end: int, strength: Strength = Strength.FORMAT) -> Iterator[Candidate]:
    unit = _UNIT.match(text, end, end + 24)
    stop = unit.end() if unit else end
    yield Candidate(start, stop, Entity.STREET, strength)
    yield from _city_behind(text, stop)


_NUMBERED_ROAD = (
    r"\b[0-9]{1,6} (?:Old )?(?:State |County |US |Rural )?(?:Route|Road|Rd\.?|Rte\.?|Rt\.?|Highway|Hwy\.?) [0-9]{1,4}[A-Z]?\b"
    r"|\b(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve|Fifteen|Twenty) (?:[A-Z][A-Za-z'.\-]{1,20} ){1,3}"
    r"(?:Street|Avenue|Road|Drive|Lane|Way|Place|Plaza|Square|Court|Boulevard|Parkway|Circle|St|Ave|Rd|Blvd)\b"
    r"|\b(?:PSC|Unit|UNIT|CMR|USNS|USS|USCGC|USNV) (?:[0-9]{1,5},? )?Box [0-9]{1,5}\b|\bPSC [0-9]{1,5}, Box [0-9]{1,5}\b"
)
_BOX = rf"(?i)\bp\.? ?o\.? ?box:? ?#? ?[0-9]{{1,6}}\b|\b(?:rr|rural route|hc) ?#? ?[0-9]{{1,3}},? box [0-9]{{1,5}}\b|(?-i:{_NUMBERED_ROAD})"


def read_box(text: str, start: int, end: int) -> Iterator[Candidate]:
    """PO Box 123, RR 2 Box 14, 12345 State Route 7, One Hospital Way."""
    yield from _with_unit(text, start, end, Strength.LABELLED)


_RARE = (
    r"(?:Annex|Arcade|Bayou|Beach|Bluffs?|Bottom|Branch|Bridge|Brooks?|Burgs?|Bypass|Camp|Canyon|Cape|Causeway|Cliffs?|Club|Common|Corners?|Course|Courts|Coves|Creek|Crest|Crossroads?|Curve|Dale|Dam|Divide"
    r"|Drives|Estates?|Expressway|Extensions?|Falls|Ferry|Fields?|Flats?|Fords?|Forest|Forges?|Forks?|Fort|Freeway|Gardens?|Gateway|Glens?|Greens?|Groves?|Harbors?|Haven|Hills|Hollow|Inlet|Islands?|Isle"
    r"|Junctions?|Keys?|Knolls?|Lakes?|Land|Light|Lights|Loaf|Locks?|Lodge|Mall|Manors?|Meadows?|Mills?|Mission|Motorway|Mount|Mountains?|Neck|Orchard|Oval|Overpass|Parks?|Parkways?|Pass|Passage|Pines?"
    r"|Plains?|Plazas?|Ports?|Prairie|Radial|Ramp|Ranch|Rapids?|Rest|Ridges|River|Roads|Route|Shoals?|Shores?|Skyway|Springs?|Squares|Station|Stravenue|Stream|Streets|Summit|Throughway|Trace|Track|Trafficway"
    r"|Tunnel|Turnpike|Underpass|Unions?|Valleys?|Via|Viaduct|Views?|Villages?|Ville|Vista|Walks|Ways|Wells?)"
)
"""The street suffixes of the United States Postal Service's Publication 28 that are everyday words too."""
_RARE_STREET = rf"\b[0-9]{{2,6}} (?:[A-Z][a-z'\-]{{1,20}} ){{1,3}}{_RARE}\b"


def read_rare_street(text: str, start: int, end: int) -> Iterator[Candidate]:
    """922 Kirby Port Apt. 12: a number, a name and a suffix that is an everyday word."""
    words = text[start:end].split()[1:-1]
    if text[start - 1 : start] in {"/", ".", "-", ":", "$", "#"} or not is_plain_name(words[0]) or len(words) > 2:
        return
    yield from _with_unit(text, start, end)


RULES = (
    Rule("street", _STREET, read_street),
    Rule("corner of two streets", _CORNER, read_corner),
    Rule("street with a rare suffix", _RARE_STREET, read_rare_street),
    Rule("post office box", _BOX, read_box),
)
