"""Ages beside a name, a birth date or a relative: Ms. Okafor, 59; DOB 01/07/1960 (63); children, 12, 14 and 17."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.ages import OLDEST
from deid_tasks.engine.detect.patterns.names.name_parts import is_name_of_person, may_be_name
from deid_tasks.engine.detect.patterns.reference_words import is_given_name, is_plain_name, medical_term_words
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after
from deid_tasks.engine.detect.patterns.word_lists import alternation

BESIDE_NAME_TRIGGER = (
    r"(?:\b(?:Mr|Mrs|Ms|Miss|MR|MRS|MS|Pt|PT|Mx)\.? )?\b[A-Z][A-Za-z'\-]{1,24}(?:, \(?| {1,6}\()[0-9]{1,3}\b"
    rf"|(?i)\b(?:{alternation('dates', 'relatives_with_an_age')})s?(?: [a-z]{{2,15}})?, [0-9]{{1,3}}\b"  # sister, 49
)
_BESIDE_NAME_TAIL = re.compile(r"(?:, ?(?![0-9])|\)(?! ?(?:mg|ml))|\.(?:\s|$)|;|$| years?,| yrs?,)")
_BESIDE_RELATIVE_TAIL = re.compile(rf"{_BESIDE_NAME_TAIL.pattern}|:(?: |$)", re.MULTILINE)
_RELATIVE = re.compile(rf"(?i)(?:{alternation('dates', 'relatives_with_an_age')}), ?$")
"""A relative at the head of an item: Daughter, 4: well."""
_LAST_FIGURES = re.compile(r"[0-9]{1,3}$")
_WORD = re.compile(r"[A-Za-z'\-]+")
_WORD_BEFORE = re.compile(r"(?:^|[\s(:])([A-Z][A-Za-z'\-]{0,24}\.?,?) $")
_DATE_OR_FIRM_AFTER = re.compile(r"[,;] ?(?:in|on|at) |, (?:[12][0-9]{3}|Inc|LLC)")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "pt"})


def read_age_beside_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Ms. Okafor, 59, was …; Maria Okafor (64); sister, 49, healthy."""
    match = _LAST_FIGURES.search(text, start, end)
    lead = text[start : match.start()] if match else ""
    is_relative = _RELATIVE.match(lead) is not None
    tail = _BESIDE_RELATIVE_TAIL if is_relative else _BESIDE_NAME_TAIL
    if match is None or int(match.group()) > OLDEST or not tail.match(text, end, end + 12):
        return
    if "(" in lead and text[end : end + 1] != ")":
        return
    words = _WORD.findall(lead)
    if is_relative or not words[0][0].isupper():
        yield Candidate(match.start(), end, Entity.AGE)
    elif not _DATE_OR_FIRM_AFTER.match(text[end : end + 7]) and _is_of_person(text, start, words):
        yield Candidate(match.start(), end, Entity.AGE, Strength.WEAK)


def _is_of_person(text: str, start: int, words: list[str]) -> bool:
    """Whether the words in front of a number are a title and a name, or a name that the lists hold."""
    if words[0].lower() in _TITLES and len(words) > 1:
        return True
    last = words[-1]
    earlier = _WORD_BEFORE.search(text[max(0, start - 40) : start])
    if earlier and not earlier.group(1).isupper() and is_name_of_person(earlier.group(1).rstrip(".,")):
        return is_name_of_person(last) or (may_be_name(last) and last.lower() not in medical_term_words())
    return is_name_of_person(last) and not last.isupper() and is_plain_name(last)


