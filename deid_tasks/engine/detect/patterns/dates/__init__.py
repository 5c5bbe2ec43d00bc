"""Dates, times of day and ages: in figures, in words, and beside the people they belong to."""

from deid_tasks.engine.detect.patterns.dates import (
    ages,
    ages_of_life,
    ages_of_people,
    calendar_words,
    misread,
    months,
    numeric,
    other_forms,
    spoken_times,
    times,
    times_of_orders,
)
from deid_tasks.engine.detect.patterns.rule import Rule

__all__ = ["FORM_TABLES", "RULES"]

RULES = (
    Rule("numeric date", numeric.NUMERIC_TRIGGER, numeric.read_numeric),
    Rule("labelled date", numeric.LABELLED_TRIGGER, numeric.read_labelled_date),
    Rule("date that was misread", misread.MISREAD_TRIGGER, misread.read_misread_date),
    Rule("date that was misread, of two numbers", misread.MISREAD_PAIR_TRIGGER, misread.read_misread_pair),
    Rule("month in Roman numbers", other_forms.ROMAN_MONTH_TRIGGER, other_forms.read_roman_month),
    Rule("quarter of a year", other_forms.QUARTER_TRIGGER, other_forms.read_quarter),
    Rule("bare year of two figures", other_forms.BARE_YEAR_TRIGGER, other_forms.read_bare_year),
    Rule("year that somebody believes", other_forms.BELIEVED_YEAR_TRIGGER, other_forms.read_believed_year),
    Rule("month", months.MONTH_TRIGGER, months.read_month),
    Rule("weekday", calendar_words.WEEKDAY_TRIGGER, calendar_words.read_weekday),
    Rule("letter of a weekday", calendar_words.WEEKDAY_LETTER_TRIGGER, calendar_words.read_weekday_letter),
    Rule("holiday", calendar_words.HOLIDAY_TRIGGER, calendar_words.read_holiday),
    Rule("holiday by its letters", calendar_words.MLK_TRIGGER, calendar_words.read_holiday_by_letters),
    Rule("season", calendar_words.SEASON_TRIGGER, calendar_words.read_season),
    Rule("year", calendar_words.YEAR_TRIGGER, calendar_words.read_year),
    Rule("weekdays by letters", calendar_words.DIALYSIS_TRIGGER, calendar_words.read_dialysis),
    Rule("short year", calendar_words.SHORT_YEAR_TRIGGER, calendar_words.read_short_year),
    Rule("day of the month", calendar_words.ORDINAL_TRIGGER, calendar_words.read_ordinal),
    Rule("stamp", times.STAMP_TRIGGER, times.read_stamp),
    Rule("time", times.TIME_TRIGGER, times.read_time),
    Rule("hour of waking", times.AWAKE_TRIGGER, times.read_awake),
    Rule("spoken hour", times.SPOKEN_HOUR_TRIGGER, times.read_spoken_hour),
    Rule("clock in words", spoken_times.CLOCK_IN_WORDS_TRIGGER, spoken_times.read_clock_in_words),
    Rule("military time in words", spoken_times.MILITARY_IN_WORDS_TRIGGER, spoken_times.read_military_in_words),
    Rule("hours of a schedule", spoken_times.SCHEDULE_TRIGGER, spoken_times.read_schedule),
    Rule("times of pressures", times_of_orders.PRESSURES_TRIGGER, times_of_orders.read_times_of_pressures),
    Rule("time of an order", times_of_orders.ORDER_TRIGGER, times_of_orders.read_time_of_order),
    Rule("time of an event", times_of_orders.EVENT_TRIGGER, times_of_orders.read_time_of_event),
    Rule("time of a last dose", times_of_orders.LAST_DOSE_TRIGGER, times_of_orders.read_time_of_last_dose),
    Rule("hours of rates", times_of_orders.BASAL_TRIGGER, times_of_orders.read_hours_of_rates),
    Rule("hour and half of the day", times.HALF_OF_DAY_TRIGGER, times.read_half_of_day),
    Rule("hour with an h", times.HOUR_WITH_H_TRIGGER, times.read_hour_with_h),
    Rule(
        "age beside a birth date",
        ages_of_people.BESIDE_BIRTH_DATE_TRIGGER,
        ages_of_people.read_age_beside_birth_date,
    ),
    Rule("age in a header", ages_of_people.IN_HEADER_TRIGGER, ages_of_people.read_age_in_header),
    Rule("ages of children", ages_of_people.AGES_OF_CHILDREN_TRIGGER, ages_of_people.read_ages_of_children),
    Rule("age with its unit", ages.OLD_TRIGGER, ages.read_age_with_unit),
    Rule("age of an infant", ages.INFANT_TRIGGER, ages.read_age_of_infant),
    Rule("age at present", ages.PRESENT_AGE_TRIGGER, ages.read_present_age),
    Rule("labelled age", ages.AGED_TRIGGER, ages.read_labelled_age),
    Rule("decade", ages.DECADE_TRIGGER, ages.read_decade),
    Rule("age and sex", ages.AGE_AND_SEX_TRIGGER, ages.read_age_and_sex),
    Rule("age at an event", ages.EVENT_TRIGGER, ages.read_age_at_event),
    Rule("age beside a name", ages_of_people.BESIDE_NAME_TRIGGER, ages_of_people.read_age_beside_name),
    Rule("age at a milestone", ages_of_life.MILESTONE_TRIGGER, ages_of_life.read_age_at_milestone),
    Rule("ages of a habit", ages_of_life.HABIT_TRIGGER, ages_of_life.read_ages_of_habit),
    Rule("age in a family history", ages_of_life.FAMILY_TRIGGER, ages_of_life.read_age_in_family_history),
    Rule("age at an onset", ages_of_life.ONSET_TRIGGER, ages_of_life.read_age_at_onset),
    Rule("age in a pedigree", ages_of_people.PEDIGREE_TRIGGER, ages_of_people.read_age_in_pedigree),
    Rule("age at a diagnosis", ages_of_people.DIAGNOSIS_TRIGGER, ages_of_people.read_age_at_diagnosis),
    Rule("age of a visit", ages_of_people.AGE_OF_VISIT_TRIGGER, ages_of_people.read_age_of_visit),
)
"""The rules of this room."""

FORM_TABLES = numeric.FORM_TABLES
"""The tables of forms, whose examples are tests."""
