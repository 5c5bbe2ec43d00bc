"""Ages: those that Safe Harbor counts among identifiers are capped; others stay, or move within their age group."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices

_WORDS = re.compile(
    r"""ninet(?:y|ies)(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?
        | (?:one[ ]|a[ ])?hundred(?:[ ]and[ ]\w+)?
        | super-?centenarian | centenarian | nonagenarian""",
    re.IGNORECASE | re.VERBOSE,
)
"""Ages above 89 that are written in words."""
_NUMBER = re.compile(r"\d+")
_SHORT_UNIT = re.compile(r"[\s-]?(?:months?|mos?|weeks?|wks?|days?|d|hours?|hrs?|h)(?![^\W\d_])", re.IGNORECASE)
"""Units in which a large number is still a young age."""
_IN_SHORT_UNIT = re.compile(
    r"\d[\s-]?(?:months?|mos?|m|weeks?|wks?|w|days?|d|hours?|hrs?|h)(?:[\s-]?o(?:ld)?)?(?![^\W\d_])", re.IGNORECASE
)
_ENDING = re.compile(r"\s?(?:'?s|st|nd|rd|th)(?![^\W\d_])", re.IGNORECASE)
"""Endings that do not read well behind a plus sign: "in her 90s", "a 92nd birthday"."""
_YEARS = re.compile(r"[\s-]*(?:years?|yrs?)[\s-]*olds?\b|[\s-]*(?:y/?o|y\.o\.)", re.IGNORECASE)
_END_OF_LAST_GROUP = 121

AgeForm = Literal["plus", "readable", "or_older"]


def replace_age(
    value: str,
    keyed: KeyedChoices,
    patient_id: str,
    max_kept_years: int,
    form: AgeForm = "plus",
    groups: Sequence[int] = (),
) -> str:
    """Return ``value`` with ages above ``max_kept_years`` capped, and others moved within their group.

    An age moves by the patient's own number of years and wraps around within its group. So two ages of one patient in
    one group keep their distance, unless the group begins again between them.

    Args:
        value: the original.
        keyed: the institution's choices.
        patient_id: whose age it is.
        max_kept_years: the highest age that is not capped.
        form: how a capped age is written: ``89+`` (plus), ``over 89`` (readable) or ``90+`` (or_older).
        groups: the first years of the age groups; ages do not move without groups.
    """
    capped = cap_age(value, max_kept_years, form)
    if not groups or _IN_SHORT_UNIT.search(value):
        return capped
    return _NUMBER.sub(lambda number: _move(number, capped, keyed, patient_id, max_kept_years, groups), capped)


def _move(
    number: re.Match[str], text: str, keyed: KeyedChoices, patient_id: str, max_years: int, groups: Sequence[int]
) -> str:
    digits = number.group()
    before = text[: number.start()].casefold()
    is_cap = text[number.end() : number.end() + 1] == "+" or before.endswith(("over-", "over "))
    if is_cap or len(digits) > 3 or int(digits) > max_years:
        return digits
    index = bisect_right(groups, int(digits)) - 1
    low = groups[index] if index >= 0 else 0
    high = min(groups[index + 1] if index + 1 < len(groups) else _END_OF_LAST_GROUP, max_years + 1)
    width = high - low
    if width < 2:
        return digits
    step = 1 + keyed.number(width - 1, "age", patient_id, str(low))
    moved = low + (int(digits) - low + step) % width
    return f"{moved:0{len(digits)}d}" if digits[0] == "0" else str(moved)


def cap_age(value: str, max_kept_years: int, form: AgeForm = "plus") -> str:
    """Return ``value`` with each age above ``max_kept_years`` written as '89+', as 'over 89', or as '90+'."""
    capped = {"plus": f"{max_kept_years}+", "readable": f"over {max_kept_years}", "or_older": f"{max_kept_years + 1}+"}[
        form
    ]
    if not _NUMBER.search(value):
        if max_kept_years >= 100:
            return value
        return _WORDS.sub(lambda found: _join_cap(capped, value, found.end()), value, count=1)
    made: list[str] = []
    position = 0
    for number in _NUMBER.finditer(value):
        if not _is_above(number.group(), max_kept_years) or _SHORT_UNIT.match(value, number.end()):
            continue
        made += (value[position : number.start()], _join_cap(capped, value, number.end()))
        ending = _ENDING.match(value, number.end())
        position = ending.end() if ending else number.end()
    text = "".join((*made, value[position:]))
    # "92-93" names one age above the limit, not two.
    return re.sub(rf"{re.escape(capped)}\s?(?:-|–|to|or)\s?{re.escape(capped)}", capped, text)


def _join_cap(capped: str, value: str, end: int) -> str:
    """Return "over 89" as it is written before what stands at ``end``: "over-89-year-old", "over 89 yo"."""
    if capped[0] != "o":
        return capped
    following = value[end : end + 1]
    if following == "-":
        return capped.replace(" ", "-")
    return capped + " " if _YEARS.match(value, end) and following.isalpha() else capped


def _is_above(digits: str, limit: int) -> bool:
    return len(digits) > 4 or int(digits) > limit
