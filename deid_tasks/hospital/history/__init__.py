"""A hospital that lives: days of events over a simulated hospital."""

from deid_tasks.hospital.history.events import EVENTS, Event, HistoryDay
from deid_tasks.hospital.history.rates import HistoryRates
from deid_tasks.hospital.history.simulate import simulate_history

__all__ = ["EVENTS", "Event", "HistoryDay", "HistoryRates", "simulate_history"]
