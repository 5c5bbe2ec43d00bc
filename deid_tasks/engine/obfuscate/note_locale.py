"""Where and when a note was written, as far as it shows: the order of day and month, the country, the year.

Dates of which only one order exists in the calendar (14/3, 3/14) tell the order; postcodes, telephone numbers, towns
and regions tell the country; the spelling tells where nothing else does. The institution's setting decides the rest.
Only the note's own text and spans count, so that a note comes out the same beside any other.
"""

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import re2

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.dates.date_parts import read_dates
from deid_tasks.engine.obfuscate.identifiers.telephone_plans import calling_country
from deid_tasks.engine.obfuscate.places.place_table import state_of_city
from deid_tasks.engine.obfuscate.places.places_abroad import country_of_postcode
from deid_tasks.engine.obfuscate.places.states import state_code_of
from deid_tasks.engine.obfuscate.places.town_table import HOME, country_of_region, town_named

_MONTH_FIRST = frozenset({HOME, "CA"})
"""Countries whose notes write the month first, unless their dates show otherwise."""
_TWO_NUMBERS = re.compile(r"(?<![\d/.-])(\d{1,2})(?:/|[.-](?=\d{1,2}[.-]\d))(\d{1,2})(?!\d)", re.ASCII)
"""A day and a month, in either order; with points or hyphens only before a year."""
_YEAR_BEHIND = re.compile(r"[/.-]\d", re.ASCII)
_WEIGHT_WITH_YEAR = 4
"""How many dates without a year a date with one outweighs."""
_LAST_DAY = 31
_SHORT_MONTH = re.compile(r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?![^\W\d_])", re.IGNORECASE)
_BRITISH = (
    *("haemo", "oedema", "paediatr", "gynaeco", "anaesth", "anaemi", "oesoph", "orthopaed", "diarrhoea", "leukaemi"),
    *("dyspnoea", "tumour", "foetal", "NHS", "paracetamol", "salbutamol", "A&E", " GP ", " theatre", "haemat"),
)
"""Spellings and words of British medicine, which the Commonwealth shares."""
_MIN_BRITISH = 2
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)", re.ASCII)
_SHORT_YEAR = re.compile(r"(?<![\d/.-])\d{1,2}([/.-])\d{1,2}\1(\d\d)(?!\d)", re.ASCII)
_BIRTH_BEFORE = re.compile(
    r"(?:\b(?:DOB|D\.O\.B\.?|birth ?date|date of birth|born|b\.|YOB)\W{0,4}(?:on )?)$", re.IGNORECASE
)
_REACH_OF_BIRTH = 24
_UNDATED = datetime.datetime(2020, 7, 1)  # noqa: DTZ001 - only its year serves, where a note has no time
_YEARS_AHEAD = 20
_MAX_YEARS_BACK = 8
"""A full date that is older than the latest one by as many years does not tell when the note was written."""


class NoteLocale(NamedTuple):
    """Where and when a note was written."""

    country: str
    """Two letters of ISO 3166-1."""
    shows_country: bool
    """Whether the note tells it, by places, numbers or spelling, or the institution's setting another than ``US``."""
    is_day_first: bool
    """Whether the note writes 3/4 for the third of April."""
    written_at: datetime.datetime | None
    """What completes its dates: the time given for it, else a full date in it; ``None`` without either."""
    pads_dates: bool = False
    """Whether it writes dates with zeros in front: 03/04."""
    has_short_months: bool = False
    """Whether it writes months in short, so that "May" is short too."""


