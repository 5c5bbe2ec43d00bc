"""Holidays that follow the moon: Islamic and Jewish ones by arithmetic, others by tables of years.

The Islamic calendar is the tabular one, which may miss the day that was seen by one; the Jewish calendar is exact
(Reingold and Dershowitz, Calendrical Calculations).
"""

import datetime
from collections.abc import Callable

Rule = Callable[[int], datetime.date]

_ISLAMIC_EPOCH = datetime.date(622, 7, 19).toordinal()
_HEBREW_EPOCH = -1_373_427
_PARTS_OF_DAY = 25_920
_YEARS_OF_TABLE = range(2010, 2031)
_CHINESE_NEW_YEAR = (
    *("0214", "0203", "0123", "0210", "0131", "0219", "0208", "0128", "0216", "0205", "0125"),
    *("0212", "0201", "0122", "0210", "0129", "0217", "0206", "0126", "0213", "0203"),
)
_DIWALI = (
    *("1105", "1026", "1113", "1103", "1023", "1111", "1030", "1019", "1107", "1027", "1114"),
    *("1104", "1024", "1112", "1031", "1020", "1108", "1029", "1017", "1105", "1026"),
)
_HOLI = (
    *("0301", "0320", "0308", "0327", "0317", "0306", "0324", "0313", "0302", "0321", "0310"),
    *("0329", "0318", "0308", "0325", "0314", "0304", "0322", "0311", "0301", "0320"),
)


def _of_table(days: tuple[str, ...], usual: tuple[int, int]) -> Rule:
    """Return a rule that reads a table, and gives a usual day for years outside of it."""

    def find(year: int) -> datetime.date:
        if year not in _YEARS_OF_TABLE:
            return datetime.date(year, *usual)
        day = days[year - _YEARS_OF_TABLE.start]
        return datetime.date(year, int(day[:2]), int(day[2:]))

    return find


diwali = _of_table(_DIWALI, (11, 1))
holi = _of_table(_HOLI, (3, 14))
lunar_new_year = _of_table(_CHINESE_NEW_YEAR, (2, 5))


_MATARIKI = {
    2022: (6, 24),
    2023: (7, 14),
    2024: (6, 28),
    2025: (6, 20),
    2026: (7, 10),
    2027: (6, 25),
    2028: (7, 14),
    2029: (7, 6),
    2030: (6, 21),
}
"""Te Kāhui o Matariki Public Holiday Act 2022, schedule 1."""
_GANESH_CHATURTHI = {
    2019: (9, 2),
    2020: (8, 22),
    2021: (9, 10),
    2022: (8, 31),
    2023: (9, 19),
    2024: (9, 7),
    2025: (8, 27),
    2026: (9, 14),
    2027: (9, 4),
    2028: (8, 23),
}
_ONAM = {
    2019: (9, 11),
    2020: (8, 31),
    2021: (8, 21),
    2022: (9, 8),
    2023: (8, 29),
    2024: (9, 15),
    2025: (9, 5),
    2026: (8, 26),
}
_MID_AUTUMN = {
    2019: (9, 13),
    2020: (10, 1),
    2021: (9, 21),
    2022: (9, 10),
    2023: (9, 29),
    2024: (9, 17),
    2025: (10, 6),
    2026: (9, 25),
}


def matariki(year: int) -> datetime.date:
    """Return the day of Matariki, a usual one for years without a rule of law."""
    return datetime.date(year, *_MATARIKI.get(year, (6, 28)))


def ganesh_chaturthi(year: int) -> datetime.date:
    """Return the day of Ganesh Chaturthi, a usual one for years outside of the table."""
    return datetime.date(year, *_GANESH_CHATURTHI.get(year, (9, 5)))


def onam(year: int) -> datetime.date:
    """Return the day of Onam, a usual one for years outside of the table."""
    return datetime.date(year, *_ONAM.get(year, (9, 5)))


def mid_autumn(year: int) -> datetime.date:
    """Return the day of the Mid-Autumn Festival, a usual one for years outside of the table."""
    return datetime.date(year, *_MID_AUTUMN.get(year, (9, 21)))


def islamic(month: int, day: int) -> Rule:
    """Return a rule for a day of the Islamic calendar: the first one in a year of the common calendar."""

    def find(year: int) -> datetime.date:
        first = max(1, int((year - 622) * 33 / 32) - 1)
        for own in range(first, first + 5):
            found = datetime.date.fromordinal(
                _ISLAMIC_EPOCH + 354 * (own - 1) + (3 + 11 * own) // 30 + (59 * (month - 1) + 1) // 2 + day - 1
            )
            if found.year == year:
                return found
        return datetime.date(year, 1, 1)

    return find


def jewish(days: int, *, from_new_year: bool = True) -> Rule:
    """Return a rule for a day that is a number of days behind Rosh Hashanah, or behind Passover."""

    def find(year: int) -> datetime.date:
        # The Jewish year that begins in the autumn of the common year; Passover is 163 days before it.
        new_year = datetime.date.fromordinal(_hebrew_new_year(year + 3_761))
        return new_year + datetime.timedelta(days=days if from_new_year else days - 163)

    return find


def _hebrew_new_year(year: int) -> int:
    before, behind = _elapsed(year - 1), _elapsed(year + 1)
    own = _elapsed(year)
    correction = 2 if behind - own == 356 else 1 if own - before == 382 else 0
    return _HEBREW_EPOCH + own + correction


def _elapsed(year: int) -> int:
    months = (235 * year - 234) // 19
    day = 29 * months + (12_084 + 13_753 * months) // _PARTS_OF_DAY
    return day + 1 if 3 * (day + 1) % 7 < 3 else day
