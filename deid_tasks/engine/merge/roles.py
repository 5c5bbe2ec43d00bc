"""Roles that agree: a given name that stands alone has the role of the one whose full name the note has."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.merge.repair import NAMES

_WORD = re.compile(r"[^\W\d_]+")
_MIN_LETTERS = 3
_REACH = 20
_KIN_BEFORE = re.compile(
    r"\b(?:wife|husband|spouse|partner|mom|mum|mother|dad|father|sons?|daughters?|sisters?|brothers?|niece|nephew|aunt"
    r"|auntie|uncle|cousin|grand\w+|nan|nanny|fianc\w+|friend|neighbou?r|girlfriend|boyfriend|twin|sib|kids?|whaea"
    r")[^\w\n]{1,3}$",
    re.IGNORECASE,
)
_CLINICIAN_BEFORE = re.compile(r"(?:\b(?:drs?|prof|rn|np|md|pa|lpn|cna|crna|sw|nurse|per)\.?|\()\s?$", re.IGNORECASE)
_TITLE_BEFORE = re.compile(r"\b(?:mr|mrs|ms|mdm|miss)\.? $", re.IGNORECASE)


def follow_roles(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with single names in the role of the full name that they are a part of.

    Models read "Mr. Lujan notes" as the patient although "Night tech: Buddy Lujan" stands above. What stands in front
    of a single name tells more, and so do two roles of the full names; a surname, which a family shares, follows only
    behind a title and only where it stands alone once. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    names = [
        (span, list(map(fold, _WORD.findall(text, span.start, span.end)))) for span in spans if span.entity in NAMES
    ]
    roles: defaultdict[str, set[Entity]] = defaultdict(set)
    givens: set[str] = set()
    surnames: set[str] = set()
    alone: Counter[tuple[str, Entity]] = Counter()
    for span, words in names:
        if len(words) == 1:
            alone[words[0], span.entity] += 1
            continue
        if "," in text[span.start : span.end]:
            words = [*words[1:], *words[:1]]
        for word in words:
            roles[word].add(span.entity)
        givens.update(words[:-1])
        surnames.update(words[-1:])
    followed: dict[Span, Entity] = {}
    for span, words in names:
        word = words[0] if len(words) == 1 and len(words[0]) >= _MIN_LETTERS else ""
        if len(roles.get(word, ())) != 1 or (word in surnames and word in givens):
            continue
        before = text[max(0, span.start - _REACH) : span.start]
        if _KIN_BEFORE.search(before) or _CLINICIAN_BEFORE.search(before):
            continue
        if word in givens or (_TITLE_BEFORE.search(before) and alone[word, span.entity] == 1):
            followed[span] = next(iter(roles[word]))
    return [replace(span, entity=followed[span]) if span in followed else span for span in spans]
