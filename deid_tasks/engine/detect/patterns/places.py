"""Cities with their states, states, countries, postcodes, rooms and roads."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.reference_words import is_everyday_word, medical_term_words, us_towns_with_states
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.streets import STATES, SUFFIX
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, split_words

_COUNTRIES = sorted(
    split_words(
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
SUFFIX_WORD = re.compile(rf"(?:{SUFFIX})[.,]?", re.IGNORECASE)
_CITY_LEFT = re.compile(r"(?:(?:St|Ft|Mt|Ste)\. |[A-Z][A-Za-z.'\-]{1,20} ){1,2}$")
_CREDENTIAL_CODES = frozenset(
    {"MD", "PA", "MA", "MS", "DC", "OR", "IN", "ME", "OK", "CT", "ID", "DE", "CO", "AL", "LA", "PR", "HI", "ND"}
)
_CREDENTIALS = frozenset({"MD", "PA", "MA", "MS", "NP"})
_BEFORE_CITY = re.compile(
    r"(?:^|[^a-z])(?:in|from|of|to|near|at|outside|lives|live|living|city|town|moved|born|around|visiting|visited|address|via|toward|towards|between|and|or|hometown|residence|location|resident)\s{1,2}(?:[a-z.]{2,14} ){0,2}$"
)
_NO_CITY_WORD = split_words(
    "in from of to near at lives live living the a an address zip home city town residence moved resides and phone located county dr mr mrs ms was is she he"
)


_WITHOUT_COMMA = rf"(?m)(?:Hospital|Center|Clinic|Infirmary|University|College|\b(?:St|Ave|Rd|Dr|Ln|Blvd|Ct|Pl|Way|Hwy)\.?|[0-9]), (?:[A-Z][a-z'\-]{{2,20}} ){{1,2}}(?:{_STATE_CODES})(?:[ \t]{{0,4}}$| {{2}}|,)"
_WITHOUT_COMMA_PARTS = re.compile(rf", (?P<city>[A-Z][A-Za-z' \-]{{2,41}}) (?P<state>{_STATE_CODES})(?:\s*|,)$")


def read_city_behind_house(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Mercy Hospital, Springfield OR: a town behind a house or a street, at the end of a line or a column."""
    match = _WITHOUT_COMMA_PARTS.search(text, start, end)
    if match and match["state"] not in _CREDENTIALS:
        yield Candidate(*match.span("city"), Entity.CITY)
        yield Candidate(*match.span("state"), Entity.STATE)


def read_city_state(text: str, start: int, end: int) -> Iterator[Candidate]:
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
            text_before(text, city_start + words[min(keep, len(words) - 1)].start()),
        ):
            suffixes = [i for i, word in enumerate(words[:-1]) if i >= keep and SUFFIX_WORD.fullmatch(word.group())]
            keep = max([keep, *[i + 1 for i in suffixes]])
        if keep == len(words) or (state == "ID" and text[city_end] != "," and words[-1].group().lower() in NOT_NAMES):
            return
        city_start += words[keep].start()
        yield Candidate(city_start, city_end, Entity.CITY, Strength.LABELLED)
        yield Candidate(*match.span("state"), Entity.STATE, Strength.LABELLED)
        yield Candidate(*match.span("zip"), Entity.ZIP, Strength.LABELLED)
        return
    if (
        state not in STATES
        or text[city_end : city_end + 1] != ","
        or (state == "ID" and re.match(r"[ :#]{0,3}[A-Z]{0,3}[0-9]", text[match.end() : match.end() + 7]))
        or (
            text[match.end() : match.end() + 1] in {".", "-"}
            and state in _CREDENTIAL_CODES
            and not _BEFORE_CITY.search(text_before(text, city_start))
        )
    ):
        return
    left = _CITY_LEFT.search(text[max(0, city_start - 44) : city_start])
    low = city_start - len(left.group()) if left else city_start
    while low < city_start and text[low:city_start].split(" ", 1)[0].lower() in _NO_CITY_WORD:
        low = text.index(" ", low) + 1
    if _BEFORE_CITY.search(text_before(text, low)) or re.search(
        r"(?:^|[^A-Za-z])(?:In|From|Of|To|Near|At)\s$", text[max(0, low - 6) : low]
    ):
        yield Candidate(low, city_end, Entity.CITY, Strength.FORMAT)
        yield Candidate(*match.span("state"), Entity.STATE, Strength.FORMAT)


_STATE_NAME = rf"\b(?:{'|'.join(name for name in STATES.values())})\b"
_NAME_TOO = frozenset({"Virginia", "Georgia", "Washington", "Montana", "Dakota", "Carolina"})


