"""Which days a data interval completes, and which days follow each other."""

import datetime

import pytest

from deid_tasks.platform.days import consecutive_days, days_ending_in

NEW_YORK = "America/New_York"


def utc(day: int, hour: int, month: int = 3) -> datetime.datetime:
    return datetime.datetime(2024, month, day, hour, tzinfo=datetime.UTC)


def days(*numbers: int, month: int = 3) -> list[datetime.date]:
    return [datetime.date(2024, month, number) for number in numbers]


def test_a_day_ends_at_local_midnight():
    assert days_ending_in(utc(5, 4), utc(5, 6), NEW_YORK) == days(4)
    assert days_ending_in(utc(5, 0), utc(5, 4), NEW_YORK) == []


@pytest.mark.parametrize("month", [3, 11])
@pytest.mark.parametrize("hours", [1, 7, 24])
def test_every_day_ends_in_one_of_consecutive_intervals(month, hours):
    # Both months hold a night in which the clocks change.
    start = utc(1, 12, month)
    step = datetime.timedelta(hours=hours)
    intervals = [(start + step * n, start + step * (n + 1)) for n in range(20 * 24 // hours)]
    found = [day for first, last in intervals for day in days_ending_in(first, last, NEW_YORK)]
    assert found == sorted(set(found))
    assert found == [found[0] + datetime.timedelta(days=n) for n in range(len(found))]


def test_consecutive_days_are_taken_together():
    assert list(consecutive_days(days(1, 2, 3, 9, 11, 12))) == [
        tuple(days(1, 4)),
        tuple(days(9, 10)),
        tuple(days(11, 13)),
    ]
    assert list(consecutive_days([])) == []
    assert list(consecutive_days([datetime.date(2023, 12, 31), datetime.date(2024, 1, 1)])) == [
        (datetime.date(2023, 12, 31), datetime.date(2024, 1, 2))
    ]
