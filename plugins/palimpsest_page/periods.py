"""The spans of time that the page can show, each divided into at most forty buckets, whatever lies in it."""

import datetime
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time that ends with the newest figure."""

    key: str
    """What the address says, as in ``?period=year``."""
    title: str
    days: int
    bucket_days: int
    """Days that one point of a chart stands for."""

    @property
    def length(self) -> datetime.timedelta:
        """The whole span."""
        return datetime.timedelta(days=self.days)

    @property
    def bucket(self) -> datetime.timedelta:
        """The span of one point."""
        return datetime.timedelta(days=self.bucket_days)


PERIODS = (
    Period("month", "1 month", 30, 1),
    Period("quarter", "3 months", 91, 3),
    Period("year", "1 year", 366, 14),
    Period("years", "3 years", 1_098, 28),
)
_DEFAULT = "quarter"


def period_of(key: str | None) -> Period:
    """Return the period of this key; three months for a key that is missing or unknown."""
    by_key = {period.key: period for period in PERIODS}
    return by_key.get(key or _DEFAULT, by_key[_DEFAULT])
