"""Eponyms that stand alone: "Murphy is equivocal", "Norton and Braden done", "treadmill (Bruce)"."""

import re
from functools import cache, lru_cache

from deid_tasks.core.reference import fold, read_tsv

RARE_NAME = 5.0
"""A surname that fewer of 100,000 people bear is somebody's name less often than it is an everyday word or an eponym."""
_FINDING = re.compile(
    r"(?:['’]?s)?(?: (?:sign|test|score|reflex|maneuver|is|was|were))?[ :]{1,2}"
    r"(?:neg\b|negative|pos\b|positive|equivocal|absent|present\b|normal|nl\b|intact|ok\b(?!['’])|n/a|deferred|not (?:used|done|performed|tested|indicated)"
    r"|opened|rechecked|repeated|unchanged|retractors?|clamps?|forceps)",
    re.IGNORECASE,
)
_SIGN = re.compile(r"['’]?s? (?:neg\b|negative|pos\b|positive|equivocal|absent|none(?=[.,;]))", re.IGNORECASE)
_NAMED_FOR = re.compile(
    r"(?:protocol|treadmill|formula|equation|score|scale|test|index|criteria|classification|sign|method)\W{1,3}$",
    re.IGNORECASE,
)
_BETWEEN = r"(?:['’]s)?(?:, | and |, and |/| (?P<score>\d{1,3}(?:/\d{1,3})?[a-z]?)[,;]?\s{1,8})"
"""Between two eponyms of a list, or of a row of scores: "Katz 4     Lawton 5"."""
_LISTED_BEFORE = re.compile(rf"(?P<word>[^\W\d_][\w-]{{1,24}}){_BETWEEN}$")
_LISTED_AFTER = re.compile(rf"{_BETWEEN}(?P<word>[^\W\d_][\w-]{{1,24}})")

_STAND_ALONE = frozenset(("eponym", "procedure", "test", "scale"))
"""Kinds of terms of which clinicians write the name alone; of anatomy they do with an s: "Scarpa's opened", never "Calot" for the triangle."""
_OWNED = _STAND_ALONE | {"anatomy"}


@cache
def eponym_words(kinds: frozenset[str] = _STAND_ALONE) -> frozenset[str]:
    """The words that signs, scales, instruments and tests are named after, as they begin a term, in small letters."""
    words = (row["term"].split(" ")[0] for row in read_tsv("eponyms.tsv") if row["kind"] in kinds)
    return frozenset(fold(word.removesuffix("'s")) for word in words if len(word) > 3 and word[0].isupper())


@lru_cache(maxsize=1)
def bearers() -> dict[str, float]:
    """How many of 100,000 people bear a name, as family name or as given name, by the name in small letters."""
    found = {fold(row["surname"]): float(row["per_100k"]) for row in read_tsv("surnames.tsv")}
    for row in read_tsv("given_names.tsv"):
        name = fold(row["given_name"])
        found[name] = found.get(name, 0.0) + float(row["women_per_100k"]) + float(row["men_per_100k"])
    for row in read_tsv("names_beyond.tsv"):
        name = fold(row["name"])
        found[name] = max(found.get(name, 0.0), RARE_NAME)
    return found


def is_rare_name(word: str) -> bool:
    """Whether hardly anybody is called ``word``."""
    return bearers().get(fold(word), 0.0) < RARE_NAME


def is_lone_eponym(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]``, one word, is what an eponym begins with, and either hardly anybody's name or told to be a finding, a test or a tool."""
    word = text[start:end].removesuffix("'s").removesuffix("’s")
    is_owner = text[start + len(word) : start + len(word) + 2] in ("'s", "’s")
    known = eponym_words(_OWNED) if is_owner else eponym_words()
    if not word[0].isupper() or fold(word) not in known:
        return False
    stop = start + len(word)
    return (
        is_rare_name(word)
        or bool(_FINDING.match(text, stop, stop + 40))
        or bool(_NAMED_FOR.search(text[max(0, start - 24) : start]))
        or is_listed(text, start, stop)
    )


def is_sign(text: str, start: int, end: int) -> bool:
    """Whether an eponym is told to be positive or negative, as signs are and people are not."""
    return fold(text[start:end]) in eponym_words() and bool(_SIGN.match(text, end, end + 16))


def is_listed(text: str, start: int, end: int) -> bool:
    """Whether an eponym stands in a list beside another one; with scores one of both is hardly anybody's name, since people have ages."""
    word = text[start:end]
    if fold(word) not in eponym_words():
        return False
    sides = (_LISTED_BEFORE.search(text[max(0, start - 48) : start]), _LISTED_AFTER.match(text, end, end + 48))
    return any(
        side is not None
        and fold(side["word"]) in eponym_words()
        and (side["score"] is None or is_rare_name(word) or is_rare_name(side["word"]))
        for side in sides
    )