def read_state(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A state's name."""
    if text[start:end] in _NAME_TOO and not re.search(
        r"(?:in|from|to|of|,|near|through|outside)\s$", text_before(text, start, 12)
    ):
        return
    if re.match(
        r"['’]s\b| (?:[A-Z][a-z]+ )?(?:University|Hospital|Scale|Verbal|Virus|Ave|Avenue|St|Street|Road|Rd)\b",
        text[end : end + 24],
    ):
        return
    yield Candidate(start, end, Entity.STATE)


_STATE_OF = (
    rf"\b(?:{_STATE_CODES}) (?:[Tt]ags?|TAG|[Pp]lates?|PLATE|DL|[Ll]ic(?:ense)?\.?)(?: (?:[Nn]o\.?|#))?[ :#]{{1,3}}[A-Z0-9]"
    rf"|\b(?:N\. ?[YJHMCD]|S\. ?[CD]|R\. ?I|D\. ?C|W\. ?Va)\.,? [0-9]{{5}}\b|\b[A-Z][a-z]{{2,15}}, (?:N\. ?[YJH]|R\. ?I)\."
)
_DOTTED = re.compile(r"(?:N\. ?[YJHMCD]|S\. ?[CD]|R\. ?I|D\. ?C|W\. ?Va)\.")


def read_state_of(text: str, start: int, end: int) -> Iterator[Candidate]:
    """TN lic MD-0047713; OK tag LRT-905; N.Y. 10701."""
    dotted = _DOTTED.search(text, start, end)
    if dotted is None:
        state, label = text[start : start + 2], text[start + 3 : start + 6].lower()
        if state not in ({"OR", "DC", *_CREDENTIALS} if label == "lic" else {"OR", "ID", "IN"}):
            yield Candidate(start, start + 2, Entity.STATE, Strength.LABELLED)
        return
    yield Candidate(*dotted.span(), Entity.STATE, Strength.LABELLED)
    if text[end - 1].isdigit() and text[end : end + 1] != "-":
        yield Candidate(end - 5, end, Entity.ZIP, Strength.LABELLED)


_TOWN_IN_STATE = rf"\b[A-Z][a-z'\-]{{2,20}}(?: [A-Z][a-z'\-]{{2,20}})?,? (?:{_STATE_CODES})\b"
_PLAIN_CODES = frozenset(
    {"NY", "NJ", "NH", "NM", "NV", "TX", "TN", "WY", "WV", "WI", "UT", "KS", "KY", "IA", "IL", "FL", "AZ", "MN"}
)
"""Codes of states that are no abbreviation of medicine."""
_TITLE_BEFORE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|MR|MRS|MS|DR)\.? $")
_SCANNED = re.compile(r" (?:scan|head|chest|abd|brain|w/|with|neg|show|angio|guid)")


def read_town_in_state(text: str, start: int, end: int) -> Iterator[Candidate]:
    """home Burlington VT 8/13: a town and the state where the list of towns has it."""
    state, name = text[end - 2 : end], text[start : end - 3].rstrip(",")
    if state in _CREDENTIALS | {"OR"} or (state == "CT" and _SCANNED.match(text_after(text, end))):
        return
    for town in (name, name.rsplit(" ", maxsplit=1)[-1]):
        if (fold(town), state) in us_towns_with_states():
            is_word = " " not in town and (is_everyday_word(town) or fold(town) in medical_term_words())
            if (
                is_word
                and "," not in text[start:end]
                and (state not in _PLAIN_CODES or fold(town) in medical_term_words())
            ) or _TITLE_BEFORE.search(text[max(0, start - 8) : start]):
                return
            low = end - 3 - (len(text[start : end - 3]) - len(name)) - len(town)
            yield Candidate(low, low + len(town), Entity.CITY)
            yield Candidate(end - 2, end, Entity.STATE)
            return


_COUNTRY = rf"\b(?:{'|'.join(_COUNTRIES)}|{_LONG_COUNTRIES}|USA|U\.S\.A\.)(?:\b|\.)|(?:from|in|to|visited|born in|through|of|travel(?:ed)? to) (?:Turkey|Jordan|Chad|Mali|Niger|Guinea|Georgia|UK|the UK|the US)\b"
_NOT_A_COUNTRY = re.compile(
    r"(?:\s(?:ink|virus|score|staging|classification|spice|syndrome|nut|nuts|encephalitis|criteria|street|st|ave|avenue|general|green|hospital|university)\b|-pugh|-barr)"
)


