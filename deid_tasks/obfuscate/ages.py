"""Ages: those that Safe Harbor counts among identifiers become '89+'; the others stay."""

import re

_WORDS = re.compile(r"ninet(?:y|ies)|hundred|centenarian|nonagenarian|supercentenarian", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_YOUNG = re.compile(r"[\s-]?(?:months?|mos?|weeks?|wks?|days?|d|hours?|hrs?|h)(?![^\W\d_])", re.IGNORECASE)
"""Units in which a large number is still a young age."""
_ENDING = re.compile(r"\s?(?:'?s|st|nd|rd|th)(?![^\W\d_])", re.IGNORECASE)
"""What reads badly behind a plus sign: "in her 90s", "a 92nd birthday"."""


def cap_age(value: str, highest_kept_years: int) -> str:
    """``value`` with each age above ``highest_kept_years`` written as '89+' (that number and a plus sign); else unchanged."""
    capped = f"{highest_kept_years}+"
    if not _NUMBER.search(value):
        return capped if _WORDS.search(value) and highest_kept_years < 100 else value
    made: list[str] = []
    position = 0
    for number in _NUMBER.finditer(value):
        if not _is_above(number.group(), highest_kept_years) or _YOUNG.match(value, number.end()):
            continue
        made += (value[position : number.start()], capped)
        ending = _ENDING.match(value, number.end())
        position = ending.end() if ending else number.end()
    text = "".join((*made, value[position:]))
    # "92-93" names one age above the limit, not two.
    return re.sub(rf"{re.escape(capped)}\s?(?:-|–|to|or)\s?{re.escape(capped)}", capped, text)


def _is_above(digits: str, limit: int) -> bool:
    return len(digits) > 4 or int(digits) > limit
