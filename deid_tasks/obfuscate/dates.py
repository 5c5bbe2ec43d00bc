"""Dates, moved by the patient's own number of days and written in the form they came in.

A date is read as its parts (weekday, month, day, year, season, holiday), moved as a whole, and each part is written back where
it stood: padding, order, separators, abbreviation, case and ordinal ending stay. What a partial date leaves out is taken from the
day the note was written. Full dates of one patient keep their distances exactly; a month or a year alone may stay the same
when the shift is small. A date that no calendar holds gets other digits.
"""

import datetime
import re
from dataclasses import dataclass

from deid_tasks.obfuscate.cases import match_case
from deid_tasks.obfuscate.holidays import SEASONS, holiday_date, nearest_holiday, season_of
from deid_tasks.obfuscate.scope import Scope

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_LONGEST_NUMBER = 8
_LONGER = {"tuesday": "tues", "thursday": "thurs", "september": "sept"}
"""Usual abbreviations of more than three letters."""
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_UNDATED = datetime.datetime(2020, 7, 1)  # noqa: DTZ001 - only its year serves, where a note has no time


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    role: str
    value: int = 0


def shift_date(value: str, scope: Scope) -> str:
    """``value`` moved by ``scope.shift_days``, in its own form."""
    now = scope.written_at or _UNDATED
    holiday = holiday_date(value, now.year)
    if holiday is not None:
        return match_case(nearest_holiday(_moved(holiday, scope.shift_days), value), value)
    pieces = _read(value, now.year)
    original = _resolve(pieces, now)
    if original is None:
        return _scrambled(value, scope)
    moved = _moved(original, scope.shift_days)
    if any(piece.role == "day" and piece.value > 31 for piece in pieces):
        return _scrambled(value, scope)
    return _write(value, pieces, original, moved)


def _read(value: str, year_now: int) -> list[_Piece]:
    """The parts of a date in words or figures; parts that say nothing of the day are left out."""
    compact = re.fullmatch(r"(?:19|20)\d{6}", value)
    if compact:
        return [
            _Piece(0, 4, "year", int(value[:4])),
            _Piece(4, 6, "month", int(value[4:6])),
            _Piece(6, 8, "day", int(value[6:])),
        ]
    glued = re.fullmatch(r"(\d{2})(\d{2})(\d{2}|\d{4})", value)
    if glued:
        year = _year(glued[3], year_now)
        return [
            _Piece(0, 2, "month", int(glued[1])),
            _Piece(2, 4, "day", int(glued[2])),
            _Piece(4, len(value), "year", year),
        ]
    pieces: list[_Piece] = []
    numbers: list[_Piece] = []
    for match in _PIECE.finditer(value):
        word, (start, end) = match.group().casefold(), match.span()
        if word.isdecimal():
            if len(word) > _LONGEST_NUMBER:
                return []
            numbers.append(_Piece(start, end, "number", int(word)))
        elif word in _ORDINALS and numbers and numbers[-1].end == start:
            pieces.append(_Piece(start, end, "ordinal"))
            numbers[-1].role = "day"
        elif word in SEASONS:
            pieces.append(_Piece(start, end, "season", SEASONS[word]))
        elif (month := _index(word, _MONTHS)) is not None:
            pieces.append(_Piece(start, end, "month", month + 1))
        elif (weekday := _index(word.removesuffix("s") if word.endswith("days") else word, _WEEKDAYS)) is not None:
            pieces.append(_Piece(start, end, "weekday", weekday))
    _name_numbers(value, numbers, pieces, year_now)
    return sorted((*pieces, *numbers), key=lambda piece: piece.start)


def _name_numbers(value: str, numbers: list[_Piece], pieces: list[_Piece], year_now: int) -> None:
    """Say of each number whether it is a day, a month or a year."""
    has_month = any(piece.role in {"month", "season"} for piece in pieces)
    for number in numbers:
        digits = value[number.start : number.end]
        if number.role == "number" and (len(digits) == 4 or value[number.start - 1 : number.start] in {"'", "’"}):
            number.role, number.value = "year", _year(digits, year_now)
    plain = [number for number in numbers if number.role == "number"]
    has_year = any(number.role == "year" for number in numbers)
    if has_month:
        for number in plain:
            has_day = any(other.role == "day" for other in numbers)
            is_last = number is numbers[-1]
            if (has_day or number.value > 31) and is_last and not has_year and number.end - number.start == 2:
                number.role, number.value = "year", _year(value[number.start : number.end], year_now)
            else:
                number.role = "day"
    elif len(plain) == 3:
        _name_three(value, plain, year_now)
    elif len(plain) == 2:
        first, second = plain
        if has_year:
            month_first = first.value <= 12
            first.role, second.role = ("month", "day") if month_first else ("day", "month")
        elif second.value > 31 or second.value == 0:
            first.role, second.role = "month", "year"
            second.value = _year(value[second.start : second.end], year_now)
        else:
            first.role, second.role = ("month", "day") if first.value <= 12 else ("day", "month")
    elif len(plain) == 1 and has_year:
        plain[0].role = "month"
    elif len(plain) == 1:
        plain[0].role = "day"


