"""Streets, "City, ST ZIP", states, countries, rooms and roads."""

import re
from collections.abc import Iterator

from deid_tasks.detect.patterns.gazetteer import is_everyday, is_plain_name, medical_words, towns_in_states
from deid_tasks.detect.patterns.rule import Found, Rule, Strength, after, before
from deid_tasks.detect.patterns.words import NOT_NAMES, word_set
from deid_tasks.entities import Entity
from deid_tasks.reference import fold

STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado", "CT": "Connecticut", "DE": "Delaware",
    "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa",
    "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire", "NJ": "New Jersey",
    "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon",
    "PA": "Pennsylvania", "PR": "Puerto Rico", "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas",
    "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
_COUNTRIES = sorted(
    word_set(
        "Afghanistan Albania Algeria Angola Argentina Armenia Australia Austria Azerbaijan Bahamas Bahrain Bangladesh Barbados Belarus Belgium Belize Benin Bhutan Bolivia "
        "Bosnia Botswana Brazil Bulgaria Burma Burundi Cambodia Cameroon Canada Chile China Colombia Congo Croatia Cuba Cyprus Czechia Denmark Dominica Ecuador Egypt Eritrea "
        "Estonia Ethiopia Fiji Finland France Gabon Gambia Germany Ghana Greece Grenada Guatemala Guyana Haiti Honduras Hungary Iceland India Indonesia Iran Iraq Ireland Israel "
        "Italy Jamaica Japan Kazakhstan Kenya Kosovo Kuwait Kyrgyzstan Laos Latvia Lebanon Lesotho Liberia Libya Lithuania Luxembourg Madagascar Malawi Malaysia Maldives Malta "
        "Mauritania Mauritius Mexico Moldova Mongolia Montenegro Morocco Mozambique Myanmar Namibia Nepal Netherlands Nicaragua Nigeria Norway Oman Pakistan Panama Paraguay Peru "
        "Philippines Poland Portugal Qatar Romania Russia Rwanda Samoa Senegal Serbia Singapore Slovakia Slovenia Somalia Spain Sudan Suriname Sweden Switzerland Syria Taiwan "
        "Tajikistan Tanzania Thailand Togo Tonga Trinidad Tunisia Turkmenistan Uganda Ukraine Uruguay Uzbekistan Venezuela Vietnam Yemen Zambia Zimbabwe"
    )
)
_LONG_COUNTRIES = (
    "Antigua and Barbuda|Bosnia and Herzegovina|Burkina Faso|Cape Verde|Costa Rica|Czech Republic|Dominican Republic|El Salvador|Equatorial Guinea|Hong Kong|Ivory Coast|New Zealand|North Korea"
    "|North Macedonia|Papua New Guinea|Saudi Arabia|Sierra Leone|South Africa|South Korea|South Sudan|Sri Lanka|Trinidad and Tobago|United Arab Emirates|United Kingdom|United States(?: of America)?|Viet Nam"
)

