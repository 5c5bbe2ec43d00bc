"""Numbers whose form or check digit says what they are, or that are too long to be a measurement."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always
from deid_tasks.engine.detect.patterns.identifiers.checksums import is_card, is_dea, is_iban, is_vin
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation
from deid_tasks.engine.text.check_digits import is_npi

SSN_TRIGGER = (
    r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b"  # 900-45-6789
    r"|(?i)\b(?:ssn?|soc(?:ial)? sec(?:urity)?)\b[^0-9\n]{0,24}[0-9]{3}[ .\-]?[0-9]{2}[ .\-]?[0-9]{4}\b"
    r"|(?i)(?:[x*]{3}-?[x*]{2}-?|\bssn? ?(?:ending(?: in)?|last (?:4|four))[ :]{1,2})[0-9]{4}\b"  # xxx-xx-6789
    r"|(?i)\b(?:ssn?|social)[ :#,]{0,3}\(?(?:last (?:4|four)|l4)(?: digits)?\)?[ :#]{1,3}[0-9]{4}\b"  # social l4: 6789
    r"|(?i)\b(?:va|pt|patient|vet|veteran)(?:'s)? last (?:4|four) ?[:#] ?[0-9]{4}\b"  # VA last 4: 6789
)
_SSN_VALUE = re.compile(r"(?:[0-9]{3}[ .\-]?[0-9]{2}[ .\-]?)?[0-9]{4}$")
_HYPHEN_AND_FIGURE = re.compile(r"-[0-9]")


def read_ssn(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a social security number, whole or its last four figures."""
    match = _SSN_VALUE.search(text, start, end)
    if match and text[start - 1 : start] not in {"-", "."} and not _HYPHEN_AND_FIGURE.match(text[end : end + 2]):
        yield Candidate(match.start(), end, Entity.SSN, Strength.LABELLED)


FORMAT_TRIGGER = (
    r"\b[A-Z]{1,4}-?[0-9]{2}-[0-9]{3,8}(?:-[A-Z](?:/[A-Z]){0,4})?\b"  # S21-12345, SP-21-1234-A/B
    r"|\b[A-Z]{1,4}[0-9]{6,12}\b"  # RH1234567
    r"|\b[0-9]{2}-[0-9]{3,6}-[0-9]{3,6}\b"  # 21-123-4567
    r"|\b[A-Z]{1,4}-[0-9]{5,12}\b"  # AB-123456
    r"|\b[0-9]{7,19}\b"  # 1234567
    r"|\b[0-9]{3}-[0-9]{2}-[0-9]{2}(?:-[0-9])?\b"  # 123-45-67
    r"|\b[1-9][A-Z][A-Z0-9][0-9]-?[A-Z][A-Z0-9][0-9]-?[A-Z]{2}[0-9]{2}\b"  # 1EG4-TE5-MK73
    r"|\b[A-HJ-NPR-Z0-9]{17}\b"  # a vehicle identification number
    r"|\b[A-Z][A-Z9][0-9]{7}\b"  # AB1234563
    r"|(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"  # a UUID
    r"|\b[A-Z]{2}[0-9]{2,4}/[0-9]{4,6}\b"  # AB21/1234
    r"|\b[A-Z]{3}[0-9]{3}[A-Z][0-9]{5,9}\b"  # YPN719A03952
    r"|\b[A-Z]{2,3}[0-9]{6}[A-Z]\b"  # YAH326331S
    r"|\| ?[0-9]{5,6} ?\|"  # the cell of a table
    r"|\(01\)[0-9]{14}(?:\([0-9]{2}\)[a-z0-9]{1,20}){0,3}"  # a unique device identifier
    r"|\b[0-9]{4}[ \-][0-9]{4}[ \-][0-9]{4}[ \-][0-9]{4}\b"  # a payment card
    r"|\b3[47][0-9]{2}[ \-][0-9]{6}[ \-][0-9]{5}\b"  # an American Express card
    r"|\b[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}\b"  # an IBAN
)
PUBLIC_CODE_BEFORE = re.compile(rf"(?:{alternation('identifiers', 'public_codes')})\W{{0,3}}$")
AMOUNT_AFTER = re.compile(
    r"\s?(?:copies|iu|units?|cells|cfu|organisms|colon\w*|/|%|mg|ml|k\b|x\s?10|dollars|,[0-9]{3})"
)
_MRN_GROUPS = re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{2}(?:-[0-9])?")
_PLAN_NUMBER = re.compile(r"[A-Z]{3}[0-9]{3}[A-Z][0-9]{5,9}")
_SERIAL_NUMBER = re.compile(r"[A-Z]{2,3}[0-9]{6}[A-Z]")
_MEDICARE_NUMBER = re.compile(r"[1-9][A-Z][A-Z0-9][0-9]-?[A-Z][A-Z0-9][0-9]-?[A-Z]{2}[0-9]{2}")
_DEA_NUMBER = re.compile(r"[A-Z][A-Z9][0-9]{7}")
_CARD_GROUP = re.compile(r"[0-9]{4}[ \-]")
_LONG_NUMBER = re.compile(r"[0-9]{5}|[A-Z]+-?[0-9]{2}-[0-9]{3}")


@dataclass
class _Number:
    """A match and its text."""

    text: str
    start: int
    end: int

    @cached_property
    def value(self) -> str:
        return self.text[self.start : self.end]