def _name_three(value: str, plain: list[_Piece], year_now: int) -> None:
    first, second, third = plain
    first.role, second.role = ("month", "day") if first.value <= 12 or second.value > 12 else ("day", "month")
    third.role, third.value = "year", _year(value[third.start : third.end], year_now)


def _year(digits: str, year_now: int) -> int:
    if len(digits) != 2:
        return int(digits)
    year = year_now - year_now % 100 + int(digits)
    return year - 100 if year > year_now + 20 else year


def _resolve(pieces: list[_Piece], now: datetime.datetime) -> datetime.date | None:
    """The day that the parts name, filled up from the day of the note; ``None`` where they name none."""
    parts: dict[str, int] = {}
    for piece in pieces:
        parts.setdefault(piece.role, piece.value)
    if not parts.keys() & {"year", "month", "day", "weekday", "season"}:
        return None
    if "number" in parts:
        return None
    if parts.keys() <= {"weekday"}:
        return now.date() - datetime.timedelta(days=(now.weekday() - parts["weekday"]) % 7)
    month = parts.get("month", parts.get("season", now.month if "day" in parts else 7))
    day = parts.get("day", 15)
    if "year" in parts:
        return _date(parts["year"], month, day)
    near = [found for year in (now.year - 1, now.year, now.year + 1) if (found := _date(year, month, day))]
    return min(near, key=lambda found: abs((found - now.date()).days), default=None)


def _write(value: str, pieces: list[_Piece], original: datetime.date, moved: datetime.date) -> str:
    numbers = [value[p.start : p.end] for p in pieces if p.role in {"month", "day"} and value[p.start].isdecimal()]
    is_figures = len(numbers) > 1 or "-" in value
    is_padded = any(n.startswith("0") for n in numbers) or (
        is_figures and "/" not in value and all(len(n) == 2 for n in numbers)
    )
    made: list[str] = []
    position = 0
    day_written = moved
    for piece in pieces:
        old = value[piece.start : piece.end]
        if piece.role == "day":
            # The second day of a range such as "March 3-5" is moved by itself.
            here = _date(original.year, original.month, piece.value) if piece.value != original.day else original
            day_written = moved + (here - original) if here else moved
            new = f"{day_written.day:02d}" if is_padded else str(day_written.day)
        elif piece.role == "ordinal":
            new = match_case(_ordinal(day_written.day), old)
        elif piece.role == "month":
            new = f"{moved.month:02d}" if is_padded else str(moved.month)
            if not old.isdecimal():
                new = _like_name(_MONTHS[moved.month - 1], old, value[piece.end : piece.end + 1], _MONTHS)
        elif piece.role == "year":
            new = f"{moved.year % 100:02d}" if len(old) == 2 else f"{moved.year:04d}"[-len(old) :].rjust(len(old), "0")
        elif piece.role == "weekday":
            weekday = (piece.value + (moved - original).days) % 7
            new = _like_name(_WEEKDAYS[weekday], old, value[piece.end : piece.end + 1], _WEEKDAYS)
        else:
            new = match_case(season_of(moved, old), old)
        made.append(value[position : piece.start] + new)
        position = piece.end
    return "".join(made) + value[position:]


def _like_name(name: str, old: str, following: str, names: list[str]) -> str:
    """A month or weekday, abbreviated as ``old`` is."""
    word = old.casefold()
    plural = "s" if word.endswith("days") else ""
    is_full = word.removesuffix(plural) in names and not (word == "may" and following in {"-", ".", "'", "’"})
    short = _LONGER.get(name, name[:3]) if len(old) > 3 else name[:3]
    new = name if is_full else short
    new = new.capitalize() + plural
    return match_case(new, old)


def _ordinal(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _index(word: str, names: list[str]) -> int | None:
    if len(word) < 3:
        return None
    return next((i for i, name in enumerate(names) if name.startswith(word) or word == "sept" == name[:4]), None)


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except (ValueError, OverflowError):
        return None


def _moved(day: datetime.date, days: int) -> datetime.date:
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError:
        return day - datetime.timedelta(days=days)


def _scrambled(value: str, scope: Scope) -> str:
    """Other digits in the same places; years and words that cannot be read are no safer than the rest."""
    if any(char.isdigit() for char in value):
        return re.sub(r"\d+", lambda match: _other_digits(match.group(), value, scope), value)
    return match_case(scope.keyed.choice(_WEEKDAYS, "date", scope.patient_id, value).capitalize(), value)


def _other_digits(digits: str, value: str, scope: Scope) -> str:
    if re.fullmatch(r"(?:19|20)\d\d", digits):
        return str(_moved(datetime.date(int(digits), 7, 1), scope.shift_days).year)
    return scope.keyed.like(digits, "date", scope.patient_id, value)
