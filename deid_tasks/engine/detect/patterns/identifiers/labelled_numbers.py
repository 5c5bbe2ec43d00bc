"""Numbers behind a label that names a person, a plan, a licence, a vehicle, a device or a document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.months import MONTH
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, word_set

_LABELLED_ENTITIES = (
    Entity.VEHICLE,
    Entity.LICENSE,
    Entity.SSN,
    Entity.MRN,
    Entity.HEALTH_PLAN,
    Entity.ACCOUNT,
    Entity.DEVICE,
    Entity.BIOMETRIC,
    Entity.OTHER_ID,
)
"""In the order in which their labels are tried."""


def _labels(entity: Entity) -> str:
    return f"labels_{entity.lower()}"


_LABEL = "|".join(f"(?P<{entity}>{alternation('identifiers', _labels(entity))})" for entity in _LABELLED_ENTITIES)
_LINK = (
    rf"(?:\s?(?:{alternation('identifiers', 'links')})(?![A-Za-z])"  # number, id, policy
    r"|\s?\([a-z ]{1,12}\)|\s?[:#.=\-]){0,5}[ \t]{0,3}"  # (new), a mark
)
_LABELLED = re.compile(
    rf"(?:{_LABEL})(?:(?<=#)|(?![A-Za-z]))(?P<link>{_LINK})(?P<value>\(?[A-Za-z0-9][A-Za-z0-9\-_./*]{{2,28}})",
    re.IGNORECASE,
)
_LOOKAHEAD = re.compile(r"\(\?[=!](?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
"""RE2 has no lookaheads: the trigger leaves out what a label asks for behind itself."""
LABELLED_NUMBER_TRIGGER = (
    r"(?i)(?:\b|[0-9_])(?:"
    + "|".join(_LOOKAHEAD.sub("", alternation("identifiers", _labels(entity))) for entity in _LABELLED_ENTITIES)
    + r")(?:\b|[0-9_ :.])"
)
_GLUED = re.compile(r"(?<=[0-9])(?:DOB|SEX|AGE|MRN|DOS|NAME|PT|ACCT|SSN|DATE|FIN|CSN|[A-Z][a-z]{2,})$")
_NEEDS_LINK = word_set("identifiers", "labels_that_need_a_link")
_LONG = 6
"""Figures from which a number is long enough to name something without more evidence."""
_NUMBERED_FILE = re.compile(r"(?:[A-Z]{0,3}-?[0-9]{2}-[0-9]{3,7}|[A-Z]{1,2}[0-9]{2}-[0-9]{2,6})$")
"""The form of the numbers of cases, protocols and specimens: a year and a running number."""
MEASURE_AFTER = re.compile(rf"\s?(?:{alternation('identifiers', 'measures_after_a_number')})", re.IGNORECASE)
_DATE_LIKE = re.compile(
    r"(?:[0-9]{1,2}[/\-.][0-9]{1,2}(?:[/\-.][0-9]{2,4})?|(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}.*"  # 3/14/21, 2021-03-14
    r"|[0-9]{1,3}\.[0-9]{1,2}|[0-9]{1,2}/(?:19|20)?[0-9]{2}|[0-9]{1,3}/[0-9]{1,3}"  # 12.5, 9/2015, 120/80
    rf"|(?i:[0-9]{{1,2}}[/\-.]?{MONTH}[/\-.]?(?:[0-9]{{2}}|[0-9]{{4}})?"  # 04-Mar-2024
    rf"|{MONTH}[/\-.]?[0-9]{{1,2}}(?:[/\-.][0-9]{{2,4}})?|{MONTH}[/\-.]?[0-9]{{4}}"  # Mar-04-2024, Mar-2024
    rf"|(?:19|20)[0-9]{{2}}[/\-.]?{MONTH}(?:[/\-.]?[0-9]{{1,2}})?"  # 2024-Mar-04
    r")|(?:19|20)[0-9]{2}[/.][0-9]{1,2}[/.][0-9]{1,2}|(?:19|20)[0-9]{6}T[0-9]{4,6}.*)$"  # 2024/03/04, 20240304T1522
)
_TELEPHONE = re.compile(r"(?:\+?1[.\- ]?)?\(?[0-9]{3}[).\-][0-9]{3}[.\-][0-9]{4}")
_COMPACT_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_LINK_WORD = re.compile(
    r"[:#=]|number|no\b|num\b|\bid\b|identifier|serial|s/n|card|job|code|hash|template|plate|record|tag|ref|key"
)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_NUMBER_LINK = re.compile(r"[#:]|number")
_DIAGNOSIS_CODE = re.compile(r"[A-Z][0-9]{2}(?:\.[0-9A-Z]{1,4})?$")
_LOT_BEHIND = re.compile(r",?\s{1,3}(?:lot|serial|s/?n)\b", re.IGNORECASE)
_PLATE_LINK = re.compile(r"plate|tag")
_SERIAL_LINK = re.compile(r"serial|s/n|\bsn\b")


@dataclass
class _LabelledNumber:
    """A value behind a label, and what links the two."""

    text: str
    start: int
    end: int
    entity: Entity
    label: str
    """First word of the label, in lower case."""
    link: str
    """In lower case."""

    @cached_property
    def value(self) -> str:
        return self.text[self.start : self.end]

    @cached_property
    def figures(self) -> int:
        return sum(character.isdigit() for character in self.value)


def _has_few_figures(number: _LabelledNumber) -> bool:
    is_index = number.label == "index" and number.figures > 0 and len(number.value) > 4
    return number.figures < 3 and not is_index


def _is_mostly_letters(number: _LabelledNumber) -> bool:
    return number.figures * 2 < len(number.value) - 6 and number.entity is not Entity.BIOMETRIC


def _ends_in_small_letter(number: _LabelledNumber) -> bool:
    return number.value[-1].islower() and number.value[0].isdigit() and number.figures < _LONG


def _is_date_without_link(number: _LabelledNumber) -> bool:
    return not number.link.strip() and _COMPACT_DATE.fullmatch(number.value) is not None


def _lacks_link(number: _LabelledNumber) -> bool:
    """Whether the label is a word of its own and neither a link nor the form of the value makes it a label."""
    if number.label not in _NEEDS_LINK or _LINK_WORD.search(number.link) or number.figures >= _LONG:
        return False
    is_code = number.value[:1].isupper() and number.value[:2].isalnum() and number.figures >= 4
    return not is_code and not _NUMBERED_FILE.match(number.value)


def _is_year(number: _LabelledNumber) -> bool:
    return bool(_YEAR.fullmatch(number.value)) and not _NUMBER_LINK.search(number.link)


def _is_measure(number: _LabelledNumber) -> bool:
    return bool(MEASURE_AFTER.match(number.text, number.end, number.end + 10)) and number.figures < _LONG


def _is_catalogue_number(number: _LabelledNumber) -> bool:
    """Whether the reference is that of a product, whose lot or serial number follows: REF ULT8.5-38  serial 1408."""
    has_mark = bool(_NUMBER_LINK.search(number.link))
    return number.label == "ref" and not has_mark and _LOT_BEHIND.match(number.text, number.end) is not None


def _is_diagnosis_code(number: _LabelledNumber) -> bool:
    return number.entity is Entity.OTHER_ID and _DIAGNOSIS_CODE.match(number.value) is not None


LABELLED_NUMBERS: FormTable[_LabelledNumber, bool] = FormTable(
    "labelled numbers",
    Form("few figures", "MRN: pending2", _has_few_figures, never),
    Form(
        "telephone number",
        "case: [PHONE:617-555-0123]",
        lambda number: _TELEPHONE.fullmatch(number.value) is not None,
        never,
    ),
    Form(
        "date or fraction",
        "exam: [DATE:3/14/2021], visit: [DATE:04-Mar-2024]",
        lambda number: _DATE_LIKE.match(number.value) is not None,
        never,
    ),
    Form("word with figures", "ref: discontinued100", _is_mostly_letters, never),
    Form("number with a letter", "lot: 123a", _ends_in_small_letter, never),
    Form("date behind a bare label", "record [DATE:20210314]", _is_date_without_link, never),
    Form("label that is a word of its own", "case 1234 was", _lacks_link, never),
    Form("year", "passport code [DATE:2021]", _is_year, never),
    Form("measurement", "accession 500 mg", _is_measure, never),
    Form("catalogue number of a product", "stent REF ULT8.5-38 lot [DEVICE:8KHR2114]", _is_catalogue_number, never),
    Form("diagnosis code", "study: C50.9", _is_diagnosis_code, never),
    Form("number", "MRN: [MRN:RH1234567]", always, always),
)
"""Which values behind a label are identifiers."""


def read_labelled_number(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a label, what links it to its value, and the value."""
    while start < end and not text[start].isalpha():
        start += 1
    if text[start - 1 : start].isalpha():
        return
    match = _LABELLED.match(text, start, end + 70)
    if match is None:
        return
    low, high = _span_of_value(text, match)
    entity = next(entity for entity in _LABELLED_ENTITIES if match.group(entity.value))
    label = match.group(entity.value).lower().split()[0]
    number = _LabelledNumber(text, low, high, entity, label, match.group("link").lower())
    if LABELLED_NUMBERS.decide(number):
        yield Candidate(low, high, _entity_of(number), Strength.LABELLED)


def _span_of_value(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Return the span of a value without its bracket, the marks behind it, and the label of the next field."""
    low, high = match.span("value")
    if text[low] == "(":
        low += 1
    while high > low and text[high - 1] in ".-/_*":
        high -= 1
    glued = _GLUED.search(text, low, high)
    return low, glued.start() if glued else high


def _entity_of(number: _LabelledNumber) -> Entity:
    """Return the entity of the label, unless the link says that the number is a plate or a serial number."""
    if number.entity is Entity.LICENSE and _PLATE_LINK.search(number.link):
        return Entity.VEHICLE
    has_weak_label = number.entity in {Entity.OTHER_ID, Entity.BIOMETRIC}
    return Entity.DEVICE if has_weak_label and _SERIAL_LINK.search(number.link) else number.entity
