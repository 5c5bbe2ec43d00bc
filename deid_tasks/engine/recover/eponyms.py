"""Eponyms without the word they belong to: "Murphy is equivocal", "Norton and Braden done", "treadmill (Bruce)"."""

import re
from functools import cache, lru_cache

from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.lexicon.patient_terms import related_given_names

RARE_NAME = 5.0
"""Bearers among 100,000 people below which a surname is an everyday word or an eponym more often than a person's
name."""
_FINDING = re.compile(
    r"""
    (?:['’]?s)?
    (?:[ ](?:sign|test|score|reflex|maneuver|is|was|were))?
    [ :]{1,2}
    (?:
        neg\b|negative|pos\b|positive|equivocal|absent|present\b            # the result of a sign
        |\+(?=[.,;)]|\s*$|\n)|\(\+\)|\(-\)
        |normal|nl\b|intact|ok\b(?!['’])|n/a|deferred
        |not[ ](?:used|done|performed|tested|indicated)
        |opened|rechecked|repeated|unchanged                                # what was done with it
        |retractors?|clamps?|forceps                                        # tools
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What follows an eponym that is a sign, a test, a scale or a tool."""
_SIGN = re.compile(
    r"['’]?s? (?:neg\b|negative|pos\b|positive|equivocal|absent|present\b|intact|symmetric|incomplete|none(?=[.,;]))",
    re.IGNORECASE,
)
_MARKED_BEFORE = re.compile(r"(?:^|[\s,;:(])\+$|(?:sonographic|neg(?:ative)?|pos(?:itive)?) $", re.IGNORECASE)
"""What stands in front of a sign: +Murphy; behind a hyphen somebody signs."""
_ASKED_BEFORE = re.compile(
    r"(?:^|(?<!by)(?<!with)(?<!\bto)(?<!from)(?<![Dd]r)(?<!d/w)(?<!see)(?<!saw)(?<!name)(?<!MD)(?<!\bis)[\s,;/(])\?$"
)
"""What stands in front of a diagnosis that is asked for, "?Clark naevus ?Reed", but not "seen by ?Reed"."""
_IN_FAMILY = re.compile(
    r"['’]s in (?:your|my|his|her|their) "
    r"(?:family|mother|mom|mum|father|dad|aunt|uncle|sister|brother|grand[a-z]+|cousin)\b"
)
"""Where a disease is named by its eponym alone: "Addison's in your aunt", but not "Allen's in the room"."""
_NAMED_BEFORE = re.compile(
    r"(?:protocol|treadmill|formula|equation|score|scale|test|index|criteria|classification|sign|method)\W{1,3}$",
    re.IGNORECASE,
)
_BETWEEN = r"(?:['’]s)?(?:, | and |, and |/| (?P<score>\d{1,3}(?:/\d{1,3})?[a-z]?)[,;]?\s{1,8})"
"""Between two eponyms of a list, or of a row of scores: "Katz 4     Lawton 5"."""
_COPIED_TO = re.compile(r"\b(?:cc|copies|copy|copied|sent|to)(?: to)?:", re.IGNORECASE)
_LISTED_BEFORE = re.compile(rf"(?P<word>[^\W\d_][\w-]{{1,24}}){_BETWEEN}$")
_LISTED_AFTER = re.compile(rf"{_BETWEEN}(?P<word>[^\W\d_][\w-]{{1,24}})")

_STAND_ALONE = frozenset(("eponym", "procedure", "test", "scale"))
"""Kinds of terms whose name clinicians write by itself."""
_POSSESSIVE = _STAND_ALONE | {"anatomy"}
"""Kinds whose name they write by itself with an s: "Scarpa's opened", but never "Calot" for the triangle."""


@cache
def eponym_words(kinds: frozenset[str] = _STAND_ALONE) -> frozenset[str]:
    """Return the folded names that terms of the given kinds begin with: signs, scales, instruments and tests."""
    words = (row["term"].split(" ")[0] for row in read_tsv("eponyms.tsv") if row["kind"] in kinds)
    return frozenset(fold(word.removesuffix("'s")) for word in words if len(word) > 3 and word[0].isupper())


@lru_cache(maxsize=1)
def bearers() -> dict[str, float]:
    """Return how many of 100,000 people have a name, as family or given name, by the folded name."""
    found = {fold(row["surname"]): float(row["per_100k"]) for row in read_tsv("surnames.tsv")}
    for row in read_tsv("given_names.tsv"):
        name = fold(row["given_name"])
        found[name] = found.get(name, 0.0) + float(row["women_per_100k"]) + float(row["men_per_100k"])
    for row in read_tsv("names_beyond.tsv"):
        name = fold(row["name"])
        found[name] = max(found.get(name, 0.0), RARE_NAME)
    return found


def is_name(word: str) -> bool:
    """Whether somebody has the name ``word``, or is called so."""
    return fold(word) in bearers() or fold(word) in related_given_names()


def is_rare_name(word: str) -> bool:
    """Whether fewer than ``RARE_NAME`` of 100,000 people have the name ``word``."""
    return bearers().get(fold(word), 0.0) < RARE_NAME


def is_lone_eponym(text: str, start: int, end: int) -> bool:
    """Whether the word ``text[start:end]`` is an eponym that stands for a finding, a test or a tool.

    It is if the name is rare among people, or if the words around it describe a finding, a test or a tool.
    """
    word = text[start:end].removesuffix("'s").removesuffix("’s")
    is_possessive = text[start + len(word) : start + len(word) + 2] in ("'s", "’s")
    known = eponym_words(_POSSESSIVE) if is_possessive else eponym_words()
    if not word[0].isupper() or fold(word) not in known:
        return False
    stop = start + len(word)
    return (
        is_rare_name(word)
        or bool(_MARKED_BEFORE.search(text[max(0, start - 12) : start]))
        or is_asked_for(text, start)
        or bool(is_possessive and _IN_FAMILY.match(text, stop, stop + 32))
        or bool(_FINDING.match(text, stop, stop + 40))
        or bool(_NAMED_BEFORE.search(text[max(0, start - 24) : start]))
        or is_listed(text, start, stop)
    )


def is_asked_for(text: str, start: int) -> bool:
    """Whether a question mark in front of a word asks for a diagnosis."""
    return _ASKED_BEFORE.search(text[max(0, start - 8) : start]) is not None


def is_sign(text: str, start: int, end: int) -> bool:
    """Whether an eponym is described as positive or negative, which signs are and people are not."""
    return fold(text[start:end]) in eponym_words() and bool(_SIGN.match(text, end, end + 16))


def is_listed(text: str, start: int, end: int) -> bool:
    """Whether an eponym is next to another one in a list.

    If a number follows the first, one of both must be rare among people: a list of people may show their ages. Who
    gets a copy is no eponym.
    """
    word = text[start:end]
    if fold(word) not in eponym_words() or _COPIED_TO.search(text, text.rfind("\n", 0, start) + 1, start):
        return False
    sides = (_LISTED_BEFORE.search(text[max(0, start - 48) : start]), _LISTED_AFTER.match(text, end, end + 48))
    return any(
        side is not None
        and fold(side["word"]) in eponym_words()
        and (side["score"] is None or is_rare_name(word) or is_rare_name(side["word"]))
        for side in sides
    )
