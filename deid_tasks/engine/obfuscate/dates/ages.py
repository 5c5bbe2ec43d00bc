"""Ages: those that Safe Harbor counts among identifiers are put together; others stay, or move within their group."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices

_WORDS = re.compile(
    r"ninet(?:y|ies)(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?|(?:one |a )?hundred(?: and \w+)?|super-?centenarian|centenarian|nonagenarian",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_YOUNG = re.compile(r"[\s-]?(?:months?|mos?|weeks?|wks?|days?|d|hours?|hrs?|h)(?![^\W\d_])", re.IGNORECASE)
"""Units in which a large number is still a young age."""
_OF_YOUNG = re.compile(
    r"\d[\s-]?(?:months?|mos?|m|weeks?|wks?|w|days?|d|hours?|hrs?|h)(?:[\s-]?o(?:ld)?)?(?![^\W\d_])", re.IGNORECASE
)
_ENDING = re.compile(r"\s?(?:'?s|st|nd|rd|th)(?![^\W\d_])", re.IGNORECASE)
"""What reads badly behind a plus sign: "in her 90s", "a 92nd birthday"."""
_YEARS = re.compile(r"[\s-]*(?:years?|yrs?)[\s-]*olds?\b|[\s-]*(?:y/?o|y\.o\.)", re.IGNORECASE)
_LAST_YEAR = 121


def replace_age(
    value: str,
    keyed: KeyedChoices,
    patient_id: str,
    highest_kept_years: int,
    form: Literal["plus", "readable"] = "plus",
    groups: Sequence[int] = (),
) -> str:
    """``value`` with ages above ``highest_kept_years`` put together, and others moved within ``groups`` (first years) if there are any.

    An age moves by the patient's own number of years, round within its group: two ages of one patient that lie in one group keep
    their distance, but for the place where the group begins again.
    """
    capped = cap_age(value, highest_kept_years, form)
    if not groups or _OF_YOUNG.search(value):
        return capped
    return _NUMBER.sub(lambda number: _moved(number, capped, keyed, patient_id, highest_kept_years, groups), capped)


def _moved(
    number: re.Match[str], text: str, keyed: KeyedChoices, patient_id: str, highest: int, groups: Sequence[int]
) -> str:
    digits = number.group()
    is_cap = text[number.end() : number.end() + 1] == "+" or text[: number.start()].casefold().endswith(
        ("over-", "over ")
    )
    if is_cap or len(digits) > 3 or int(digits) > highest:
        return digits
    index = bisect_right(groups, int(digits)) - 1
    low = groups[index] if index >= 0 else 0
    high = min(groups[index + 1] if index + 1 < len(groups) else _LAST_YEAR, highest + 1)
    width = high - low
    if width < 2:
        return digits
    step = 1 + keyed.number(width - 1, "age", patient_id, str(low))
    made = low + (int(digits) - low + step) % width
    return f"{made:0{len(digits)}d}" if digits[0] == "0" else str(made)


def cap_age(value: str, highest_kept_years: int, form: Literal["plus", "readable"] = "plus") -> str:
    """``value`` with each age above ``highest_kept_years`` written as '89+', or as 'over 89'; else unchanged."""
    capped = f"{highest_kept_years}+" if form == "plus" else f"over {highest_kept_years}"
    if not _NUMBER.search(value):
        if highest_kept_years >= 100:
            return value
        return _WORDS.sub(lambda found: _in_place(capped, value, found.end()), value, count=1)
    made: list[str] = []
    position = 0
    for number in _NUMBER.finditer(value):
        if not _is_above(number.group(), highest_kept_years) or _YOUNG.match(value, number.end()):
            continue
        made += (value[position : number.start()], _in_place(capped, value, number.end()))
        ending = _ENDING.match(value, number.end())
        position = ending.end() if ending else number.end()
    text = "".join((*made, value[position:]))
    # "92-93" names one age above the limit, not two.
    return re.sub(rf"{re.escape(capped)}\s?(?:-|–|to|or)\s?{re.escape(capped)}", capped, text)


def _in_place(capped: str, value: str, end: int) -> str:
    """ "over 89" as it stands before "-year-old" and before "yo"."""
    if capped[0] != "o":
        return capped
    following = value[end : end + 1]
    return (
        capped.replace(" ", "-")
        if following == "-"
        else capped + " "
        if _YEARS.match(value, end) and following.isalpha()
        else capped
    )


def _is_above(digits: str, limit: int) -> bool:
    return len(digits) > 4 or int(digits) > limit
