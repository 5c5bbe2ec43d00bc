"""Hospitals written in capitals, and houses, shops and chains that are known by their name alone."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import is_everyday_word, medical_term_words, us_towns
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES

_CAPITALS = (
    r"\b(?:HOSPITAL|HOSPITALS|MEDICAL CENTER|MEDICAL CTR|MED CTR|HEALTH CENTER|HEALTHCARE|HEALTH SYSTEM|CLINIC|INFIRMARY|NURSING HOME|REHABILITATION CENTER|REHAB CENTER|REHABILITATION"
    r"|MEDICAL GROUP|MEDICAL ASSOCIATES|CANCER CENTER|CANCER INSTITUTE|HOSPICE|PHARMACY|UNIVERSITY|COLLEGE|HIGH SCHOOL|MANOR|ASSISTED LIVING)\b"
)
_WORD = re.compile(r"(?:[A-Z][A-Z'\-]{1,24}|ST\.|MT\.|&|[A-Z]\.)$")
_KINDS = frozenset(
    {
        "protime",
        "coumadin",
        "anticoagulation",
        "wound",
        "pain",
        "sleep",
        "foot",
        "device",
        "infusion",
        "memory",
        "travel",
    }
)
"""What clinics are called by for what they do."""
_JOINING = frozenset({"OF", "AND", "&", "THE", "DE"})
_LEADING = frozenset({"A", "AN", "AT", "BY", "FOR", "FROM", "IN", "ON", "TO", "VIA", "WITH"})
"""Words before the name of a house, never in it."""
_TAIL = re.compile(r" (?:OF|AT) (?P<place>[A-Z][A-Z\-]{3,20})(?: [A-Z]{4,20})?(?![A-Za-z])")


def read_capitals(text: str, start: int, end: int) -> Iterator[Candidate]:
    """MASSACHUSETTS GENERAL HOSPITAL: capitals that end in what kind of house it is; one word at least must be no ordinary one."""
    low, telling, position = start, False, start
    for _ in range(6):
        if text[position - 1 : position] != " ":
            break
        match = _WORD.search(text, max(0, position - 26), position - 1)
        if match is None or (match.start() and text[match.start() - 1] not in " \n\t(,:;/"):
            break
        word = match.group()
        if word in _LEADING:
            break
        plain = word.lower().strip(".")
        is_generic = (
            plain in GENERIC_PLACE_WORDS or plain in _KINDS or word in _JOINING or word in {"ST.", "MT.", "ST", "MT"}
        )
        if not is_generic and (plain in NOT_NAMES or (is_everyday_word(plain) and plain not in us_towns())):
            break
        if not is_generic and plain in medical_term_words() and plain not in us_towns():
            break
        telling = telling or not (is_generic or len(plain) < 3)
        low = position = match.start()
    while low < start and text[low:start].split(" ", 1)[0] in _JOINING:
        low += len(text[low:start].split(" ", 1)[0]) + 1
    if not telling or low >= start:
        return
    tail = _TAIL.match(text, end, end + 48)
    stop = tail.end("place") if tail and not is_everyday_word(tail["place"]) else end
    is_care = not text[start:end].startswith(("PHARM", "UNIV", "COLL", "HIGH"))
    yield Candidate(low, stop, Entity.FACILITY if is_care else Entity.ORGANIZATION)


_KNOWN = (
    r"\b(?:MGH|BWH|BIDMC|DFCI|HUP|UPMC|UCSF|UCLA|CHOP|MSKCC|NYU Langone|Mass(?:achusetts)? General|Brigham(?: (?:and|&) Women's)?|Beth Israel(?: Deaconess)?|Dana[- ]Farber|Spaulding|Lahey|Newton[- ]Wellesley"
    r"|(?:Memorial )?Sloan[- ]Kettering|MD Anderson|Johns Hopkins|Cedars[- ]Sinai|Mount Sinai|Mt\.? Sinai|Kaiser(?: Permanente)?|Geisinger|Intermountain|Ochsner|Scripps|Sutter Health|Banner Health|Tenet|Sentara|Mayo Clinic|Cleveland Clinic)\b"
)
_NOT_A_HOUSE = re.compile(
    r"\s?(?:prognostic|criteria|score|verbal|classification|risk|ring|nomogram|protocol|stage|fleischer|card|frailty)",
    re.IGNORECASE,
)


def read_known(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Houses known by name or letters alone: MGH, Johns Hopkins."""
    if not _NOT_A_HOUSE.match(text, end, end + 16):
        yield Candidate(start, end, Entity.FACILITY)


