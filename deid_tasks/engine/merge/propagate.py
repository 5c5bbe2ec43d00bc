"""Propagation: a name that was found once with a sufficient score is found wherever else it is in the note."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache

from deid_tasks.core.entities import Category
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.everyday_names import is_medical_word, is_public_word, is_rare_word
from deid_tasks.engine.merge.nicknames import mentions_of_nicknames, quoted_nicknames
from deid_tasks.engine.merge.repair import NAMES
from deid_tasks.settings import PropagationSettings

DETECTOR = "propagation"
_MIN_ORGANIZATION = 6
_SHORTEST = 2
_CALLED_BEFORE = re.compile(r"(?:known as|goes by|called|prefers|aka) [\"“]?$")
"""What stands in front of a name of two letters that is one wherever it stands: known as Wi."""
_REACH = 8
_BEFORE_ORGANIZATION = re.compile(r"\b(?:the|at|from|to|by|via|with|of|for|per|call|called) $", re.IGNORECASE)
_SERVICE_BEHIND = re.compile(
    r" (?:gastro|ortho|cardiology|neurology|oncology|onc|rehab|surg|gynae|paeds|peds|clinic|ward|lab|pharmacy"
    r"|ED|ER|ICU)\b"
)
"""What makes the first word of a hospital its name in short: "Jacaranda gastro"."""
_WORDS = re.compile(r"[A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+){1,2}")
"""A surname of several words: Two Elk."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def propagate(text: str, spans: Sequence[Span], settings: PropagationSettings) -> list[Span]:
    """Return ``spans`` and the mentions of their names that no span covers, sorted and disjoint.

    A word of a name is looked for as it was written, in Title case and in capitals, as a whole word, unless it is short
    or an everyday word that is not rare; a surname of several words is looked for whole. Where one word was found as
    several entities, the span with the highest score decides; of equal scores, the first. O(n) for each different name
    of the note.

    Args:
        text: the note.
        spans: spans of the note, sorted and disjoint.
        settings: minimum score of a span and minimum letters of a name.
    """
    words = _organizations(text, spans, settings) | _names(text, spans, settings)
    nicknames = quoted_nicknames(text, [span for span in spans if span.score >= settings.min_score])
    if not words and not nicknames:
        return list(spans)
    covered = sorted((span.start, span.end) for span in spans)
    found: list[Span] = []
    mentions = [*_mentions(text, words), *mentions_of_nicknames(text, nicknames)]
    for start, end, source in sorted(mentions, key=lambda one: (one[0], -one[1])):
        # Of mentions that overlap (`Oka-Lee`, `Lee`), the first and longest stays.
        if (found and start < found[-1].end) or _overlaps(covered, start, end):
            continue
        found.append(Span(start, end, source.entity, DETECTOR, source.score))
    return sorted([*spans, *found]) if found else list(spans)


def _names(text: str, spans: Sequence[Span], settings: PropagationSettings) -> dict[str, Span]:
    """Return the words of names to look for, with the span that decides the entity of each."""
    words: dict[str, Span] = {}
    for span in spans:
        if span.entity not in NAMES or span.score < settings.min_score:
            continue
        for match in _WORD.finditer(text, span.start, span.end):
            word = match.group()
            is_called = len(word) == _SHORTEST and _CALLED_BEFORE.search(
                text, max(0, match.start() - 16), match.start()
            )
            if (
                (len(word) < settings.min_letters and not is_called)
                or not word[0].isupper()
                or _is_everyday(fold(word))
            ):
                continue
            known = words.get(word)
            if known is None or span.score > known.score:
                words[word] = span
        surname, comma, _ = text[span.start : span.end].partition(",")
        if comma and _WORDS.fullmatch(surname):
            words.setdefault(surname, span)
    return words


def _organizations(text: str, spans: Sequence[Span], settings: PropagationSettings) -> dict[str, Span]:
    """Return the first words of organizations by which the note may call them: Lowcountry of Lowcountry Medical Group.

    It is a long word that is in no public list; the note has a preposition or "the" before it.
    """
    words: dict[str, Span] = {}
    for span in spans:
        if span.category is not Category.ORGANIZATION or span.score < settings.min_score:
            continue
        first, _, rest = text[span.start : span.end].partition(" ")
        if (
            rest
            and len(first) >= _MIN_ORGANIZATION
            and first.isalpha()
            and first.istitle()
            and not _is_public(fold(first))
        ):
            words.setdefault(first, span)
    return words


def _is_public(word: str) -> bool:
    """Whether a word is one of the public lists, by itself or in a medical term."""
    return is_public_word(word) or is_medical_word(word)


def _is_everyday(word: str) -> bool:
    """Whether a word with a capital is more likely the word than the name: Young, but not Violet."""
    return word in everyday_words() and not is_rare_word(word)


def _mentions(text: str, words: dict[str, Span]) -> list[tuple[int, int, Span]]:
    """Return start, end and deciding span of each whole word of ``text`` that is one of ``words``."""
    forms: dict[str, Span] = {}
    for word, span in words.items():
        for form in (word, word.title(), word.upper()):
            forms.setdefault(form, span)
    found: list[tuple[int, int, Span]] = []
    for form, span in forms.items():
        start = text.find(form)
        while start >= 0:
            end = start + len(form)
            is_whole = not _is_word_character(text, start - 1) and not _is_word_character(text, end)
            is_organization = span.category is Category.ORGANIZATION
            if is_whole and (not is_organization or _calls_organization(text, start, end)):
                found.append((start, end, span))
            start = text.find(form, end)
    return found


def _calls_organization(text: str, start: int, end: int) -> bool:
    """Whether the first word of an organization stands where the note may call it so."""
    before = _BEFORE_ORGANIZATION.search(text, max(0, start - _REACH), start)
    return before is not None or _SERVICE_BEHIND.match(text, end) is not None


def _is_word_character(text: str, offset: int) -> bool:
    return 0 <= offset < len(text) and (text[offset].isalnum() or text[offset] == "_")


def _overlaps(covered: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    following = bisect_left(covered, (start, start))
    if following < len(covered) and covered[following][0] < end:
        return True
    return following > 0 and covered[following - 1][1] > start


@cache
def everyday_words() -> frozenset[str]:
    """Return the folded words that are never propagated as names."""
    return frozenset(row["word"] for row in read_tsv("common_words.tsv"))
