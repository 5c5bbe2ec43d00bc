"""Ages: those that Safe Harbor counts among identifiers become '89+'; the others stay."""

import re

_WORDS = re.compile(r"ninet(?:y|ies)|hundred|centenarian|nonagenarian|supercentenarian", re.IGNORECASE)
_YOUNG = re.compile(r"month|week|day|hour|\b(?:mo|wk|d)s?\b", re.IGNORECASE)


def cap_age(value: str, highest_kept_years: int) -> str:
    """``value`` with an age above ``highest_kept_years`` written as '89+' (that number and a plus sign); else unchanged."""
    capped = f"{highest_kept_years}+"
    number = re.search(r"\d+", value)
    if number is None:
        return capped if _WORDS.search(value) and highest_kept_years < 100 else value
    if int(number.group()) <= highest_kept_years or _YOUNG.search(value):
        return value
    rest = value[number.end() :]
    # "in her 90s" and "a 92nd birthday" read badly with a plus sign and an ending.
    rest = re.sub(r"^\s?(?:'?s|st|nd|rd|th)(?![a-z])", "", rest, flags=re.IGNORECASE)
    return value[: number.start()] + capped + rest