BESIDE_BIRTH_DATE_TRIGGER = (
    r"(?im)\b(?:dob|d\.o\.b\.?|born|birth ?date|date of birth)(?: ?/ ?age)?(?::? {0,6}| ?\.{2,20} ?)"
    r"(?:[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-][0-9]{2,4}"  # 01/07/1960
    r"|[0-9]{1,2}(?:st|nd|rd|th)?[ \-]?[a-z]{3,9}[ \-]?[0-9]{2,4}|[0-9]{4}[\-/][0-9]{2}[\-/][0-9]{2}"  # 7 Jan 1960
    r"|[a-z]{3,9}\.? [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4})"  # January 7, 1960
    r"(?:,? {0,6}"
    r"(?:\([0-9]{1,3} ?(?:y|yrs?|yo|y/o|years?|mos?|months?)?\)"  # (63)
    r"|[0-9]{1,3} ?(?:y|yrs?|yo|y/o|years?|mos?|months?)\b)"  # 63 yrs
    r"| {2,8}[0-9]{1,3}(?: {2}|$)"  # a column
    r"| ?/ [0-9]{1,3}(?: {2}|$))"  # behind a slash
)
_BESIDE_BIRTH_DATE_VALUE = re.compile(r"([0-9]{1,3}) {0,2}[A-Za-z/]{0,6}\)?$")
_EARLY_OR_LATE_AFTER = re.compile(r"\s(?:early|premature|preterm|before|late|ago)")


