"""Nicknames in quotes beside a full name: Okpara, Orville "Buck" T. The note may call the person so, without quotes."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.public import FREQUENT_ZIPF, common_word_frequencies
from deid_tasks.engine.merge.repair import NAMES

_QUOTED = re.compile('["\u201c](?P<word>[A-Z][a-z]{2,14})["\u201d]')
_FARTHEST = 6
"""Characters between a name and the nickname behind it."""
_SENTENCE_BEFORE = re.compile(r"(?:\A|[.!?:;\n])\s*$")
_REACH = 6
_OTHER_NAME_BEHIND = re.compile(r"[ -][A-Z][a-z]|['\u2019]s (?:traction|sign|test|disease|procedure)\b")
"""What makes the word the beginning of another name: Buck Creek Clinic, Buck's traction."""


def quoted_nicknames(text: str, spans: Sequence[Span]) -> dict[str, Span]:
    """Return the nicknames in quotes inside a person's name or right behind one, each with its span.

    Args:
        text: the note.
        spans: spans of the note with a sufficient score, sorted and disjoint.
    """
    found: dict[str, Span] = {}
    starts = [span.start for span in spans]
    for match in _QUOTED.finditer(text):
        index = bisect_left(starts, match.end("word")) - 1
        if index < 0 or spans[index].end < match.end("word") or spans[index].entity not in NAMES:
            continue
        span = spans[index]
        last = spans[index - 1] if index else None
        is_inside = span.start < match.start()
        is_behind = last is not None and last.entity in NAMES and match.start() - last.end <= _FARTHEST
        if is_inside or (is_behind and not text[last.end : match.start()].strip() if last else False):
            found.setdefault(match["word"], span)
    return found


def mentions_of_nicknames(text: str, nicknames: Mapping[str, Span]) -> Iterator[tuple[int, int, Span]]:
    """Yield start, end and span of the other mentions of nicknames, with a capital.

    The most frequent words open sentences too, and no mention is the beginning of another name.
    """
    for word, span in nicknames.items():
        is_frequent = common_word_frequencies().get(word.lower(), 0.0) >= FREQUENT_ZIPF
        for match in re.finditer(rf"(?<![\w-]){word}(?![\w-])", text):
            start, end = match.span()
            opens_sentence = _SENTENCE_BEFORE.search(text, max(0, start - _REACH), start) is not None
            if not (is_frequent and opens_sentence) and not _OTHER_NAME_BEHIND.match(text, end):
                yield start, end, span
