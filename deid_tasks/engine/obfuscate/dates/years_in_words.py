"""Years spelled out in words: read as digits, and written back in the manner of the original."""

import re

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve"),
    *(f"{stem}teen" for stem in ("thir", "four", "fif", "six", "seven", "eigh", "nine")),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_BELOW_20 = dict(zip((*_UNITS, *_TEENS), range(1, 20), strict=True))
_OF_TENS = dict(zip(_TENS, range(20, 100, 10), strict=True))
_TWO_DIGITS = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_UNITS)})\b)?|{'|'.join(_TEENS)})\b"
_ONE_DIGIT = rf"(?:{'|'.join(_UNITS)})\b"
YEAR_IN_WORDS = re.compile(
    rf"""\b(?:
        two[ ]thousand(?:(?P<and>[ ]and)?[ ](?P<rest>{_TWO_DIGITS}|{_ONE_DIGIT}))?\b
        | (?P<century>nineteen|twenty)(?:[ ]hundred(?:[ ]and)?)?[ -](?P<years>{_TWO_DIGITS}|oh?[ -]{_ONE_DIGIT})
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Two thousand and four, twenty twenty-four, nineteen eighty-two, nineteen oh five."""


def year_of(found: re.Match[str]) -> int:
    """Return the year that a match of ``YEAR_IN_WORDS`` says."""
    if found["century"] is None:
        return 2000 + _number_of(found["rest"] or "")
    return (1900 if found["century"].lower() == "nineteen" else 2000) + _number_of(found["years"])


def year_in_words(year: int, like: re.Match[str]) -> str:
    """Return a year in words, with "thousand", "and" and a hyphen where ``like`` has them.

    Args:
        year: 1900 to 2099.
        like: the match of ``YEAR_IN_WORDS`` that it replaces.
    """
    hyphen = " " if "-" not in like.group() and (like["rest"] or like["years"] or "").count(" ") else "-"
    below = year % 100
    ending = _words_of(below, hyphen)
    if 2000 <= year < 2010 or (year >= 2000 and like["century"] is None):
        joined = " and " if like["and"] else " "
        text = f"two thousand{joined + ending if below else ''}"
    else:
        century = "nineteen" if year < 2000 else "twenty"
        text = f"{century} {'hundred' if not below else ending if below >= 10 else 'oh ' + ending}"
    return text.capitalize() if like.group()[0].isupper() else text


def _number_of(words: str) -> int:
    return sum(_BELOW_20.get(word, 0) or _OF_TENS.get(word, 0) for word in re.split(r"[ -]", words.lower()))


def _words_of(number: int, hyphen: str) -> str:
    if number < 20:
        return (*_UNITS, *_TEENS)[number - 1] if number else ""
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (hyphen + _UNITS[ones - 1] if ones else "")