_SUFFIX = r"street|st|avenue|ave|av|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|place|pl|terrace|ter|circle|cir|way|parkway|pkwy|highway|hwy|square|sq|trail|trl|turnpike|tpke|plaza|loop|alley|crossing|ridge|run|path|crescent|cres|walk|row|pike|mews|commons|landing|cove|point|hill|heights|bend|knoll"
_STREET = rf"(?i)\b[0-9]{{1,6}}[a-z]?(?:-[0-9]{{1,4}})?(?: 1/2)?,? (?:(?:n|s|e|w|ne|nw|se|sw|north|south|east|west)\.? )?(?:[a-z0-9'.\-]{{1,20}} ){{1,4}}(?:{_SUFFIX})\b"
_STREET_AT = re.compile(
    r"(?P<number>[0-9]{1,6}[A-Za-z]?(?:-[0-9]{1,4})?(?: 1/2)?),? (?P<name>(?:[A-Za-z0-9'.\-]{1,20} ){1,5}?)(?P<suffix>"
    + _SUFFIX
    + r")\b\.?(?P<side> (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\b\.?)?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r",?\s{1,2}(?:(?:apt|apartment|unit|ste|suite|bldg|building|fl|floor|lot|rm)\.? ?#?\s?[A-Z0-9\-]{1,6}|[0-9]{1,2}(?:st|nd|rd|th)? (?:fl|floor)|#\s?[A-Z0-9\-]{1,6})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_NO_STREET_WORD = word_set(
    """
    mg mcg ml cc mm cm kg lb lbs am pm a an the of in on by at to for with and or per is was year years yr yrs old yo month months week weeks day days hour hours hr hrs min mins minute minutes
    times time patient pt seen saw md rn np pa dr dr. mr mr. mrs mrs. ms ms. tab tabs tablet tablets cap caps capsule capsules dose doses units unit daily bid tid qid qhs prn po iv im sq sc right left
    lesion mass nodule nodules stone stones from scan scans chest head abdomen pelvis ct mri cxr refills refill visits visit male female year-old woman man she he had has x no non noted feet ft
    fr french inch inches pounds percent grade stage type level levels episodes packs pack beers drinks drink liters liter prior steps step flights block blocks miles mile mph days' weeks' first this that
    january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec down off only then
    """
)
_WEAK_SUFFIXES = word_set(
    "st ct dr pl way run path walk row point hill bend ridge crossing ter sq av loop cove landing heights knoll commons place court square"
)


def read_street(text: str, start: int, end: int) -> Iterator[Found]:
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
        and not (numbered and suffix.lower() not in _WEAK_SUFFIXES)
        and not (
            len(words) <= 2
            and suffix.lower() not in _WEAK_SUFFIXES
            and re.search(r"(?:lives? (?:at|on)|address:?|home:?|resides at|at|m,|[0-9],) $", before(text, start))
        )
    ):
        return
    if any(word.isdigit() for word in plain) or (
        not numbered and not any(len(word) > 1 and word[0].isalpha() for word in plain)
    ):
        return
    if is_upper and (any(word in NOT_NAMES for word in plain) or (suffix.lower() in _WEAK_SUFFIXES and len(words) > 2)):
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
    yield Found(start - len(flat.group()) if flat else start, stop, Entity.STREET, Strength.LABELLED)
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


def read_corner(text: str, start: int, end: int) -> Iterator[Found]:
    """the drugstore on Elm & 5th; crash at Oak and Main St."""
    begin = text.index(" ", start, end) + 1
    first = text[begin : text.index(" ", begin, end)]
    if first.lower() not in NOT_NAMES and not _NO_CORNER_AFTER.match(after(text, end)):
        yield Found(begin, end, Entity.STREET)


_CITY_BEHIND = re.compile(
    r"(?:,|\s|\n){1,3}(?P<city>[A-Z][A-Za-z.'\-]{1,20}(?: [A-Z][A-Za-z.'\-]{1,20}){0,3}?),? (?P<state>[A-Z]{2})\b\.?(?:,? (?P<zip>[0-9]{5}(?:-[0-9]{4})?)(?![0-9]))?"
)


def _city_behind(text: str, start: int) -> Iterator[Found]:
    match = _CITY_BEHIND.match(text, start, start + 80)
    if match and match.group("state") in STATES:
        yield Found(*match.span("city"), Entity.CITY, Strength.LABELLED)
        yield Found(*match.span("state"), Entity.STATE, Strength.LABELLED)
        if match.group("zip"):
            yield Found(*match.span("zip"), Entity.ZIP, Strength.LABELLED)