def read_locale(text: str, spans: Sequence[Span], note_datetime: datetime.datetime | None, country: str) -> NoteLocale:
    """Return the locale of a note.

    Args:
        text: the note.
        spans: its spans.
        note_datetime: when it was written; ``None`` where that is not known.
        country: the institution's setting.
    """
    day_first = month_first = padded = 0
    is_open = has_short_months = False
    shown: Counter[str] = Counter()
    for span in spans:
        entity = span.entity
        if entity is Entity.DATE:
            found = _TWO_NUMBERS.search(text, span.start, span.end)
            if not found:
                if not has_short_months and text[span.start].isalpha():
                    has_short_months = _SHORT_MONTH.search(text, span.start, span.end) is not None
            else:
                one, other = found.groups()
                first, second = int(one), int(other)
                padded += (one[0] == "0" or other[0] == "0") - (len(one) == 1 or len(other) == 1)
                # What stands without a year may be a fraction.
                weight = _WEIGHT_WITH_YEAR if _YEAR_BEHIND.match(text, found.end()) else 1
                day_first += weight * (_LAST_DAY >= first > 12 >= second)
                month_first += weight * (_LAST_DAY >= second > 12 >= first)
                is_open = is_open or (first <= 12 and second <= 12)
        elif entity is Entity.ZIP and (of_place := _of_place_before(text, span)):
            shown[of_place] += 1
        elif entity in _READERS and (of_span := _READERS[entity](text[span.start : span.end])):
            shown[of_span] += 1
    if shown["CA"]:
        # Canada has the telephone plan of the United States.
        del shown[HOME]
    if (shown or is_open or day_first) and _any_label().search(text) is not None:
        for label, of_label in _LABELS.items():
            shown[of_label] += label in text
    own = _shown_country(
        text, shown, country, is_british=bool(day_first > month_first or (is_open and not month_first))
    )
    is_day_first = day_first > month_first if day_first != month_first else own not in _MONTH_FIRST
    written_at = note_datetime or _full_date(text, spans, is_day_first=is_day_first)
    # The United States are the setting of those who set nothing; another setting is knowledge.
    shows_country = shown[own] > 0 or own != HOME
    return NoteLocale(own, shows_country, is_day_first, written_at, padded > 0, has_short_months)


def _shown_country(text: str, shown: Counter[str], country: str, *, is_british: bool) -> str:
    """Return the country that most places and numbers show, else the one of the spelling, else the setting's."""
    if any(shown.values()):
        most = max(shown.values())
        leaders = [one for one, count in shown.items() if count == most]
        return country if country in leaders else sorted(leaders)[0]
    if is_british and country == HOME and sum(word in text for word in _BRITISH) >= _MIN_BRITISH:
        return "GB"
    return country


def _of_zip(value: str) -> str:
    # Five digits are a ZIP, or a postcode of Germany, France or Spain.
    return country_of_postcode(value) if value[:1].isalpha() else ""


def _of_place_before(text: str, span: Span) -> str:
    """Return the country of a postcode by the state or the town in front of it; empty for others."""
    if _AUSTRALIAN.search(text, max(0, span.start - 5), span.end):
        return "AU"
    return "SG" if _SINGAPOREAN.search(text, max(0, span.start - 11), span.end) else ""


def _of_state(value: str) -> str:
    # WA, NT and SA are states of two countries, and many words are neither.
    folded = fold(value)
    return country_of_region(folded) if state_code_of(value) is None else HOME if folded != "wa" else ""


def _of_city(value: str) -> str:
    folded = fold(value)
    if folded in state_of_city():
        return ""
    town = town_named(folded)
    return town.country if town else ""


def _of_phone(value: str) -> str:
    if value[:1] in "+0":
        return calling_country(value)
    return HOME if value[:1] in {"(", "2", "3", "4", "5", "6", "7", "8", "9"} and _HOME_PHONE.match(value) else ""


def _of_address(value: str) -> str:
    ending = value.rsplit(".", 1)[-1].split("/")[0].lower()
    return _DOMAINS.get(ending, "")


