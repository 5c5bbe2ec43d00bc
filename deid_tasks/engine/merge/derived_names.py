"""Words that are made of a name which stands in full in the same note: short forms of it, and user names.

Mr. Abdirahman Warsame is Abdi further down, and what Ms. Parata entered is stamped APARATA.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.everyday_names import is_public_word, is_rare_word
from deid_tasks.engine.lexicon.patient_terms import related_given_names
from deid_tasks.engine.lexicon.public import common_word_frequencies
from deid_tasks.engine.merge.given_names import given_names
from deid_tasks.engine.merge.propagate import DETECTOR
from deid_tasks.engine.merge.repair import NAMES

_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"(?<![\w@./\\-])[^\W\d_]{3,16}(?![\w@]|[-/.][^\W\d_])")
_MIN_SHORT = 4
"""Letters of the beginning of a given name that is taken for its short form."""
_MIN_SURNAME = 5
"""Letters of a surname, or of its beginning, in a user name."""
_MAX_INITIALS = 2
_VERY_RARE_ZIPF = 3.5
"""Frequency below which an everyday word that is a nickname does not even open sentences."""
_SENTENCE_BEFORE = re.compile(r"(?:\A|[.!?:;\n])\s*$")


def mark_derived_names(text: str, spans: Sequence[Span], min_score: float) -> list[Span]:
    """Return ``spans`` with the short forms of given names, and the user names made of initials and a surname, sorted.

    A short form is a nickname of a given name or its beginning, in Title case. A user name is a surname, or the
    beginning of a long one, behind one or two letters, of which the first is an initial of the same person. Neither is
    an everyday or a medical word. O(n).

    Args:
        text: the note.
        spans: spans of the note, sorted and disjoint.
        min_score: the lowest score of a name in full.
    """
    names = [span for span in spans if span.entity in NAMES and span.score >= min_score]
    if not names:
        return list(spans)
    short, users = _forms(text, names)
    ends = [span.end for span in spans]
    found = list(spans)
    for match in _tokens_with(text, {*(form[:_MIN_SHORT] for form in short), *(form[:_MIN_SURNAME] for form in users)}):
        start, end = match.span()
        following = bisect_left(ends, start + 1)
        if following < len(spans) and spans[following].start < end:
            continue
        word = match.group()
        folded = word.lower()
        source = short.get(folded) if word.istitle() and not _may_be_verb(text, start, folded) else None
        entity = source.entity if source else Entity.USERNAME
        source = source or _user(folded, users)
        if source and (not is_public_word(folded) or _is_rare_nickname(text, start, word)):
            found.append(Span(start, end, entity, DETECTOR, source.score))
    return sorted(found)


def _may_be_verb(text: str, start: int, word: str) -> bool:
    """Whether a nickname opens a sentence, where its capital says nothing: Pat the wound dry."""
    is_short_nickname = len(word) <= _MIN_SHORT and word in related_given_names()
    return is_short_nickname and _SENTENCE_BEFORE.search(text, max(0, start - _MIN_SHORT), start) is not None


def _is_rare_nickname(text: str, start: int, word: str) -> bool:
    """Whether an everyday word is a nickname that a note hardly uses as a word: Marge; at the head of a sentence, too.

    Rusty is not: it describes what is coughed up.
    """
    folded = word.lower()
    if not (word.istitle() and folded in related_given_names() and is_rare_word(folded)):
        return False
    is_very_rare = common_word_frequencies().get(folded, 0.0) < _VERY_RARE_ZIPF
    return is_very_rare or not _SENTENCE_BEFORE.search(text, max(0, start - _MIN_SHORT), start)


def _tokens_with(text: str, beginnings: Iterable[str]) -> Iterator[re.Match[str]]:
    """Yield the tokens in which one of ``beginnings`` stands, first or behind initials."""
    lowered = text.lower()
    if len(lowered) != len(text):  # İ has two letters in lower case.
        lowered = "".join(letter.lower()[0] for letter in text)
    starts: set[int] = set()
    for beginning in beginnings:
        at = lowered.find(beginning)
        while at >= 0:
            start = at
            while start > max(0, at - _MAX_INITIALS) and text[start - 1].isalpha():
                start -= 1
            starts.add(start)
            at = lowered.find(beginning, at + 1)
    for start in starts:
        if token := _TOKEN.match(text, start):
            yield token


def _forms(text: str, names: Sequence[Span]) -> tuple[dict[str, Span], dict[str, tuple[frozenset[str], Span]]]:
    """Return the short forms of the given names, and by surname the initials of its bearers; folded, with the span."""
    short: dict[str, Span] = {}
    users: dict[str, tuple[frozenset[str], Span]] = {}
    for span in names:
        surname, comma, given = text[span.start : span.end].partition(",")
        words = [fold(match.group()) for match in _WORD.finditer(f"{given} {surname}" if comma else surname)]
        for index, word in enumerate(words):
            for form in _short_forms(word, is_given=index == 0 < len(words) - 1):
                short.setdefault(form, span)
            initials = frozenset(other[0] for other in words if other is not word)
            for length in range(_MIN_SURNAME, len(word) + 1) if initials else ():
                known = users.get(word[:length], (frozenset[str](), span))[0]
                users[word[:length]] = (known | initials, span)
    return short, users


def _short_forms(word: str, *, is_given: bool) -> Iterator[str]:
    """Yield the short forms of a word of a name; of surnames there are none but the nicknames that they might be."""
    yield from related_given_names().get(word, ())
    if is_given or word in given_names():
        yield from (word[:length] for length in range(_MIN_SHORT, len(word)))


def _user(word: str, users: Mapping[str, tuple[frozenset[str], Span]]) -> Span | None:
    """Return the span of the person of whose initials and surname a word is made."""
    for count in range(1, _MAX_INITIALS + 1):
        initials, surname = word[:count], word[count:]
        known = users.get(surname)
        if known and initials[0] in known[0]:
            return known[1]
    return None
