"""A hospital that lives: days of events over a simulated hospital."""

from deid_tasks.hospital.history.events import EVENTS, Event, HistoryDay
from deid_tasks.hospital.history.rates import HistoryRates
from deid_tasks.hospital.history.simulate import simulate_history
from deid_tasks.hospital.history.writer import HistoryWriter, PresentExclusion, PresentNote

__all__ = [
    "EVENTS",
    "Event",
    "HistoryDay",
    "HistoryRates",
    "HistoryWriter",
    "PresentExclusion",
    "PresentNote",
    "simulate_history",
]