_NUMBERED_ROAD = (
    r"\b[0-9]{1,6} (?:Old )?(?:State |County |US |Rural )?(?:Route|Road|Rd\.?|Rte\.?|Rt\.?|Highway|Hwy\.?) [0-9]{1,4}[A-Z]?\b"
    r"|\b(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve|Fifteen|Twenty) (?:[A-Z][A-Za-z'.\-]{1,20} ){1,3}"
    r"(?:Street|Avenue|Road|Drive|Lane|Way|Place|Plaza|Square|Court|Boulevard|Parkway|Circle|St|Ave|Rd|Blvd)\b"
    r"|\b(?:PSC|Unit|UNIT|CMR|USNS|USS|USCGC|USNV) (?:[0-9]{1,5},? )?Box [0-9]{1,5}\b|\bPSC [0-9]{1,5}, Box [0-9]{1,5}\b"
)
_BOX = rf"(?i)\bp\.? ?o\.? ?box:? ?#? ?[0-9]{{1,6}}\b|\b(?:rr|rural route|hc) ?#? ?[0-9]{{1,3}},? box [0-9]{{1,5}}\b|(?-i:{_NUMBERED_ROAD})"


def read_box(text: str, start: int, end: int) -> Iterator[Found]:
    """PO Box 123, RR 2 Box 14, 12345 State Route 7, One Hospital Way."""
    unit = _UNIT.match(text, end, end + 24)
    stop = unit.end() if unit else end
    yield Found(start, stop, Entity.STREET, Strength.LABELLED)
    yield from _city_behind(text, stop)


_RARE = (
    r"(?:Annex|Arcade|Bayou|Beach|Bluffs?|Bottom|Branch|Bridge|Brooks?|Burgs?|Bypass|Camp|Canyon|Cape|Causeway|Cliffs?|Club|Common|Corners?|Course|Courts|Coves|Creek|Crest|Crossroads?|Curve|Dale|Dam|Divide"
    r"|Drives|Estates?|Expressway|Extensions?|Falls|Ferry|Fields?|Flats?|Fords?|Forest|Forges?|Forks?|Fort|Freeway|Gardens?|Gateway|Glens?|Greens?|Groves?|Harbors?|Haven|Hills|Hollow|Inlet|Islands?|Isle"
    r"|Junctions?|Keys?|Knolls?|Lakes?|Land|Light|Lights|Loaf|Locks?|Lodge|Mall|Manors?|Meadows?|Mills?|Mission|Motorway|Mount|Mountains?|Neck|Orchard|Oval|Overpass|Parks?|Parkways?|Pass|Passage|Pines?"
    r"|Plains?|Plazas?|Ports?|Prairie|Radial|Ramp|Ranch|Rapids?|Rest|Ridges|River|Roads|Route|Shoals?|Shores?|Skyway|Springs?|Squares|Station|Stravenue|Stream|Streets|Summit|Throughway|Trace|Track|Trafficway"
    r"|Tunnel|Turnpike|Underpass|Unions?|Valleys?|Via|Viaduct|Views?|Villages?|Ville|Vista|Walks|Ways|Wells?)"
)
"""The street suffixes of the United States Postal Service's Publication 28 that are everyday words too."""
_RARE_STREET = rf"\b[0-9]{{2,6}} (?:[A-Z][a-z'\-]{{1,20}} ){{1,3}}{_RARE}\b"


def read_rare_street(text: str, start: int, end: int) -> Iterator[Found]:
    """922 Kirby Port Apt. 12: a number, a name and a suffix that is an everyday word."""
    words = text[start:end].split()[1:-1]
    if text[start - 1 : start] in {"/", ".", "-", ":", "$", "#"} or not is_plain_name(words[0]) or len(words) > 2:
        return
    unit = _UNIT.match(text, end, end + 24)
    stop = unit.end() if unit else end
    yield Found(start, stop, Entity.STREET)
    yield from _city_behind(text, stop)


