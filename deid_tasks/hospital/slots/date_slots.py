"""Slots of dates, in any style and at any distance from the day of the note, and of times of day."""

import datetime
import difflib
import re

from deid_tasks.core.entities import Entity
from deid_tasks.hospital import dates
from deid_tasks.hospital.errors import SlotError
from deid_tasks.hospital.scene import Scene
from deid_tasks.hospital.slots.writers import Write, one_of

_DATE = re.compile(r"(dob|date(?:(?P<shift>[+-]\d+)|~(?P<low>[+-]?\d+)\.\.(?P<high>[+-]?\d+))?)(?::(?P<style>\w+))?")


def date_slot(body: str) -> Write | None:
    """Return the function that writes a date such as ``date-3:iso``; ``None`` where ``body`` is no date.

    Raises ``SlotError``.
    """
    match = _DATE.fullmatch(body)
    if not match:
        return None
    style = match["style"]
    if style is not None and style != "stamp" and style not in dates.STYLES:
        near = difflib.get_close_matches(style, [*dates.STYLES, "stamp"], n=1)
        raise SlotError(f"no date style {style!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    low, high = int(match["low"] or match["shift"] or 0), int(match["high"] or match["shift"] or 0)
    if low > high:
        raise SlotError(f"the range {low}..{high} is empty")
    is_birth = match[1].startswith("dob")

    def write(scene: Scene) -> None:
        rng = scene.rng
        if is_birth:
            day = scene.patient.birth_date
        else:
            shift = low if low == high else low + int(rng.random() * (high - low + 1))
            day = scene.moment.date() + datetime.timedelta(days=shift)
        if style == "stamp":
            scene.pieces.append((dates.STYLES["mmddyyyy"](day, rng), Entity.DATE))
            scene.pieces.append((" ", None))
            scene.pieces.append((f"{scene.moment:%H:%M}", Entity.TIME))
            return
        form = dates.STYLES[style or (scene.date_style if rng.random() < 0.7 else one_of(dates.COMMON, rng))]
        scene.pieces.append((form(day, rng), Entity.DATE))

    return write


def known_date_slots() -> list[str]:
    """Return the slots of dates, once for each style."""
    return ["date", "dob", *(f"date:{style}" for style in (*dates.STYLES, "stamp"))]


def write_time(scene: Scene) -> None:
    """Write a time of day of the last three hours."""
    shift = datetime.timedelta(minutes=-int(scene.rng.random() * 180))
    scene.pieces.append((dates.time_of_day(scene.moment + shift, scene.rng), Entity.TIME))
