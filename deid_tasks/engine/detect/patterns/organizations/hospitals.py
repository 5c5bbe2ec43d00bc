"""Hospitals in capitals or by their letters, and hospitals, shops and chains that are known by their name alone."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.initial_words import is_abbreviation
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    is_frequent_word,
    medical_term_words,
    us_towns,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES, alternation, as_word_set

CAPITALS_TRIGGER = rf"\b(?:{alternation('organizations', 'facility_kinds_in_capitals')})\b"
_CAPITAL_WORD = re.compile(r"(?:[A-Z][A-Z'\-]{1,24}|ST\.|MT\.|&|[A-Z]\.)$")
_KINDS_OF_CLINIC = as_word_set("protime coumadin anticoagulation wound pain sleep foot device infusion memory travel")
"""What clinics do, and are called by."""
_SAINTS = frozenset({"ST.", "MT.", "ST", "MT"})
_CONNECTORS = frozenset({"OF", "AND", "&", "THE", "DE"})
_PREPOSITIONS = as_word_set("A AN AT BY FOR FROM IN ON TO VIA WITH")
"""Words in front of the name of a facility, never in it."""
_TOWN_TAIL = re.compile(r" (?:OF|AT) (?P<town>[A-Z][A-Z\-]{3,20})(?: [A-Z]{4,20})?(?![A-Za-z])")


def read_hospital_in_capitals(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read capitals that end in a kind of facility: MASSACHUSETTS GENERAL HOSPITAL.

    One word at least must not be an ordinary one.
    """
    low = _start_of_name(text, start)
    if low is None:
        return
    tail = _TOWN_TAIL.match(text, end, end + 48)
    stop = tail.end("town") if tail and not is_everyday_word(tail["town"]) else end
    is_facility = not text[start:end].startswith(("PHARM", "UNIV", "COLL", "HIGH"))
    yield Candidate(low, stop, Entity.FACILITY if is_facility else Entity.ORGANIZATION)


HEADING_TRIGGER = (
    rf"(?m)^[ \t]{{0,8}}(?:{alternation('organizations', 'headings_in_capitals')})"
    r"(?: ?[\-|:,]| {1,4}(?:FROM|AT))? {1,8}"
    rf"(?:[A-Z][A-Z.'\-]{{1,16}} ){{1,4}}(?:{alternation('organizations', 'facility_kinds_in_capitals')})\b"
)
_HEADING = re.compile(
    rf"[ \t]*(?:{alternation('organizations', 'headings_in_capitals')})(?: ?[\-|:,]| {{1,4}}(?:FROM|AT))? {{1,8}}"
)