_STATE_CODES = "|".join(STATES)
_CITY_STATE = rf"(?i)\b(?:[a-z][a-z.'\-]{{1,20}} ){{0,2}}[a-z][a-z.'\-]{{1,20}}(?:,\s{{0,2}}| )(?:{_STATE_CODES}|(?:{'|'.join(STATES.values())}))\.?,?\s{{1,2}}[0-9]{{5}}(?:-[0-9]{{4}})?\b|\b[A-Z][A-Za-z.'\-]{{1,20}}, (?-i:{_STATE_CODES})\b"
_CITY_STATE_AT = re.compile(
    r"(?P<city>[A-Za-z][A-Za-z.'\-]{1,20}(?: [A-Za-z][A-Za-z.'\-]{1,20}){0,2}),?\s{1,2}(?P<state>"
    + _STATE_CODES
    + "|"
    + "|".join(STATES.values())
    + r")(?:\.?,?\s{1,2}(?P<zip>[0-9]{5}(?:-[0-9]{4})?)(?![0-9]))?\b",
    re.IGNORECASE,
)
_SUFFIX_WORD = re.compile(rf"(?:{_SUFFIX})[.,]?", re.IGNORECASE)
_CITY_LEFT = re.compile(r"(?:(?:St|Ft|Mt|Ste)\. |[A-Z][A-Za-z.'\-]{1,20} ){1,2}$")
_CREDENTIAL_CODES = frozenset(
    {"MD", "PA", "MA", "MS", "DC", "OR", "IN", "ME", "OK", "CT", "ID", "DE", "CO", "AL", "LA", "PR", "HI", "ND"}
)
_CREDENTIALS = frozenset({"MD", "PA", "MA", "MS", "NP"})
_BEFORE_CITY = re.compile(
    r"(?:^|[^a-z])(?:in|from|of|to|near|at|outside|lives|live|living|city|town|moved|born|around|visiting|visited|address|via|toward|towards|between|and|or|hometown|residence|location|resident)\s{1,2}(?:[a-z.]{2,14} ){0,2}$"
)
_NO_CITY_WORD = word_set(
    "in from of to near at lives live living the a an address zip home city town residence moved resides and phone located county dr mr mrs ms was is she he"
)


_WITHOUT_COMMA = rf"(?m)(?:Hospital|Center|Clinic|Infirmary|University|College|\b(?:St|Ave|Rd|Dr|Ln|Blvd|Ct|Pl|Way|Hwy)\.?|[0-9]), (?:[A-Z][a-z'\-]{{2,20}} ){{1,2}}(?:{_STATE_CODES})(?:[ \t]{{0,4}}$| {{2}}|,)"
_WITHOUT_COMMA_PARTS = re.compile(rf", (?P<city>[A-Z][A-Za-z' \-]{{2,41}}) (?P<state>{_STATE_CODES})(?:\s*|,)$")


def read_city_behind_house(text: str, start: int, end: int) -> Iterator[Found]:
    """Mercy Hospital, Springfield OR: a town behind a house or a street, at the end of a line or a column."""
    match = _WITHOUT_COMMA_PARTS.search(text, start, end)
    if match and match["state"] not in _CREDENTIALS:
        yield Found(*match.span("city"), Entity.CITY)
        yield Found(*match.span("state"), Entity.STATE)