_CHAINS = (
    r"\b(?:CVS|Walgreens?|Rite[ -]?Aid|Duane Reade|Wal-?[Mm]art|Costco|Sam's Club|Kroger|Safeway|Publix|Albertsons|Meijer|Home Depot|Lowe's|McDonald's|Burger King|Starbucks|Dunkin'? ?Donuts|FedEx|UPS Store|Amazon|Microsoft|IBM|Verizon"
    r"|Comcast|Boeing|Lockheed(?: Martin)?|Raytheon|General (?:Electric|Motors|Dynamics)|Stop (?:&|and) Shop|Express Scripts|OptumRx|Caremark|LabCorp|Quest Diagnostics|DaVita|Fresenius|Lincare|Apria|Genesis HealthCare|Blue Cross(?: Blue Shield)?"
    r"|Aetna|Cigna|Humana|United ?Healthcare|Harvard Pilgrim|Tufts Health(?: Plan)?|Tricare)\b"
)


def read_chain(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Shops, employers and insurers that everybody knows."""
    if re.match(r"(?:\s?(?:score|criteria|disease)|-[a-z])", text_after(text, end)) or text[start - 1 : start] in {
        "@",
        ".",
        "/",
    }:
        return
    yield Candidate(start, end, Entity.ORGANIZATION)


_VETERANS = r"\b(?:the|The|at|from|through|via|to|by) VA\b|\b(?:VAMC|VA (?:[Hh]ospital|[Cc]linic|[Mm]edical [Cc]enter|[Hh]ealth ?care))\b|\b[A-Z][a-z]{3,15} VA\b|\bVA [A-Z][a-z]{3,15}\b"
_ACUITY = re.compile(r"\s?(?:of |is |was |=|:)?\s?(?:[0-9]|ou|od|os|sc|cc|ph)\b")


def read_veterans(text: str, start: int, end: int) -> Iterator[Candidate]:
    """the VA, VAMC, Boston VA; visual acuity is written with the same letters."""
    value = text[start:end]
    if _ACUITY.match(text_after(text, end)) or re.search(
        r"(?:visual acuity|vision|snellen|eyes?:)", text_before(text, start)
    ):
        return
    place = value.find("VA")
    words = value.replace("VA", " ").split()
    if words and words[0][0].isupper() and words[0] not in {"The"} and "VA " not in value.replace(words[0], ""):
        name = words[0].lower()
        if (name in us_towns() and name not in NOT_NAMES and not value.endswith(words[0])) or (
            name in us_towns() and name not in NOT_NAMES and value.startswith("VA")
        ):
            yield Candidate(start, end, Entity.FACILITY, Strength.WEAK)
        return
    yield Candidate(start + place, end, Entity.FACILITY, Strength.WEAK)


_LETTERED = r"\b(?:[A-Z][a-z'\-]{2,16} ){1,3}(?:ER|ED|SNF|VNA|LTACH?|SNU|Dialysis|Rehab|Rehabilitation|Children's|Methodist|Presbyterian|Baptist|Lutheran|Adventist|Medical)\b"
_THERE = re.compile(r"(?:^|[^a-z])(?:at|to|from|via|by|in|with|per|of|the|through|or|and)\s$")


def read_lettered(text: str, start: int, end: int) -> Iterator[Candidate]:
    """at Oakwood ER, to Shady Oaks SNF, Boston Children's."""
    words = text[start:end].split()[:-1]
    if words[0] in {"The", "At", "To", "From", "In", "Via"}:
        start += len(words.pop(0)) + 1
    elif not _THERE.search(text_before(text, start, 12)):
        return
    plain = [word.lower().removesuffix("'s") for word in words]
    if not words or any(word in NOT_NAMES for word in plain) or re.match(r" [A-Z][a-z]+", text[end : end + 4]):
        return
    if any(word in us_towns() or not (is_everyday_word(word) or word in medical_term_words()) for word in plain):
        yield Candidate(start, end, Entity.FACILITY, Strength.WEAK)


_SITE = r"(?i)\b(?:site|facility|campus|hospital|clinic|where)(?:: ?| {0,4}\| ?| )(?-i:[A-Z]{3,5})(?:[;,.:)\n]| {2}|$)"


def read_site(text: str, start: int, end: int) -> Iterator[Candidate]:
    """SITE: RMH; clinic RPC; a hospital's letters behind what it is."""
    match = re.compile(r"[A-Z]{3,5}(?=[^A-Za-z]*$)").search(text, start, end)
    if match is None or (text[start:end].isupper() and ":" not in text[start:end]):
        return
    low = match.group().lower()
    if low not in medical_term_words() and may_be_name(low) and not is_everyday_word(low):
        yield Candidate(*match.span(), Entity.FACILITY)


RULES = (
    Rule("site", _SITE, read_site),
    Rule("house by letters", _LETTERED, read_lettered),
    Rule("hospital in capitals", _CAPITALS, read_capitals),
    Rule("known house", _KNOWN, read_known),
    Rule("chain", _CHAINS, read_chain),
    Rule("veterans' hospital", _VETERANS, read_veterans),
)