def read_facility_behind_heading(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read DISCHARGE SUMMARY WILLOW CREEK HOSPITAL, whose name may be of ordinary words."""
    heading = _HEADING.match(text, start, end)
    if heading is None:
        return
    words = text[heading.end() : end].lower().split()
    if any(word not in GENERIC_PLACE_WORDS and word not in NOT_NAMES for word in words[:-1]):
        yield Candidate(heading.end(), end, Entity.FACILITY, Strength.LABELLED)


def _start_of_name(text: str, start: int) -> int | None:
    """Return where the words in capitals in front of ``start`` begin, or ``None`` where none of them is a name."""
    low, has_name = start, False
    for _ in range(6):
        match = _word_in_front(text, low)
        if match is None or match.group() in _PREPOSITIONS:
            break
        is_generic = _is_generic(match.group())
        plain = match.group().lower().strip(".")
        if not is_generic and _is_ordinary(plain):
            break
        has_name = has_name or not (is_generic or len(plain) < 3)
        low = match.start()
    while low < start and text[low:start].split(" ", 1)[0] in _CONNECTORS:
        low += len(text[low:start].split(" ", 1)[0]) + 1
    return low if has_name and low < start else None


def _word_in_front(text: str, position: int) -> re.Match[str] | None:
    if text[position - 1 : position] != " ":
        return None
    match = _CAPITAL_WORD.search(text, max(0, position - 26), position - 1)
    is_whole = match is not None and (match.start() == 0 or text[match.start() - 1] in " \n\t(,:;/")
    return match if is_whole else None


def _is_generic(word: str) -> bool:
    """Whether a word in capitals may be part of a name but does not make one."""
    plain = word.lower().strip(".")
    return plain in GENERIC_PLACE_WORDS or plain in _KINDS_OF_CLINIC or word in _CONNECTORS or word in _SAINTS


def _is_ordinary(plain: str) -> bool:
    """Whether a word in lower case is never part of a name: an everyday or a medical word that is not a town."""
    if plain in NOT_NAMES:
        return True
    return (is_everyday_word(plain) or plain in medical_term_words()) and plain not in us_towns()


KNOWN_HOSPITAL_TRIGGER = rf"\b(?:{alternation('organizations', 'known_hospitals')})\b"
_SCORE_BEHIND = re.compile(
    r"\s?(?:prognostic|criteria|score|verbal|classification|risk|ring|nomogram|protocol|stage|fleischer|card|frailty)",
    re.IGNORECASE,
)
_TOWN_BEHIND = re.compile(r" (?P<town>[A-Z][a-z]{3,15})(?![\w'’])")


def read_known_hospital(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read hospitals that are known by name or letters alone, with their town: MGH, ProMedica Bellevue."""
    if not _SCORE_BEHIND.match(text, end, end + 16):
        town = _TOWN_BEHIND.match(text, end, end + 20)
        is_town = town is not None and town["town"].lower() in us_towns() and town["town"].lower() not in NOT_NAMES
        yield Candidate(start, town.end() if town and is_town else end, Entity.FACILITY)


KNOWN_COMPANY_TRIGGER = rf"\b(?:{alternation('organizations', 'known_companies')})\b"
_WORD_OR_FINDING_BEHIND = re.compile(r"(?:\s?(?:score|criteria|disease)|-[a-z])")
_HEART_BEHIND = re.compile(
    r"[ :\-]{1,4}(?:s ?1|hs |nad\b|nsr|rrr|reg(?:ular)?\b|normal|no murmur|heart sounds|jvp|soft|systolic|murmur|stable"
    r"|well perfused|no (?=heave|murmur|added))"
)
"""Behind CVS, the cardiovascular system of an examination."""
_BRANCH_BEHIND = re.compile(
    r"(?: [Pp]harmacy)? on (?!(?:Mon|Tues?|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
    r"|Christmas|Easter|Thanksgiving|The|My|His|Her|Route|Rte|Rt|Hwy|Highway|State|County)[a-z]*\b)[A-Z][a-z]{2,14}\b"
    r"(?! [A-Z])"  # a street in full is one by itself
)
"""The street of a branch: Kroger Pharmacy on Linwood."""


def read_known_company(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read shops, employers and insurers that are known by name alone, with the street of a branch."""
    if text[start:end] == "CVS" and _HEART_BEHIND.match(text_after(text, end)):
        return
    is_address = text[start - 1 : start] in {"@", ".", "/"}
    if not is_address and not _WORD_OR_FINDING_BEHIND.match(text_after(text, end)):
        branch = _BRANCH_BEHIND.match(text, end, end + 40)
        yield Candidate(start, branch.end() if branch else end, Entity.ORGANIZATION)


VETERANS_TRIGGER = (
    r"\b(?:the|The|at|from|through|via|to|by) VA\b"  # the VA
    r"|\b(?:VAMC|VA (?:[Hh]ospital|[Cc]linic|[Mm]edical [Cc]enter|[Hh]ealth ?care))\b"  # VA hospital
    r"|\b[A-Z][a-z]{3,15} VA\b|\bVA [A-Z][a-z]{3,15}\b"  # Boston VA, VA Boston
)
_ACUITY_BEHIND = re.compile(r"\s?(?:of |is |was |=|:)?\s?(?:[0-9]|ou|od|os|sc|cc|ph)\b")
_OTHER_THAN_BEFORE = re.compile(r"non-?\s?$")
"""In front of VA in headings: Non-VA Meds."""
_ACUITY_BEFORE = re.compile(r"(?:visual acuity|vision|snellen|eyes?:)")


def read_veterans_hospital(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the VA, VAMC, Boston VA; visual acuity is written with the same letters."""
    value = text[start:end]
    if _ACUITY_BEHIND.match(text_after(text, end)) or _ACUITY_BEFORE.search(text_before(text, start)):
        return
    words = value.replace("VA", " ").split()
    first = words[0] if words else ""
    if value.startswith("VA ") and first.lower() in NOT_NAMES:
        if not _OTHER_THAN_BEFORE.search(text_before(text, start)):
            yield Candidate(start, start + len("VA"), Entity.FACILITY, Strength.WEAK)
        return
    if not first[:1].isupper() or first == "The" or "VA " in value.replace(first, ""):
        yield Candidate(start + value.find("VA"), end, Entity.FACILITY, Strength.WEAK)
    elif first.lower() in us_towns() and first.lower() not in NOT_NAMES and _has_town(value, first):
        yield Candidate(start, end, Entity.FACILITY, Strength.WEAK)


def _has_town(value: str, town: str) -> bool:
    return not value.endswith(town) or value.startswith("VA")


LETTERS_TRIGGER = (
    r"\b(?:[A-Z][a-z'\-]{2,16} ){1,3}(?:ER|ED|SNF|VNA|LTACH?|SNU|Dialysis|Rehab|Rehabilitation|Children's|Methodist"
    r"|Presbyterian|Baptist|Lutheran|Adventist|Medical)\b"
)
_DIRECTION_BEFORE = re.compile(r"(?:^|[^a-z])(?:at|to|from|via|by|in|with|per|of|the|through|or|and)\s$")
_CAPITALISED_BEHIND = re.compile(r" [A-Z][a-z]+")


def read_hospital_by_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read at Oakwood ER, to Shady Oaks SNF, Boston Children's."""
    words = text[start:end].split()[:-1]
    if words[0] in {"The", "At", "To", "From", "In", "Via"}:
        start += len(words.pop(0)) + 1
    elif not _DIRECTION_BEFORE.search(text_before(text, start, 12)):
        return
    plain = [word.lower().removesuffix("'s") for word in words]
    if not words or any(word in NOT_NAMES for word in plain) or _CAPITALISED_BEHIND.match(text[end : end + 4]):
        return
    if any(word in us_towns() or not (is_everyday_word(word) or word in medical_term_words()) for word in plain):
        yield Candidate(start, end, Entity.FACILITY, Strength.WEAK)


TAIL_TRIGGER = r"\b(?:[A-Z][a-z'\-]{2,16} ){1,3}(?:LTACH?|CBOC|VAMC|SNF|FQHC|Med Ctr|Surg Ctr|Rec Ctr|Hosp Ctr)\b"


def read_facility_by_its_tail(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read wants transfer to Okafor LTACH: letters that stand for a facility alone, behind a name."""
    words = list(_TITLE_WORD.finditer(text, start, end))
    while words and words[0].group().lower() in NOT_NAMES | _WORDS_OF_SENTENCES:
        words.pop(0)
    is_named = any(
        not _is_ordinary(word.group().lower()) and word.group().lower() not in GENERIC_PLACE_WORDS for word in words
    )
    if is_named or (words and text[start:end].endswith(_NEVER_GENERIC)):
        yield Candidate(words[0].start(), end, Entity.FACILITY)


_WORDS_OF_SENTENCES = as_word_set(
    "the a an at to from in via per for with her his their our transfer discharge skilled"
)
_NEVER_GENERIC = ("VAMC", "CBOC")
"""Kinds that every facility of the kind has a name with: Birch Hollow VAMC."""
_TITLE_WORD = re.compile(r"[A-Z][a-z'\-]{2,16}(?= )")
ACRONYM_TRIGGER = (
    r"\b[A-Z]{3,5} (?:[Cc]linic|[Rr]adiology|[Ii]maging|[Hh]ospital|[Cc]ampus|[Rr]ehab|[Bb]reast (?:[Cc]enter|[Cc]tr)"
    r"|[Uu]rgent [Cc]are|[Ii]nfusion (?:[Cc]enter|[Cc]tr))\b"
)


def read_facility_by_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read NWQ clinic and NWQ radiology: letters that are no abbreviation, in front of a part of a hospital."""
    stop = text.index(" ", start, end)
    low = text[start:stop].lower()
    is_word = is_abbreviation(low) or low in medical_term_words() or is_frequent_word(low) or is_everyday_word(low)
    if not is_word and may_be_name(low):
        yield Candidate(start, stop, Entity.FACILITY, Strength.WEAK)


SITE_TRIGGER = (
    r"(?i)\b(?:site|facility|campus|hospital|clinic|where)(?:: ?| {0,4}\| ?| )(?-i:[A-Z]{3,5})(?:[;,.:)\n]| {2}|$)"
)
_SITE_LETTERS = re.compile(r"[A-Z]{3,5}(?=[^A-Za-z]*$)")


def read_site(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the letters of a hospital behind what it is: SITE: RMH; clinic RPC."""
    match = _SITE_LETTERS.search(text, start, end)
    if match is None or (text[start:end].isupper() and ":" not in text[start:end]):
        return
    low = match.group().lower()
    if low not in medical_term_words() and may_be_name(low) and not is_everyday_word(low):
        yield Candidate(*match.span(), Entity.FACILITY)


TEAM_TRIGGER = r"\b(?:Red|Blue|Green|Gold|Silver|Orange|Purple|Yellow|White|Teal|Pink|Bronze) Team\b"
_CODE_BEFORE = re.compile(r"code\s$")


def read_team(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the team of a colour, Team: Blue Team; a Code Blue Team is that of any hospital."""
    if not _CODE_BEFORE.search(text_before(text, start)):
        yield Candidate(start, end, Entity.FACILITY, Strength.WEAK)


PROGRAM_TRIGGER = (
    r"(?m)^[ \t]{0,80}(?:Program|Programme|Center|Centre|Institute) for (?:[A-Z][a-z]+|and|the|of|&)"
    r"(?: (?:[A-Z][a-z]+|and|the|of|&)){0,6}, [A-Z][a-z]"
)


def read_program(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Program for Inherited Cancers, with the hospital behind it, at the head of a letter."""
    comma = text.rindex(",", start, end)
    yield Candidate(comma - len(text[start:comma].lstrip()), comma, Entity.FACILITY)


MISREAD_TRIGGER = (
    r"\b(?:[A-Z][A-Zl01]{2,24} ){1,3}"
    r"(?:C[Ll1I][Il1]N[Il1]C|H[O0]SP[Il1]TA[Ll1]|MED[Il1]CA[Ll1] CENTER|SANAT[O0]R[Il1]UM)\b"
)
_LETTER_OF_SCANNER = re.compile(r"[a-z01]")
_WORD_OF_SCANNER = re.compile(r"\S+")


def read_misread_facility(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a facility in capitals in which a scanner took I for l: SANDHlLLS CLlNlC."""
    if not _LETTER_OF_SCANNER.search(text, start, end):
        return
    words = list(_WORD_OF_SCANNER.finditer(text, start, end))[:-1]
    while words and _is_ordinary(_as_written(words[0].group())):
        words.pop(0)
    if words and _as_written(words[0].group()) not in GENERIC_PLACE_WORDS:
        yield Candidate(words[0].start(), end, Entity.FACILITY)


def _as_written(word: str) -> str:
    return word.translate(str.maketrans("l10", "IIO")).lower()