def read_city_state(text: str, start: int, end: int) -> Iterator[Found]:
    """Boston, MA 02115; without the ZIP only where the words in front speak of a place."""
    match = _CITY_STATE_AT.match(text, start, end)
    if match is None:
        return
    city_start, city_end = match.span("city")
    state = match.group("state")
    if match.group("zip"):
        words = list(re.finditer(r"\S+", text[city_start:city_end]))
        keep = len(words)
        while (
            keep
            and words[keep - 1].group().lower().strip(".,") not in _NO_CITY_WORD
            and (words[keep - 1].group()[0].isupper() or match.group("city").islower())
        ):
            keep -= 1
        if re.search(
            r"(?:^|[^0-9])[0-9]{1,6}[a-z]?,? (?:\S+ ){0,3}$",
            before(text, city_start + words[min(keep, len(words) - 1)].start()),
        ):
            suffixes = [i for i, word in enumerate(words[:-1]) if i >= keep and _SUFFIX_WORD.fullmatch(word.group())]
            keep = max([keep, *[i + 1 for i in suffixes]])
        if keep == len(words) or (state == "ID" and text[city_end] != "," and words[-1].group().lower() in NOT_NAMES):
            return
        city_start += words[keep].start()
        yield Found(city_start, city_end, Entity.CITY, Strength.LABELLED)
        yield Found(*match.span("state"), Entity.STATE, Strength.LABELLED)
        yield Found(*match.span("zip"), Entity.ZIP, Strength.LABELLED)
        return
    if (
        state not in STATES
        or text[city_end : city_end + 1] != ","
        or (state == "ID" and re.match(r"[ :#]{0,3}[A-Z]{0,3}[0-9]", text[match.end() : match.end() + 7]))
        or (
            text[match.end() : match.end() + 1] in {".", "-"}
            and state in _CREDENTIAL_CODES
            and not _BEFORE_CITY.search(before(text, city_start))
        )
    ):
        return
    left = _CITY_LEFT.search(text[max(0, city_start - 44) : city_start])
    low = city_start - len(left.group()) if left else city_start
    while low < city_start and text[low:city_start].split(" ", 1)[0].lower() in _NO_CITY_WORD:
        low = text.index(" ", low) + 1
    if _BEFORE_CITY.search(before(text, low)) or re.search(
        r"(?:^|[^A-Za-z])(?:In|From|Of|To|Near|At)\s$", text[max(0, low - 6) : low]
    ):
        yield Found(low, city_end, Entity.CITY, Strength.FORMAT)
        yield Found(*match.span("state"), Entity.STATE, Strength.FORMAT)


_STATE_NAME = rf"\b(?:{'|'.join(name for name in STATES.values())})\b"
_NAME_TOO = frozenset({"Virginia", "Georgia", "Washington", "Montana", "Dakota", "Carolina"})


def read_state(text: str, start: int, end: int) -> Iterator[Found]:
    """A state's name."""
    if text[start:end] in _NAME_TOO and not re.search(
        r"(?:in|from|to|of|,|near|through|outside)\s$", before(text, start, 12)
    ):
        return
    if re.match(
        r"['’]s\b| (?:[A-Z][a-z]+ )?(?:University|Hospital|Scale|Verbal|Virus|Ave|Avenue|St|Street|Road|Rd)\b",
        text[end : end + 24],
    ):
        return
    yield Found(start, end, Entity.STATE)


_STATE_OF = (
    rf"\b(?:{_STATE_CODES}) (?:[Tt]ags?|TAG|[Pp]lates?|PLATE|DL|[Ll]ic(?:ense)?\.?)(?: (?:[Nn]o\.?|#))?[ :#]{{1,3}}[A-Z0-9]"
    rf"|\b(?:N\. ?[YJHMCD]|S\. ?[CD]|R\. ?I|D\. ?C|W\. ?Va)\.,? [0-9]{{5}}\b|\b[A-Z][a-z]{{2,15}}, (?:N\. ?[YJH]|R\. ?I)\."
)
_DOTTED = re.compile(r"(?:N\. ?[YJHMCD]|S\. ?[CD]|R\. ?I|D\. ?C|W\. ?Va)\.")


def read_state_of(text: str, start: int, end: int) -> Iterator[Found]:
    """TN lic MD-0047713; OK tag LRT-905; N.Y. 10701."""
    dotted = _DOTTED.search(text, start, end)
    if dotted is None:
        state, label = text[start : start + 2], text[start + 3 : start + 6].lower()
        if state not in ({"OR", "DC", *_CREDENTIALS} if label == "lic" else {"OR", "ID", "IN"}):
            yield Found(start, start + 2, Entity.STATE, Strength.LABELLED)
        return
    yield Found(*dotted.span(), Entity.STATE, Strength.LABELLED)
    if text[end - 1].isdigit() and text[end : end + 1] != "-":
        yield Found(end - 5, end, Entity.ZIP, Strength.LABELLED)


