"""What stood in a relation before and should stand in it after: dates, places with their numbers, valid numbers."""

import datetime
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from deid_tasks.core.entities import CATEGORY, Category, Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.dates.date_parts import DateInText, read_dates
from deid_tasks.engine.obfuscate.identifiers.national_numbers import kind_of_number
from deid_tasks.engine.obfuscate.note_locale import NoteLocale, read_locale
from deid_tasks.engine.obfuscate.places.place_table import place_rows
from deid_tasks.engine.obfuscate.places.states import state_code_of
from deid_tasks.engine.obfuscate.places.town_table import countries, town_named, town_of_postcode, town_of_region
from deid_tasks.engine.text.check_digits import is_npi, luhn_check_digit, vin_check_character

_PLACES = frozenset({Entity.CITY, Entity.STATE, Entity.ZIP})
_PHONES = frozenset({Entity.PHONE, Entity.FAX})
_MAX_GAP = 60
"""Characters between a town and what belongs to it."""
_SIX_FIGURES = re.compile(r"\d{6}", re.ASCII)
_MAX_DAYS_APART = 800
"""Days between a note and six figures that are a day of it, before and after the shift."""
_UNDATED = datetime.datetime(2020, 7, 1)  # noqa: DTZ001 - as the engine takes it
_HOME_PHONE = re.compile(r"\D?1?\D{0,2}(\d{3})\D{0,2}\d{3}\D?\d{4}(?!\d)")


class Pair(NamedTuple):
    """One replaced span: its entity, where it stands in the original, and both texts."""

    entity: Entity
    start: int
    end: int
    before: str
    after: str


def count_relations(text: str, pairs: Sequence[Pair], counts: Counter[str]) -> None:
    """Add one note's counts of relations before, and of those that still hold.

    Args:
        text: the note.
        pairs: its replaced spans, in order.
        counts: of all notes; ``NAME of`` counts the relations that held before, ``NAME`` those that hold after.
    """
    spans = [Span(one.start, one.end, one.entity) for one in pairs]
    locale = read_locale(text, spans, None, "US")
    for held, holds in (*_dates(pairs, locale), *_weekdays(pairs, locale)):
        counts["relations of"] += held
        counts["relations"] += held and holds
    for held, holds in _places(pairs):
        counts["combinations of"] += held
        counts["combinations"] += held and holds
    for one in pairs:
        if CATEGORY[one.entity] is Category.ID and (kinds := _kinds(one.before, locale.country)):
            counts["valid of"] += 1
            counts["valid"] += bool(kinds & _kinds(one.after, locale.country))


def _dates(pairs: Sequence[Pair], locale: NoteLocale) -> Iterator[tuple[bool, bool]]:
    """Yield for each two dates that follow one another whether both have a day, and whether their distance stays."""
    read = [found for one in pairs if one.entity is Entity.DATE if (found := _days(one, locale))]
    for (before, after), (next_before, next_after) in pairwise(read):
        yield True, next_before - before == next_after - after


def _days(one: Pair, locale: NoteLocale) -> tuple[datetime.date, datetime.date] | None:
    dates = [_full(text, locale) for text in (one.before, one.after)]
    return (dates[0], dates[1]) if dates[0] and dates[1] else None


def _read(text: str, locale: NoteLocale) -> list[DateInText]:
    return read_dates(text, locale.written_at or _UNDATED, is_day_first=locale.is_day_first)


def _full(text: str, locale: NoteLocale) -> datetime.date | None:
    """Return the day of a text that holds one date with day, month and year, or six figures with the year first."""
    if _SIX_FIGURES.fullmatch(text):
        return _year_first(text, locale)
    dates = _read(text, locale)
    roles = {part.role for date in dates for part in date.parts}
    return dates[0].day if len(dates) == 1 and {"day", "month", "year"} <= roles else None


def _year_first(text: str, locale: NoteLocale) -> datetime.date | None:
    try:
        day = datetime.datetime.strptime(text, "%y%m%d").date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None
    written_at = locale.written_at
    return day if written_at and abs((day - written_at.date()).days) < _MAX_DAYS_APART else None


def _weekdays(pairs: Sequence[Pair], locale: NoteLocale) -> Iterator[tuple[bool, bool]]:
    """Yield for each date with its weekday whether it was the right one, and whether it is."""
    for one in pairs:
        if one.entity is Entity.DATE:
            rights = [_is_right(text, locale) for text in (one.before, one.after)]
            if rights[0] is not None:
                yield rights[0], bool(rights[1])


def _is_right(text: str, locale: NoteLocale) -> bool | None:
    dates = _read(text, locale)
    if len(dates) != 1 or not dates[0].day:
        return None
    values = {part.role: part.value for part in dates[0].parts}
    return dates[0].day.weekday() == values["weekday"] if {"weekday", "year", "day", "month"} <= values.keys() else None


def _places(pairs: Sequence[Pair]) -> Iterator[tuple[bool, bool]]:
    """Yield for each town and a state, postcode or telephone number beside it whether both existed together."""
    for i, town in enumerate(pairs):
        if town.entity is not Entity.CITY:
            continue
        for other in pairs[max(0, i - 4) : i + 5]:
            gap = max(other.start - town.end, town.start - other.end)
            if other.entity in (_PLACES | _PHONES) - {Entity.CITY} and gap <= _MAX_GAP:
                check = _has_area if other.entity in _PHONES else _lies_in
                yield check(town.before, other.before), check(town.after, other.after)


def _lies_in(town: str, place: str) -> bool:
    """Whether a town lies in a state or region, or has a postcode."""
    folded, digits = fold(town), re.sub(r"\D", "", place)
    if (state := state_code_of(place)) and any(fold(c) == folded and s == state for _, c, s, _ in place_rows()):
        return True
    if len(digits) in {5, 9} and any(z == digits[:5] and fold(c) == folded for z, c, _, _ in place_rows()):
        return True
    for country in countries():
        known = town_named(folded, country)
        region = town_of_region(fold(place), country)
        if known and ((region and region.region == known.region) or town_of_postcode(place, country) == known):
            return True
    return False


def _has_area(town: str, phone: str) -> bool:
    """Whether a telephone number has an area code of a town."""
    at_home = _HOME_PHONE.fullmatch(phone.strip())
    folded = fold(town)
    if at_home and any(fold(c) == folded and at_home[1] in areas.split(",") for _, c, _, areas in place_rows()):
        return True
    digits = re.sub(r"\D", "", phone)
    towns = (town_named(folded, country) for country in countries())
    return any(one and re.match(rf"(?:\d{{2,3}})?0?{one.area_code}", digits) for one in towns)


def _kinds(value: str, country: str) -> set[str]:
    """Return the kinds of number that a value is valid as."""
    plain = re.sub(r"[\W_]", "", value).upper()
    kinds = set()
    if found := kind_of_number(plain, country):
        kinds.add(found[0].name)
    if plain.isascii() and plain.isdecimal() and is_npi(plain):
        kinds.add("NPI")
    if len(plain) in {15, 16} and plain.isascii() and plain.isdecimal() and luhn_check_digit(plain[:-1]) == plain[-1]:
        kinds.add("card")
    if len(plain) == 17 and not plain.isdecimal() and vin_check_character(plain) == plain[8]:
        kinds.add("VIN")
    return kinds