_DOMAINS = {
    "uk": "GB",
    "ie": "IE",
    "nz": "NZ",
    "au": "AU",
    "ca": "CA",
    "sg": "SG",
    "in": "IN",
    "de": "DE",
    "fr": "FR",
    "za": "ZA",
}
_LABELS = {
    "NHS No": "GB",
    "NHS:": "GB",
    "GMC": "GB",
    "HCPC PA": "GB",
    "HCPC PH": "GB",
    "CHI:": "GB",
    "CHI No": "GB",
    "CHI no": "GB",
    "CHI number": "GB",
    "H&C": "GB",
    "PPS No": "IE",
    "PPSN": "IE",
    "Eircode": "IE",
    "CORU": "IE",
    "CNM2": "IE",
    "NHI": "NZ",
    "NRIC": "SG",
    "AADHAAR": "IN",
    "Aadhaar": "IN",
    "Medicare:": "AU",
    "AHPRA": "AU",
    "HPCSA": "ZA",
    "SA ID": "ZA",
}
"""Labels of numbers that one country gives."""


@cache
def _any_label() -> Any:
    # In RE2, which finds one of many words in one pass: most notes have none of them.
    return re2.compile("|".join(map(re2.escape, _LABELS)))


_AUSTRALIAN = re.compile(r"\b(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT),? \d{4}$")
_SINGAPOREAN = re.compile(r"\b(?:Singapore[ (]{1,2}|S ?\()\d{6}$")
_HOME_PHONE = re.compile(r"\(?[2-9]\d\d\)?[ .-]?[2-9]\d\d[ .-]\d{4}(?!\d)")
_READERS = {
    Entity.ZIP: _of_zip,
    Entity.STATE: _of_state,
    Entity.CITY: _of_city,
    Entity.PHONE: _of_phone,
    Entity.FAX: _of_phone,
    Entity.EMAIL: _of_address,
    Entity.URL: _of_address,
}


def _full_date(text: str, spans: Sequence[Span], *, is_day_first: bool) -> datetime.datetime | None:
    """Return the first full date of the year that most full dates of the note have; of several, the latest year.

    Days of years long before the latest one, and those behind a label that says so, are dates of birth. A note without
    a full date has that of a month or a year in it.
    """
    of_note = [span for span in spans if span.entity is Entity.DATE and _year_of(text[span.start : span.end])]
    others = [one for one in of_note if not _BIRTH_BEFORE.search(text, max(0, one.start - _REACH_OF_BIRTH), one.start)]
    dates = [text[span.start : span.end] for span in others or of_note]
    days = [day for value in dates if (day := _day_in(value, is_day_first=is_day_first))]
    if not days:
        return _part_of_date(dates, is_day_first=is_day_first)
    latest = max(day.year for day in days)
    counts = Counter(day.year for day in days if day.year > latest - _MAX_YEARS_BACK)
    year = max(counts, key=lambda one: (counts[one], one))
    return datetime.datetime.combine(next(day for day in days if day.year == year), datetime.time())


def _day_in(value: str, *, is_day_first: bool) -> datetime.date | None:
    """Return the day of a date that has year, month and day; ``None`` for others."""
    for text in dict.fromkeys((value, value.split(" ")[0].split("T")[0])):
        for date in read_dates(text, _UNDATED, is_day_first=is_day_first):
            roles = {part.role for part in date.parts}
            if date.day is not None and roles >= {"year", "month", "day"}:
                return date.day
    return None


def _part_of_date(dates: Sequence[str], *, is_day_first: bool) -> datetime.datetime | None:
    years = Counter(_year_of(value) for value in dates)
    if not years:
        return None
    year = max(years, key=lambda one: (years[one], one))
    for value in dates:
        if _year_of(value) == year:
            for date in read_dates(value, _UNDATED, is_day_first=is_day_first):
                if date.day and date.day.year == year:
                    return datetime.datetime.combine(date.day, datetime.time())
    return None


def _year_of(value: str) -> int:
    """Return the year that a date is written with; 0 where it has none."""
    if found := _YEAR.search(value):
        return int(found.group())
    if found := _SHORT_YEAR.search(value):
        year = _UNDATED.year - _UNDATED.year % 100 + int(found[2])
        return year - 100 if year > _UNDATED.year + _YEARS_AHEAD else year
    return 0
