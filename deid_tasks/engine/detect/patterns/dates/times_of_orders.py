"""Times of day without a colon beside what was read, given or set then: BP 156/98 2222, #1 2320, Basal 12A 0.8."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength

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
)
_TIME_OF_ORDER = re.compile(rf"(?:{_MILITARY}|[Mm]idnight|[Nn]oon)(?= dose$|$)")
_AMOUNT_BEHIND = re.compile(r" ?(?:mg|mcg|g\b|units?|ml|cc|IU|%)|[./:][0-9]", re.IGNORECASE)


def read_time_of_order(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the time of a numbered dose, of a dose that was held and of a level; not an amount: dose 1 1000 mg."""
    match = _TIME_OF_ORDER.search(text, start, end)
    if match and not _AMOUNT_BEHIND.match(text, end, end + 8):
        yield Candidate(*match.span(), Entity.TIME, Strength.WEAK)


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
