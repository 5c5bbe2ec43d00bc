"""How often each kind of event happens."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistoryRates:
    """Events a day, on average; they are spread evenly, so 0.2 is one in every five days.

    With the defaults every kind happens within ten days.
    """

    registered: float = 1.0
    renamed: float = 0.3
    moved: float = 0.3
    merged: float = 0.4
    unmerged: float = 0.1
    left: float = 0.1
    hired: float = 0.2
    opened: float = 0.1
    written: float = 8.0
    late: float = 0.6
    before_patient: float = 0.2
    clock_change: float = 0.1
    """Nights with notes at 01:30, at 01:30 again, and at 02:30. Where the days hold a real clock change, its
    night alone has them."""
    without_text: float = 0.2
    damaged: float = 0.1
    amended: float = 1.2
    resaved: float = 0.3
    redated: float = 0.4
    deleted: float = 0.5
    patient_excluded: float = 0.3
    note_excluded: float = 0.3
    exclusion_ended: float = 0.2
    silent: float = 0.1
    """Days on which the interfaces deliver nothing; what happened is delivered the next day, all of it twice."""
    timezone: str = "America/New_York"
    """Whose clock changes count."""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` where a rate is negative."""
        for name in self.__slots__:
            if name != "timezone" and getattr(self, name) < 0:
                raise ValueError(f"the rate of {name} is below 0")