def read_age_beside_birth_date(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read DOB 01/07/1960 (63) and DOB 3/9/17  7 yrs; not born 3/9/17 3 months early."""
    match = _BESIDE_BIRTH_DATE_VALUE.search(text, start, end)
    if _EARLY_OR_LATE_AFTER.match(text_after(text, end)):
        return
    if match and int(match[1]) <= OLDEST and text[match.start() - 1] in " (":
        yield Candidate(*match.span(1), Entity.AGE, Strength.LABELLED)


IN_HEADER_TRIGGER = (
    r"(?im)^[ \t]{0,4}(?:(?:patient|pt|name|client|resident)[: ]{1,4})?"
    r"[a-z][a-z'\-]{1,20}, ?[a-z][a-z'\-]{1,20}(?: [a-z]\.?)?(?: {1,4}[\"(][a-z'\-]{2,15}[\")])? {2,8}[0-9]{1,3} {2,8}"
    r"(?:[0-9]{1,2}[/\-][0-9]{1,2}[/\-]|mrn|dob|acct|rm |room |[mf] |#[a-z0-9])"
)
_IN_HEADER_PARTS = re.compile(
    r"(?P<name>[A-Za-z'\-]{2,21}, ?(?P<first>[A-Za-z'\-]{2,21})(?: [A-Za-z]\.?)?)"
    r"(?: {1,4}[\"(][A-Za-z'\-]{2,15}[\")])? {2,8}(?P<age>[0-9]{1,3}) "
)


def read_age_in_header(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a number between a name in the order of a register and the next field: okafor, maria   34   10/3/22."""
    match = _IN_HEADER_PARTS.search(text, start, end)
    if match is None or int(match["age"]) > OLDEST:
        return
    if is_given_name(match["first"]) or '"' in match.group():  # a nickname stands in quotes
        yield Candidate(*match.span("name"), Entity.PATIENT)
        yield Candidate(*match.span("age"), Entity.AGE)


AGE_OF_VISIT_TRIGGER = (
    r"(?i)\b[0-9]{1,2}[ \-](?:months?|mo|years?|yr)s?[ \-](?:old )?"
    r"(?:well|wcc|wcv|infant|toddler|shots|vaccines|immunizations)\b"  # 4 month well visit
    r"|\bwell[ -]?child[^\n]{0,24}?[ \-][0-9]{1,2} (?:year|yr|month|mo)"  # WELL CHILD VISIT - 5 YEAR
    r"|\b[0-9]{1,3} ?(?:years?|yrs?|yr|y)(?:,|/| ) ?[MF]\b"  # 50 years, F
    r"|\b[0-9]{1,2} (?:yr|mo) {3,}"  # a column
    r"|\b(?-i:[MF]) {2,8}[0-9]{1,3} {2,8}(?:hosp|mrn|nhs|dob|unit n|ward|chi |id |no\.)"  # M   71     Hosp no
    r"|\| ?(?:m|f|male|female) ?\| ?[0-9]{1,3} ?(?:y|yrs?|yo|mo)? ?\|"  # M | 50 |
)
_VISIT_VALUE = re.compile(r"[0-9]{1,3}(?=[ \-]?(?:y|m)| ?\|$| {2})", re.IGNORECASE)


def read_age_of_visit(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read WELL CHILD VISIT - 5 YEAR and 50 years, F."""
    match = _VISIT_VALUE.search(text[start:end])
    if match and int(match.group()) <= OLDEST:
        yield Candidate(start + match.start(), start + match.end(), Entity.AGE)


AGES_OF_CHILDREN_TRIGGER = (
    r"(?i)\b(?:children|kids|sons|daughters|siblings|brothers|sisters|grandchildren|boys|girls)[ ,:(]{1,3}"
    r"(?:ages? |aged )?[0-9]{1,2}(?:(?:, ?and|,| and| &|/) ?[0-9]{1,2}){1,5}\b"
)
_CHILDREN_UNIT = re.compile(r"\s?(?:weeks|months|years ago|/|%|\.[0-9])")
_CHILD_VALUE = re.compile(r"[0-9]{1,2}")


def read_ages_of_children(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read three children, 12, 14 and 17."""
    if _CHILDREN_UNIT.match(text_after(text, end)):
        return
    for match in _CHILD_VALUE.finditer(text[start:end]):
        yield Candidate(start + match.start(), start + match.end(), Entity.AGE)


PEDIGREE_TRIGGER = (
    r"\b(?i:br ?ca|ov ?ca|(?:breast|ovarian|colon|prostate|pancreatic|pancreas|uterine|endometrial|gastric|thyroid"
    r"|renal|kidney|lung|bladder)(?: ca| cancer)?|melanoma|crc|leukemia|lymphoma|sarcoma) [0-9]{1,2}\b"  # prostate 58
    r"|\bd\. ?[0-9]{1,3}\b"  # BrCa 41, d. 47
)
_PEDIGREE_TAIL = re.compile(r"[,;)]|\.?\s*$| {2}| [a-z]{2,}")
_PEDIGREE_UNIT = re.compile(r" ?(?:mm|cm|g|gm|grams?|cc|ml|mg|yrs? ago|years? ago|days|hrs)\b")
_PEDIGREE_BEFORE = re.compile(r"\b(?:I{1,3}|IV)-[0-9]{1,2}\b|(?i:pedigree|consultand|proband)")
_REACH_OF_PEDIGREE = 400


def read_age_in_pedigree(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read BrCa 41, d. 47 in a pedigree, whose persons have the number of their generation: II-1."""
    match = _LAST_FIGURES.search(text, start, end)
    behind = text_after(text, end)
    if match is None or int(match.group()) > OLDEST or not _PEDIGREE_TAIL.match(behind) or _PEDIGREE_UNIT.match(behind):
        return
    if _PEDIGREE_BEFORE.search(text, max(0, start - _REACH_OF_PEDIGREE), start):
        yield Candidate(match.start(), end, Entity.AGE)


DIAGNOSIS_TRIGGER = r"(?i)\b[a-z0-9]{2,14},? dx'?d? [0-9]{1,2}\b"
_NO_DIAGNOSIS = re.compile(
    r"(?:primary|secondary|tertiary|discharge|admi\w+|other|additional|final|no|number|list|ref\w*|main|for|and|the) ",
    re.IGNORECASE,
)
_DIAGNOSIS_TAIL = re.compile(r"\s?(?:[,;)]|$)")


def read_age_at_diagnosis(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read dm1 dx 11, the age at which a disease was found; a secondary dx 2 is its number."""
    match = _LAST_FIGURES.search(text, start, end)
    if match is None or int(match.group()) == 0 or _NO_DIAGNOSIS.match(text, start, end):
        return
    if _DIAGNOSIS_TAIL.match(text_after(text, end)):
        yield Candidate(match.start(), end, Entity.AGE)


GRAVIDA_TRIGGER = (
    r"(?m)(?:^|[ \t]{2}|[|,:;(] ?)(?:1[2-9]|[2-4][0-9]|5[0-5]),? (?:[A-Z]{1,2}F,? )?G ?[0-9]{1,2},? ?P ?[0-9]"
)
_AGE_OF_GRAVIDA = re.compile(r"[1-5][0-9](?=,? [A-Z])")


def read_age_of_gravida(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the age in front of how many pregnancies a woman had: 30 G3P1011, at the head of a field."""
    if age := _AGE_OF_GRAVIDA.search(text, start, end):
        yield Candidate(*age.span(), Entity.AGE)
