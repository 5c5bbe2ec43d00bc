"""Peoples that a field of ethnicity names and that look like a given name and a surname: NZ European/Kai Tahu."""

import re
from functools import cache
from pathlib import Path

from deid_tasks.core.reference import fold

_PREFIX = re.compile(r"(?:ng[aā]i|k[aā]i|ng[aā]ti|te|ng[aā])[ -]", re.IGNORECASE)
_ETHNICITY_BEFORE = re.compile(
    r"\b(?:euro(?:pean)?|p[aā]keh[aā]|m[aā]ori|iwi|hap[uū]|ethnicity|ethnic)\b[:,/( ]{1,3}(?:m[aā]ori[,/ (]{1,2})?$",
    re.IGNORECASE,
)
_LEADING = re.compile(r"(?:NZ )?(?:Euro(?:pean)?|P[aā]keh[aā]|M[aā]ori)[/,] ?")
"""Another people in front of it in the same words: NZ Euro/Kai Tahu."""
_REACH = 24


def is_people(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is an iwi behind the word for an ethnicity; elsewhere it may be a person's name."""
    leading = _LEADING.match(text, start, end)
    if leading is not None:
        return is_people(text, leading.end(), end)
    prefix = _PREFIX.match(text, start, end)
    if prefix is None or fold(text[prefix.end() : end]) not in _iwi():
        return False
    return _ETHNICITY_BEFORE.search(text, max(0, start - _REACH), start) is not None


@cache
def _iwi() -> frozenset[str]:
    lines = Path(__file__).with_name("iwi.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