_TOWN_IN_STATE = rf"\b[A-Z][a-z'\-]{{2,20}}(?: [A-Z][a-z'\-]{{2,20}})?,? (?:{_STATE_CODES})\b"
_PLAIN_CODES = frozenset(
    {"NY", "NJ", "NH", "NM", "NV", "TX", "TN", "WY", "WV", "WI", "UT", "KS", "KY", "IA", "IL", "FL", "AZ", "MN"}
)
"""Codes of states that are no abbreviation of medicine."""
_TITLE_BEFORE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|MR|MRS|MS|DR)\.? $")
_SCANNED = re.compile(r" (?:scan|head|chest|abd|brain|w/|with|neg|show|angio|guid)")


def read_town_in_state(text: str, start: int, end: int) -> Iterator[Found]:
    """home Burlington VT 8/13: a town and the state where the list of towns has it."""
    state, name = text[end - 2 : end], text[start : end - 3].rstrip(",")
    if state in _CREDENTIALS | {"OR"} or (state == "CT" and _SCANNED.match(after(text, end))):
        return
    for town in (name, name.rsplit(" ", maxsplit=1)[-1]):
        if (fold(town), state) in towns_in_states():
            is_word = " " not in town and (is_everyday(town) or fold(town) in medical_words())
            if (
                is_word and "," not in text[start:end] and (state not in _PLAIN_CODES or fold(town) in medical_words())
            ) or _TITLE_BEFORE.search(text[max(0, start - 8) : start]):
                return
            low = end - 3 - (len(text[start : end - 3]) - len(name)) - len(town)
            yield Found(low, low + len(town), Entity.CITY)
            yield Found(end - 2, end, Entity.STATE)
            return


_COUNTRY = rf"\b(?:{'|'.join(_COUNTRIES)}|{_LONG_COUNTRIES}|USA|U\.S\.A\.)(?:\b|\.)|(?:from|in|to|visited|born in|through|of|travel(?:ed)? to) (?:Turkey|Jordan|Chad|Mali|Niger|Guinea|Georgia|UK|the UK|the US)\b"
_NOT_A_COUNTRY = re.compile(
    r"(?:\s(?:ink|virus|score|staging|classification|spice|syndrome|nut|nuts|encephalitis|criteria|street|st|ave|avenue|general|green|hospital|university)\b|-pugh|-barr)"
)


def read_country(text: str, start: int, end: int) -> Iterator[Found]:
    """A country's name."""
    if _NOT_A_COUNTRY.match(after(text, end)):
        return
    value = text[start:end]
    if value[0].islower():
        word = value.split()[-1]
        yield Found(end - len(word), end, Entity.COUNTRY)
    else:
        stop = end - 1 if value.endswith(".") and not value.startswith("U.") else end
        if value[:4] != "Cuba" or value == "Cuba":
            yield Found(start, stop, Entity.COUNTRY)


_POSTCODE = r"\b[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][ABD-HJLNP-UW-Z]{2}\b|\b[ABCEGHJ-NPRSTVXY][0-9][A-Z] [0-9][A-Z][0-9]\b"
_NO_POSTCODE = re.compile(r"[0-9](?:ST|ND|RD|TH|HR|LB|YR|PT|TB|NS|LR|BD)$")


def read_postcode(text: str, start: int, end: int) -> Iterator[Found]:
    """HR1 7QX and J4K 2T5: postcodes of Britain and Canada."""
    is_behind_place = re.search(
        r"(?:[A-Z][a-z'\-]{2,20},? {1,2}|\n[ \t]*|[A-Z]{4} {1,2}|\([A-Z]{2}\),? )$", text[max(0, start - 26) : start]
    )
    if is_behind_place and not _NO_POSTCODE.search(text, start, end) and text[end : end + 1] not in {"-", "/"}:
        yield Found(start, end, Entity.ZIP)