def read_country(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A country's name."""
    if _NOT_A_COUNTRY.match(text_after(text, end)):
        return
    value = text[start:end]
    if value[0].islower():
        word = value.split()[-1]
        yield Candidate(end - len(word), end, Entity.COUNTRY)
    else:
        stop = end - 1 if value.endswith(".") and not value.startswith("U.") else end
        if value[:4] != "Cuba" or value == "Cuba":
            yield Candidate(start, stop, Entity.COUNTRY)


_POSTCODE = r"\b[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][ABD-HJLNP-UW-Z]{2}\b|\b[ABCEGHJ-NPRSTVXY][0-9][A-Z] [0-9][A-Z][0-9]\b"
_NO_POSTCODE = re.compile(r"[0-9](?:ST|ND|RD|TH|HR|LB|YR|PT|TB|NS|LR|BD)$")


def read_postcode(text: str, start: int, end: int) -> Iterator[Candidate]:
    """HR1 7QX and J4K 2T5: postcodes of Britain and Canada."""
    is_behind_place = re.search(
        r"(?:[A-Z][a-z'\-]{2,20},? {1,2}|\n[ \t]*|[A-Z]{4} {1,2}|\([A-Z]{2}\),? )$", text[max(0, start - 26) : start]
    )
    if is_behind_place and not _NO_POSTCODE.search(text, start, end) and text[end : end + 1] not in {"-", "/"}:
        yield Candidate(start, end, Entity.ZIP)


_ZIP = r"(?i)\bzip(?: ?code)?:? ?[0-9]{5}(?:-[0-9]{4})?\b|\b[0-9]{5}-[0-9]{4}\b"


def read_zip(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A labelled ZIP code, or one with its four figures more."""
    match = re.compile(r"[0-9]{5}(?:-[0-9]{4})?$").search(text, start, end)
    if match and text[start - 1 : start] not in {"-", "/"} and text[end : end + 1] != "-":
        yield Candidate(match.start(), end, Entity.ZIP, Strength.LABELLED if text[start].isalpha() else Strength.WEAK)


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


def read_room(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Rm 412B, Bed 3, 4 West."""
    if text[start - 1 : start] in {".", "/", "-"} or re.match(
        r"\s?(?:mg|ml|units?|hours|days|weeks|of|x\b|%|/|\.\d|feet|degrees|times|minutes|am|pm|st|nd|rd|th)",
        text_after(text, end),
    ):
        return
    label = text[start:end].lower()
    if _SHORT_LABEL.match(label):
        if (
            _ROOM_TAIL.match(text, end, end + 8)
            and not _RATIO_AFTER.match(text, end, end + 8)
            and _ROOM_LEAD.search(text[max(0, start - 16) : start])
        ):
            yield Candidate(text.rfind(" ", start, end) + 1, end, Entity.LOCATION_OTHER)
        return
    if label.startswith(("or", "unit", "door", "desk", "pod", "floor", "theatre", "chair")) and not re.search(
        r"[0-9]{2}|[a-z]-?[0-9]|#|[0-9][a-z]", label.split(maxsplit=1)[-1]
    ):
        return
    if text_before(text, start, 10).endswith("operating "):
        return
    if label.startswith("pod") and re.search(r"[0-9]", label) and not re.match(r"[Pp]od [A-H]-?[0-9]", text[start:end]):
        return  # postoperative day
    if label[0].isdigit() and not re.search(
        r"(?:^|[^a-z])(?:to|on|from|unit|floor|ward|room|location|loc|dept|at|in)[\s:]{1,2}$", text_before(text, start)
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
            and not (label.startswith(("chair", "theatre")) or _LOCATED.search(text_before(text, start)))
        )
    ):
        yield Candidate(start, end, Entity.LOCATION_OTHER)
    elif not (label.startswith("bed") and len(code.group()) < 3) or _ROOM_BEFORE_BED.search(text_before(text, start)):
        yield Candidate(code.start(), end, Entity.LOCATION_OTHER)


_WARD = r"\b[0-9]{1,2}[A-Z]{1,3}-[0-9]{1,3}[A-Z]?\b"


def read_ward(text: str, start: int, end: int) -> Iterator[Candidate]:
    """4W-12: floor, wing and room."""
    if text[start - 1 : start] not in {"-", ".", "/"} and text[end : end + 1] not in {"-", "/"}:
        yield Candidate(start, end, Entity.LOCATION_OTHER)


_ROAD = r"\b(?:Interstate|Route|Rte\.?|Rt\.?|Highway|Hwy\.?|US|State Road) ?-?[0-9]{1,4}\b|\bI-[0-9]{2,3}\b|\b[Mm]ile ?[Mm](?:arker|ile) [0-9]{1,3}\b"


def read_road(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Route 128, I-95; iodine isotopes are not roads."""
    if (
        text[start:end] in {"I-131", "I-123", "I-125", "I-124", "I-129", "I-127"}
        or text[end : end + 1] in {"/", "%", ":"}
        or re.match(r"\s?(?:therapy|scan|uptake|ablation)", text_after(text, end))
    ):
        return
    if not text[start:end].startswith("US") or re.search(r"(?:on|along|off|via|near)\s$", text_before(text, start, 8)):
        yield Candidate(start, end, Entity.LOCATION_OTHER)


RULES = (
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
