"""Local calendar days, the unit of publication: which days a data interval completes, and which follow each other."""

import datetime
import itertools
from collections.abc import Iterator, Sequence
from zoneinfo import ZoneInfo

_DAY = datetime.timedelta(days=1)


def days_ending_in(start: datetime.datetime, end: datetime.datetime, zone: str) -> list[datetime.date]:
    """Return the calendar days whose last moment lies in ``(start, end]``, in order.

    Every day ends in exactly one of consecutive intervals, whatever schedule divides the time, also where a day has 23
    or 25 hours.

    Args:
        start: Start of a data interval, with a time zone.
        end: Its end.
        zone: IANA time zone in which the notes' times are written.
    """
    local = ZoneInfo(zone)
    first = start.astimezone(local).date()
    last = end.astimezone(local).date()
    days = (first + _DAY * number for number in range((last - first).days + 1))
    return [day for day in days if start < _end_of(day, local) <= end]


def consecutive_days(days: Sequence[datetime.date]) -> Iterator[tuple[datetime.date, datetime.date]]:
    """Yield the first day of each sequence of consecutive days, and the day after its last one.

    Args:
        days: Different days in order.
    """
    for _, numbered in itertools.groupby(enumerate(days), lambda pair: pair[1] - _DAY * pair[0]):
        together = [day for _, day in numbered]
        yield together[0], together[-1] + _DAY


def _end_of(day: datetime.date, local: ZoneInfo) -> datetime.datetime:
    return datetime.datetime.combine(day + _DAY, datetime.time(), local).astimezone(datetime.UTC)
