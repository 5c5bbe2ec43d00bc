"""Times of day without a colon beside what was read, given or set then: BP 156/98 2222, #1 2320, Basal 12A 0.8."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.reference_words import is_everyday_word, medical_term_words
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

_MILITARY = r"(?:[01][0-9]|2[0-3])[0-5][0-9]"
_PRESSURE = r"[0-9]{2,3}/[0-9]{2,3}"
PRESSURES_TRIGGER = rf"\b{_PRESSURE} {_MILITARY}(?:[,;] ?{_PRESSURE} {_MILITARY}){{1,9}}\b"
_READING = re.compile(rf"(?P<high>[0-9]{{2,3}})/(?P<low>[0-9]{{2,3}}) (?P<time>{_MILITARY})")


def read_times_of_pressures(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the time behind each of several blood pressures: 156/98 2222, 162/104 2238."""
    readings = list(_READING.finditer(text, start, end))
    if all(int(reading["low"]) < int(reading["high"]) <= 300 for reading in readings):
        for reading in readings:
            yield Candidate(*reading.span("time"), Entity.TIME)


ORDER_TRIGGER = (
    rf"(?:\b(?:mg|mcg|g|units?) (?:IM |IV |PO )?#[1-6]|\b[Dd]ose #?[1-6]) {_MILITARY}\b"  # BMZ 12 mg #1 2320
    rf"|\b(?i:hold|skip|missed|omit) {_MILITARY} dose\b"  # HOLD 1000 dose
    rf"|\b(?i:random|trough|peak|vanc(?:o|omycin)?) (?i:level |lvl |draw )(?i:due |drawn )?{_MILITARY}\b"
    r"|\b(?i:about|around|near|approx\.?|till?) ?(?i:midnight|noon)\b"
    r"|\b(?i:past|by|since|before|after|until|from) (?i:12 )?noon\b"
)
_TIME_OF_ORDER = re.compile(rf"(?:{_MILITARY}|[Mm]idnight|[Nn]oon)(?= dose$|$)")
_AMOUNT_BEHIND = re.compile(r" ?(?:mg|mcg|g\b|units?|ml|cc|IU|%)|[./:][0-9]", re.IGNORECASE)


def read_time_of_order(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the time of a numbered dose, of a dose that was held and of a level; not an amount: dose 1 1000 mg."""
    match = _TIME_OF_ORDER.search(text, start, end)
    if match and not _AMOUNT_BEHIND.match(text, end, end + 8):
        yield Candidate(*match.span(), Entity.TIME, Strength.WEAK)


EVENT_TRIGGER = rf"(?i)\b(?:{alternation('dates', 'events_at_a_time')})(?: at| @)?,? {_MILITARY}\b"
_CLAUSE_BEHIND = re.compile(
    r"[ \t]{0,4}(?:[.;)\]\n|]|$|,(?![0-9]))"
    r"| (?:all|and|if|per|with|w/|by|for|to|then|call|no|pt|patient|staff|team|rn|md|dr|present|done|c/w|in|on|via)\b",
    re.IGNORECASE,
)
_FIRST_YEAR, _LAST_YEAR = 1930, 2039


def read_time_of_event(text: str, _start: int, end: int) -> Iterator[Candidate]:
    """Read the time behind what happens at a moment: Debrief 1000 all present, K+ recheck 1000; not a year."""
    is_year = _FIRST_YEAR <= int(text[end - 4 : end]) <= _LAST_YEAR
    if not is_year and _CLAUSE_BEHIND.match(text, end, end + 12):
        yield Candidate(end - 4, end, Entity.TIME, Strength.WEAK)


LAST_DOSE_TRIGGER = (
    r"\b(?:[Ll]ast|LAST|[Nn]ext|NEXT)(?: (?:dose|prn|PRN|IV|PO))?(?: of)? [A-Za-z][a-z]{3,18}"
    rf"(?: (?:dose|given|due|gtt|inj|tab|PRN|prn|IV|PO))?,? {_MILITARY}\b"
)
_DRUG_OF_DOSE = re.compile(r"(?i)(?:last|next)(?: (?:dose|prn|IV|PO))?(?: of)? (?P<drug>[a-z]+)")
_COUNTED = as_word_set("weight count volume output level reading value pressure total dose balance intake score titer")
"""Words in Title case in front of an amount; a drug in Title case may be a word too: Versed."""
_ROUND_DOSE = frozenset({"00", "50"})
_END_BEHIND = re.compile(r"[ \t]{0,4}(?:[.;)\]\n|]|$|,(?![0-9]))")


def read_time_of_last_dose(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the time behind the last dose of a drug: Last Versed 1730. A round number may be the dose: Keppra 1000."""
    drug = _DRUG_OF_DOSE.match(text, start, end)
    if drug is None or text[end - 2 : end] in _ROUND_DOSE or not _END_BEHIND.match(text, end, end + 6):
        return
    low = drug["drug"].lower()
    is_word = is_everyday_word(low) and (drug["drug"].islower() or low in _COUNTED)
    if low in medical_term_words() and not is_word:
        yield Candidate(end - 4, end, Entity.TIME, Strength.WEAK)


_HALF = r"(?:1[0-2]|[1-9])(?::[0-5][0-9])?[AP]M?"
BASAL_TRIGGER = (
    r"\b(?:[Bb]asals?|BASAL|ICR|I:C|ISF|CF|[Cc]arb ratios?|[Rr]ates?):? "
    rf"{_HALF}[ :=][0-9:.]{{1,5}}(?: ?u(?:/h)?)?(?:[,;] ?{_HALF}[ :=][0-9:.]{{1,5}}(?: ?u(?:/h)?)?){{1,9}}"
)
_HOUR_OF_RATE = re.compile(rf"(?<![0-9.:])(?P<hour>{_HALF})(?=[ :=][0-9])")


def read_hours_of_rates(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the hours at which the rates of an insulin pump begin: Basal 12A 0.8, 6A 0.95."""
    for hour in _HOUR_OF_RATE.finditer(text, start, end):
        yield Candidate(*hour.span("hour"), Entity.TIME)
