"""Whether a text tells the time of the year in which it was written: snow, lambing, a summer camp."""

from functools import cache
from typing import Any

import re2

from deid_tasks.engine.obfuscate.word_lists import read_word_list

SEASON_DAYS = 42
"""Days by which dates may move in such a note, whole years aside: what the words leave of a season."""
_DAYS_OF_YEAR = 365


def tells_season(text: str) -> bool:
    """Whether a word of the text tells the season."""
    return _words().search(text) is not None


def keeps_season(days: int) -> bool:
    """Whether a shift leaves a day in its season."""
    beyond = abs(days) % _DAYS_OF_YEAR
    return min(beyond, _DAYS_OF_YEAR - beyond) <= SEASON_DAYS


@cache
def _words() -> Any:
    # In RE2, which finds one of many words in one pass.
    entries = (entry.replace("*", r"\w*") for entry in read_word_list("dates/season_words.txt"))
    return re2.compile(rf"(?i)\b(?:{'|'.join(entries)})\b")