_ZIP = r"(?i)\bzip(?: ?code)?:? ?[0-9]{5}(?:-[0-9]{4})?\b|\b[0-9]{5}-[0-9]{4}\b"


def read_zip(text: str, start: int, end: int) -> Iterator[Found]:
    """A labelled ZIP code, or one with its four figures more."""
    match = re.compile(r"[0-9]{5}(?:-[0-9]{4})?$").search(text, start, end)
    if match and text[start - 1 : start] not in {"-", "/"} and text[end : end + 1] != "-":
        yield Found(match.start(), end, Entity.ZIP, Strength.LABELLED if text[start].isalpha() else Strength.WEAK)


_ROOM = (
    r"\b(?:[Rr]oom/[Bb]ed|ROOM/BED|Rm|RM|rm|Room|ROOM|room|Bed|BED|bed|Bay|BAY|Ward|WARD|ward|Pod|POD|Hallway|Floor|Unit|UNIT|Suite|Ste|Desk|Door|OR|Cubicle|Locker|bay|Theatre|THEATRE|theatre|Chair|CHAIR)(?:\.? ?#?:? ?|\.{2,14} ?)(?:[A-Z]{1,4}-?)?[0-9]{1,4}[A-Z]{0,2}(?:-[0-9A-Z]{1,4})?\b"
    r"|\b(?:LDRP?|PACU|[SMCNP]ICU|CVICU|CTICU|CCU) [0-9]{1,3}\b|\b(?:(?:[Cc]ath|CATH|EP|IR) (?:lab|Lab|LAB)|[Ss]uite|SUITE) [A-H0-9]\b"
    r"|\b(?:Bed|BED|bed|Bay|Pod) [A-H]\b|\b[0-9]{1,2} ?(?:North|South|East|West|NORTH|SOUTH|EAST|WEST)(?:[ \-][0-9]{1,4}[A-Z]?)?\b|\b[1-9]00 [Hh]all\b"
)
_SHORT_LABEL = re.compile(
    r"(?:or|theatre|chair) [0-9]$|(?:ldrp?|pacu|[smcnp]icu|cvicu|cticu|ccu) |(?:cath|ep|ir) lab |suite [a-h0-9]$"
)
_ROOM_TAIL = re.compile(r"[.,;:)\n|]| ?$| {2}| (?:-|for\b|with\b|w/|at\b|by\b|@)")
_RATIO_AFTER = re.compile(r"[,;]? ?[(\[]?(?:95|99|CI\b|[pP] ?[<=])")
"""Behind an odds ratio: OR 4, 95% CI."""
_ROOM_LEAD = re.compile(
    r"(?:^|\n|  |[,:;>(|]\s?|\b(?:[Tt]o|[Ii]n|[Ff]rom|[Aa]t|[Aa]dmit|[Rr]m|[Oo]utpatients?|[Cc]linics?|[Aa]ngio|[Ii]nto|TO|IN|FROM|@) )$"
)
"""Around a label that is an everyday word or a ward too, with a single figure behind it: to OR 4."""
_ROOM_BEFORE_BED = re.compile(
    r"(?:^|[^a-z])(?:(?:rm|room|ward|unit|bay|pod)\.? ?[a-z0-9\-]{1,6}|triage|[a-z]{0,2}icu|pacu|ccu|ldr|ed|er),? $"
)
_LOCATED = re.compile(r"(?:location|loc):\s{0,3}$")
_ROOM_CODE = re.compile(r"[A-Z0-9][A-Z0-9\-]{0,11}$")


