"""Record numbers that are written in groups, with blanks and hyphens: MR 118 402, REG# 1940 226-7, UNIT NO 204 55 17.

The numbers of old hospital systems were read aloud and typed in groups. The label and the form of the groups tell them.
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.dates.months import MONTH
from deid_tasks.engine.detect.patterns.identifiers.labelled_numbers import MEASURE_AFTER
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength

_MEDICAL_RECORD = r"m\. ?r\. ?n\.?|e?mrn?|med(?:ical)?\.? rec(?:ord)?s?\.?|uhid|urn"
_RECORDS = (
    rf"{_MEDICAL_RECORD}|records?|rec\.?|reg(?:istration|istry)?\.?|unit|hosp(?:ital)?\.?|history|hist\.?|hx|chart"
    r"|patient|pt\.?|clinic|folder|census"
)
_STAYS = r"adm(?:ission)?\.?|acct\.?|account|bill(?:ing)?"
_FILES = (
    r"case|file|index|visit|enc(?:ounter)?\.?|x-?ray|film|study|exam|path(?:ology)?\.?|specimen|slide"
    r"|autopsy|necropsy|tissue|ref(?:erence)?\.?"
)
_MARK = r"(?: ?(?:#|no\.?|nos\.?|num\.?|number)[:.#]?)[ \t]{0,12}"
_COLON = r" ?:[ \t]{0,12}"
GROUPS_TRIGGER = (
    rf"(?i)\b(?:(?:{_RECORDS}|{_STAYS}|{_FILES}){_MARK}|(?:{_MEDICAL_RECORD}){_COLON})"
    r"(?:[a-z]{1,2}[ \-])?[0-9]{1,5}[ \-][0-9]"
    r"|\b(?-i:MR|MRN|EMRN?|M\.R\.N?\.?) (?-i:[0-9]{1,3} [0-9]{2,3} ?)"  # without a mark, in capitals
)
_LABEL = re.compile(
    rf"(?:(?P<record>{_RECORDS})|(?P<stay>{_STAYS})|(?P<file>{_FILES}))(?:{_MARK}|{_COLON}| )", re.IGNORECASE
)
_GROUPS = re.compile(r"(?:[A-Za-z]{1,2}[ \-])?[0-9]{1,5}(?:[ \-][0-9]{1,5}){1,4}(?![A-Za-z0-9]|[/.:\-,][0-9])")
_BARE_GROUPS = re.compile(r"(?:[0-9]{2,3}(?: [0-9]{2,3}){1,3}|[0-9] [0-9]{3} [0-9]{3})(?![A-Za-z0-9]|[/.:\-,]\s?[0-9])")
_OTHER_BEHIND = re.compile(
    rf"\s?(?:{MONTH}\b|y/?o\b|yrs?\b|years?|[MF]\b|mm ?hg|mmol|bpm|%|(?:north|south|east|west|[NSEW])\b)", re.IGNORECASE
)
"""What makes the last group a day, an age, an amount or a ward."""
_MIN_FIGURES, _MAX_FIGURES, _LONGEST_FIRST = 5, 13, 4
_REACH = 40


def read_number_in_groups(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read MR 118 402, REG# 1940 226-7, M.R.N.: 2 417 093 and CASE # 77 1942."""
    label = _LABEL.match(text, start, end)
    if label is None:
        return
    is_bare = label.group().endswith(" ") and label.group().strip().lower() == (label["record"] or "").lower()
    value = (_BARE_GROUPS if is_bare else _GROUPS).match(text, label.end(), end + _REACH)
    if value is None:
        return
    stop = value.end()
    if MEASURE_AFTER.match(text, stop, stop + 10) or _OTHER_BEHIND.match(text, stop, stop + 12):
        return
    groups = re.findall(r"[0-9]+", value.group())
    figures = sum(map(len, groups))
    is_short = figures < _MIN_FIGURES + (is_bare or "-" not in value.group())
    has_long_first = " " in value.group().strip() and len(groups[0]) > _LONGEST_FIRST and value.group()[0].isdigit()
    if is_short or figures > _MAX_FIGURES or has_long_first:
        return
    entity = Entity.MRN if label["record"] else Entity.ACCOUNT if label["stay"] else Entity.OTHER_ID
    yield Candidate(value.start(), stop, entity, Strength.LABELLED)
