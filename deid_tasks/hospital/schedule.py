"""When notes are written, and who writes what kind of note."""

import datetime
from collections.abc import Iterator
from itertools import accumulate, pairwise

from deid_tasks.hospital.records import HospitalSpec

_WEEKEND = 0.45
"""Weekend days see this share of a weekday's notes."""

ROLE_WORDS: tuple[tuple[str, str], ...] = (
    ("radiol", "radiologist"), ("imaging", "radiologist"), ("patholog", "pathologist"), ("path_report", "pathologist"),
    ("nurs", "nurse"), ("triage", "nurse"), ("telephone", "nurse"), ("phone", "nurse"), ("refill", "nurse"),
    ("questionnaire", "nurse"),
    ("anticoag", "pharmacist"), ("protime", "pharmacist"), ("pharm", "pharmacist"), ("social", "social_worker"),
    ("case_manage", "social_worker"), ("therapy", "therapist"), ("rehab", "therapist"), ("nutrition", "dietitian"),
    ("diet", "dietitian"),
)  # fmt: skip
"""Part of a note type's name → the role that writes it; all others are physicians'."""

_INPATIENT = (
    "admission",
    "discharge",
    "nurs",
    "operati",
    "ed_",
    "er_",
    "radiol",
    "imaging",
    "path",
    "hospital",
    "history",
    "procedure",
    "triage",
)
_COMMON = (
    ("progress", 5.0), ("telephone", 4.0), ("phone", 4.0), ("nurs", 5.0), ("radiol", 3.0), ("imaging", 3.0), ("refill",
    2.5), ("clinic_visit", 4.0),
    ("anticoag", 2.0), ("protime", 2.0), ("ed_", 2.0), ("er_", 2.0), ("path", 1.5), ("history", 1.5), ("admission",
    1.5), ("discharge", 1.5), ("portal", 2.0), ("message", 2.0),
)  # fmt: skip


def role_for(note_type: str) -> str:
    """Return the role that writes notes of this type."""
    return next((role for word, role in ROLE_WORDS if word in note_type), "physician")


def is_inpatient(note_type: str) -> bool:
    """Whether notes of this type are written in the hospital rather than a clinic."""
    return any(word in note_type for word in _INPATIENT)


def commonness(note_type: str) -> float:
    """How often a note is of this type, relative to the rarer types."""
    return next((weight for word, weight in _COMMON if word in note_type), 1.0)


def moments(spec: HospitalSpec) -> Iterator[datetime.datetime]:
    """Yield the time of each note in order: every day of the spec has its share, most of it in working hours."""
    days = [spec.start + datetime.timedelta(days=offset) for offset in range(max(1, spec.days))]
    totals = list(accumulate(1.0 if day.weekday() < 5 else _WEEKEND for day in days))
    done = 0
    for day, total in zip(days, totals, strict=True):
        until = round(spec.notes * total / totals[-1])
        midnight = datetime.datetime.combine(day, datetime.time())
        for place in range(until - done):
            yield midnight + datetime.timedelta(minutes=minute_of_day((place + 0.5) / (until - done)))
        done = until


def minute_of_day(share: float) -> int:
    """Return the minute of the day by which ``share`` of the day's notes are written: 8 % by seven, 88 % by seven in
    the evening.
    """
    points = ((0.0, 0), (0.08, 420), (0.4, 690), (0.7, 930), (0.88, 1140), (1.0, 1439))
    for (low, start), (high, end) in pairwise(points):
        if share <= high:
            return int(start + (share - low) / (high - low) * (end - start))
    return 1439