def read_room(text: str, start: int, end: int) -> Iterator[Found]:
    """Rm 412B, Bed 3, 4 West."""
    if text[start - 1 : start] in {".", "/", "-"} or re.match(
        r"\s?(?:mg|ml|units?|hours|days|weeks|of|x\b|%|/|\.\d|feet|degrees|times|minutes|am|pm|st|nd|rd|th)",
        after(text, end),
    ):
        return
    label = text[start:end].lower()
    if _SHORT_LABEL.match(label):
        if (
            _ROOM_TAIL.match(text, end, end + 8)
            and not _RATIO_AFTER.match(text, end, end + 8)
            and _ROOM_LEAD.search(text[max(0, start - 16) : start])
        ):
            yield Found(text.rfind(" ", start, end) + 1, end, Entity.LOCATION_OTHER)
        return
    if label.startswith(("or", "unit", "door", "desk", "pod", "floor", "theatre", "chair")) and not re.search(
        r"[0-9]{2}|[a-z]-?[0-9]|#|[0-9][a-z]", label.split(maxsplit=1)[-1]
    ):
        return
    if before(text, start, 10).endswith("operating "):
        return
    if label.startswith("pod") and re.search(r"[0-9]", label) and not re.match(r"[Pp]od [A-H]-?[0-9]", text[start:end]):
        return  # postoperative day
    if label[0].isdigit() and not re.search(
        r"(?:^|[^a-z])(?:to|on|from|unit|floor|ward|room|location|loc|dept|at|in)[\s:]{1,2}$", before(text, start)
    ):
        return
    code = _ROOM_CODE.search(text, start, end)
    if (
        label[0].isdigit()
        or code is None
        or (
            text[start].isupper()
            and not text[start : start + 2].isupper()
            and code.group().isdigit()
            and not (label.startswith(("chair", "theatre")) or _LOCATED.search(before(text, start)))
        )
    ):
        yield Found(start, end, Entity.LOCATION_OTHER)
    elif not (label.startswith("bed") and len(code.group()) < 3) or _ROOM_BEFORE_BED.search(before(text, start)):
        yield Found(code.start(), end, Entity.LOCATION_OTHER)


_WARD = r"\b[0-9]{1,2}[A-Z]{1,3}-[0-9]{1,3}[A-Z]?\b"


def read_ward(text: str, start: int, end: int) -> Iterator[Found]:
    """4W-12: floor, wing and room."""
    if text[start - 1 : start] not in {"-", ".", "/"} and text[end : end + 1] not in {"-", "/"}:
        yield Found(start, end, Entity.LOCATION_OTHER)


_ROAD = r"\b(?:Interstate|Route|Rte\.?|Rt\.?|Highway|Hwy\.?|US|State Road) ?-?[0-9]{1,4}\b|\bI-[0-9]{2,3}\b|\b[Mm]ile ?[Mm](?:arker|ile) [0-9]{1,3}\b"


def read_road(text: str, start: int, end: int) -> Iterator[Found]:
    """Route 128, I-95; iodine isotopes are not roads."""
    if (
        text[start:end] in {"I-131", "I-123", "I-125", "I-124", "I-129", "I-127"}
        or text[end : end + 1] in {"/", "%", ":"}
        or re.match(r"\s?(?:therapy|scan|uptake|ablation)", after(text, end))
    ):
        return
    if not text[start:end].startswith("US") or re.search(r"(?:on|along|off|via|near)\s$", before(text, start, 8)):
        yield Found(start, end, Entity.LOCATION_OTHER)


RULES = (
    Rule("street", _STREET, read_street),
    Rule("corner of two streets", _CORNER, read_corner),
    Rule("street with a rare suffix", _RARE_STREET, read_rare_street),
    Rule("post office box", _BOX, read_box),
    Rule("city behind a house", _WITHOUT_COMMA, read_city_behind_house),
    Rule("city and state", _CITY_STATE, read_city_state),
    Rule("state", _STATE_NAME, read_state),
    Rule("state of a licence, a plate or a ZIP code", _STATE_OF, read_state_of),
    Rule("town and state", _TOWN_IN_STATE, read_town_in_state),
    Rule("country", _COUNTRY, read_country),
    Rule("postcode", _POSTCODE, read_postcode),
    Rule("zip", _ZIP, read_zip),
    Rule("room", _ROOM, read_room),
    Rule("ward", _WARD, read_ward),
    Rule("road", _ROAD, read_road),
)