def _found_as(entity: Entity, strength: Strength = Strength.FORMAT) -> Callable[[_Number], Candidate | None]:
    """Return the decision that the whole match is of ``entity``."""

    def decide(number: _Number) -> Candidate:
        return Candidate(number.start, number.end, entity, strength)

    return decide


def _not_found(_number: _Number) -> Candidate | None:
    return None


def _matches(pattern: re.Pattern[str]) -> Callable[[_Number], bool]:
    return lambda number: pattern.fullmatch(number.value) is not None


def _inside_of_cell(number: _Number) -> Candidate:
    start = number.start + 1 + (number.text[number.start + 1] == " ")
    end = number.end - 1 - (number.text[number.end - 2] == " ")
    return Candidate(start, end, Entity.OTHER_ID, Strength.WEAK)


def _may_be_vin(number: _Number) -> bool:
    return len(number.value) == 17 and number.value.isalnum() and not number.value.isdigit()


def _with_check_digit(number: _Number) -> Candidate | None:
    return Candidate(number.start, number.end, Entity.VEHICLE, Strength.LABELLED) if is_vin(number.value) else None


def _entity_of_figures(number: _Number) -> Candidate | None:
    """Return a long run of figures by its check digit, unless it is a public code or an amount."""
    is_public = PUBLIC_CODE_BEFORE.search(text_before(number.text, number.start))
    if is_public or AMOUNT_AFTER.match(text_after(number.text, number.end)):
        return None
    entity = Entity.OTHER_ID
    if is_npi(number.value):
        entity = Entity.LICENSE
    elif is_card(number.value):
        entity = Entity.ACCOUNT
    return Candidate(number.start, number.end, entity, Strength.WEAK)


def _is_iban_number(number: _Number) -> bool:
    value = number.value
    return len(value) > 14 and value[:2].isalpha() and value.isalnum() and is_iban(value)


def _is_public_code(number: _Number) -> bool:
    """Whether the number names a trial, an article or a code of a public register."""
    if number.value[:3] in {"NCT", "PMC", "ICD", "SCT"} or number.value.startswith("COVID"):
        return True
    return PUBLIC_CODE_BEFORE.search(text_before(number.text, number.start)) is not None


NUMBER_FORMATS: FormTable[_Number, Candidate | None] = FormTable(
    "number formats",
    Form(
        "UUID",
        "file [OTHER_ID:123e4567-e89b-12d3-a456-426614174000]",
        lambda number: number.value.count("-") == 4,
        _found_as(Entity.OTHER_ID, Strength.LABELLED),
    ),
    Form("groups of figures", "see [MRN:123-45-67]", _matches(_MRN_GROUPS), _found_as(Entity.MRN, Strength.WEAK)),
    Form(
        "plan number",
        "supplement [HEALTH_PLAN:YPN719A03952]",
        _matches(_PLAN_NUMBER),
        _found_as(Entity.HEALTH_PLAN),
    ),
    Form("serial number", "valve [DEVICE:YAH326331S]", _matches(_SERIAL_NUMBER), _found_as(Entity.DEVICE)),
    Form("cell of a table", "seen | [OTHER_ID:12345] |", lambda number: number.value[0] == "|", _inside_of_cell),
    Form(
        "unique device identifier",
        "stent [DEVICE:(01)00643169007222(17)141120]",
        lambda number: number.value.startswith("(01)"),
        _found_as(Entity.DEVICE, Strength.LABELLED),
    ),
    Form("vehicle identification number", "car [VEHICLE:1HGCM82633A004352]", _may_be_vin, _with_check_digit),
    Form("figures", "see [OTHER_ID:12345678]", lambda number: number.value.isdigit(), _entity_of_figures),
    Form(
        "IBAN",
        "paid from [ACCOUNT:GB82WEST12345698765432]",
        _is_iban_number,
        _found_as(Entity.ACCOUNT, Strength.LABELLED),
    ),
    Form(
        "Medicare number",
        "has [HEALTH_PLAN:1EG4-TE5-MK73]",
        _matches(_MEDICARE_NUMBER),
        _found_as(Entity.HEALTH_PLAN, Strength.LABELLED),
    ),
    Form(
        "DEA number",
        "prescriber [LICENSE:AB1234563]",
        lambda number: bool(_DEA_NUMBER.fullmatch(number.value)) and is_dea(number.value),
        _found_as(Entity.LICENSE),
    ),
    Form("code of a public register", "trial NCT01234567", _is_public_code, _not_found),
    Form(
        "payment card",
        "paid by [ACCOUNT:4111-1111-1111-1111]",
        lambda number: bool(_CARD_GROUP.match(number.value)) and len(number.value) > 16,
        _found_as(Entity.ACCOUNT),
    ),
    Form(
        "long number",
        "see [OTHER_ID:S21-12345]",
        lambda number: _LONG_NUMBER.search(number.value) is not None,
        _found_as(Entity.OTHER_ID),
    ),
    Form("other", "see AB21/1234", always, _not_found),
)
"""What a number is by its form."""


def read_number_format(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a number that stands alone: not the end or the beginning of a longer one."""
    if text[start - 1 : start] in {".", "-", "/", "$", "#"} and text[start - 2 : start - 1].isalnum():
        return
    if text[end : end + 1] in {".", "-", "/", ","} and text[end + 1 : end + 2].isdigit():
        return
    candidate = NUMBER_FORMATS.decide(_Number(text, start, end))
    if candidate:
        yield candidate
