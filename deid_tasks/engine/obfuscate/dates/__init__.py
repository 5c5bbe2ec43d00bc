"""Dates, times of day and ages.

Dates move by the patient's own number of days and keep the form in which they were written. Times of day change only
where the policy transforms them. Ages above the policy's limit are capped.
"""

from deid_tasks.engine.obfuscate.dates.ages import replace_age
from deid_tasks.engine.obfuscate.dates.date_shift import shift_date
from deid_tasks.engine.obfuscate.dates.times import replace_time

__all__ = ["replace_age", "replace_time", "shift_date"]
