"""File names are divided into what they hold: of "Okafor_heel_20240514.jpg" the name and the day are identifiers.

A rule and models mark a file name whole, as an identifier of its own. Where it holds a name of the note or a day, these
parts get their own kinds, words such as "heel" and the ending are left as they are, and every other part, of which
nobody knows what it means, stays marked. A file name without a name or a day stays whole.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.detectors import SHORT_NAMES
from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.public import common_word_frequencies, medical_abbreviations
from deid_tasks.engine.merge.repair import NAMES
from deid_tasks.engine.merge.short_names import initials_of_people

_ENDING = re.compile(
    r"\.(?:jpe?g|png|heic|tiff?|bmp|gif|dcm|mp4|mov|avi|pdf|wav|mp3|docx?|xlsx?|pptx?|rtf|txt|csv|hl7|xml|json|zip)\b",
    re.IGNORECASE,
)
_OF_FILE_NAME = re.compile(r"[\w\-.]")
_PART = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+")
_DAY = re.compile(
    r"(?<![^\W_])(?:(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])"  # 20240514, 2024-05-14
    r"|(?:0?[1-9]|[12]\d|3[01])-?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}-?(?:\d\d){1,2}"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}-?(?:\d\d){1,2}"  # Sept24
    r"|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d\d){0,2}"  # 0514, 051424
    r"|[12]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # 240514
    r"|(?:0?[1-9]|[12]\d|3[01])-(?:0?[1-9]|[12]\d|3[01])-(?:\d\d){1,2}"  # 5-14-24
    r"|(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2]))?"  # 2024, 2024-05
    r"|january|february|march|june|july|august|september|october|november|december)(?![^\W_])",
    re.IGNORECASE | re.ASCII,
)
_OF_SIDE = re.compile(r"[LR]([A-Za-z][a-z]{2,})")
"""A part of the body with its side: Lheel, RHip."""
_VERSION = re.compile(r"v\d{1,2}", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<word>[A-Za-z]{3,})\d{1,2}")
"""A word with its number: scan2."""
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LONGEST = 120
"""Characters on either side of a span that its file name may have."""
_MIN_LETTERS = 3
_MIN_HELD = 4
"""Letters of a name from which a longer word that begins or ends with it holds it: EOkafor, OkaforM."""
_MAX_BESIDE = 3
"""Letters that stand beside it then: initials."""
_MIN_ZIPF = 2.0
_WITH_INITIAL = NAMES | {Entity.USERNAME}
"""The entities of parts behind which an initial may stand."""
_CLIPPED_HALVES = re.compile(r"([A-Z][a-z]{2,})([A-Z][a-z]{2,})")
"""The beginnings of a double surname, NakPer, or of a surname and a given name."""


class _People(NamedTuple):
    """The people of a note: whose each folded word of their names is, and their initials."""

    names: dict[str, Entity]
    initials: frozenset[str]


class _FileName(NamedTuple):
    """Where a file name begins, and where its ending begins and ends."""

    start: int
    ending: int
    end: int


def divide_file_names(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with file names divided into names, days and the rest, sorted and disjoint.

    Initials and clipped names of the note's people are found in every file name, also where no detector marks it.
    O(n log n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    spans = sorted((*spans, *_people_in_file_names(text, spans)))
    files = sorted({one for span in spans if span.entity is Entity.OTHER_ID and (one := _file_name(text, span))})
    if not files:
        return spans
    people = _people(text, spans, files)
    kept: list[Span] = []
    inside: dict[int, list[Span]] = {}
    for span in spans:
        index = _file_of(span, files)
        (kept if index is None else inside.setdefault(index, [])).append(span)
    for index, found in inside.items():
        whole = [span for span in found if span.entity is Entity.OTHER_ID]
        others = [span for span in found if span.entity is not Entity.OTHER_ID]
        parts = [part for span in whole for part in _parts(text, span, files[index].ending, people)]
        is_told = bool(others) or any(part.entity is not Entity.OTHER_ID for part in parts)
        kept += others + (parts if is_told else whole)
    return sorted(kept)


def _file_of(span: Span, files: Sequence[_FileName]) -> int | None:
    """Return the position of the file name that a span lies in."""
    index = bisect_right(files, span.start, key=lambda file: file.start) - 1
    return index if index >= 0 and span.end <= files[index].end else None


def _file_name(text: str, span: Span) -> _FileName | None:
    """Return the file name that a span lies in; ``None`` where it is none."""
    low, high = span.start, span.end
    first, last = max(0, low - _LONGEST), min(len(text), high + _LONGEST)
    while low > first and _OF_FILE_NAME.match(text[low - 1]):
        low -= 1
    while high < last and _OF_FILE_NAME.match(text[high]):
        high += 1
    endings = list(_ENDING.finditer(text, low, high))
    if not endings or span.end > endings[-1].end():
        return None
    return _FileName(low, endings[-1].start(), endings[-1].end())


def _people_in_file_names(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the parts of file names that no span covers and that are names, clipped names or initials of the note."""
    found_at = (_file_at(text, ending) for ending in _ENDING.finditer(text))
    files = list({one.start: one for one in found_at if one}.values())
    if not files:
        return []
    people, ends = _people(text, spans, files), [span.end for span in spans]
    found: list[Span] = []
    for file in files:
        last: tuple[int, Entity] | None = None
        for part in _PART.finditer(text, file.start, file.ending):
            start, end = part.span()
            index = bisect_right(ends, start)
            covering = spans[index] if index < len(spans) and spans[index].start < end else None
            entity = covering.entity if covering else _whose(part.group(), people, opens=start == file.start)
            if entity is None and last is not None and start - last[0] == 1 and _is_letter(part.group()):
                entity = last[1]
            if entity is not None and covering is None:
                found.append(Span(start, end, entity, SHORT_NAMES, 1.0))
            last = (end, _of_initial(entity)) if entity in _WITH_INITIAL else None
    return found


def _file_at(text: str, ending: re.Match[str]) -> _FileName | None:
    """Return the file name in front of an ending; ``None`` where nothing stands there, or an address of the web."""
    start = ending.start()
    while start > max(0, ending.start() - _LONGEST) and _OF_FILE_NAME.match(text[start - 1]):
        start -= 1
    is_path = text[start - 1 : start] in {"/", "@", ":"}
    return None if start == ending.start() or is_path else _FileName(start, ending.start(), ending.end())


def _people(text: str, spans: Sequence[Span], files: Sequence[_FileName]) -> _People:
    """Return the people whose names stand outside file names."""
    names: dict[str, Entity] = {}
    outside = [span for span in spans if span.entity in NAMES and _file_of(span, files) is None]
    for span in outside:
        words = _WORD.findall(text, span.start, span.end)
        for word in words:
            if len(word) >= _MIN_LETTERS:
                names.setdefault(fold(word), span.entity)
        if len(words) > 1:
            names.setdefault("".join(map(fold, words[-2:])), span.entity)
    return _People(names, initials_of_people(text, outside))


def _parts(text: str, span: Span, ending: int, people: _People) -> list[Span]:
    """Return the parts of a span in a file name that are identifiers or may be one."""
    parts: list[Span] = []
    days = [found.span() for found in _DAY.finditer(text, span.start, min(span.end, ending))]
    parts += (replace(span, start=low, end=high, entity=Entity.DATE) for low, high in days)
    last: Span | None = None
    for found in _PART.finditer(text, span.start, min(span.end, ending)):
        if any(low < found.end() and found.start() < high for low, high in days):
            continue
        part, word = replace(span, start=found.start(), end=found.end()), found.group()
        is_first = not _OF_FILE_NAME.match(text[part.start - 1 : part.start])
        entity = _whose(word, people, opens=is_first)
        if entity is None and len(word) == 1 and last is not None and part.start - last.end == 1:
            # An initial behind a name: okafor_m.
            entity = _of_initial(last.entity)
        last = replace(part, entity=entity) if entity is not None and word.isalpha() else None
        if entity is not None:
            # Recovery would take a single letter of a model for a fragment.
            detector = SHORT_NAMES if entity is Entity.INITIALS or len(word) == 1 else part.detector
            parts.append(replace(part, entity=entity, detector=detector))
        elif not _is_plain(word):
            parts.append(part)
    return parts


def _is_letter(part: str) -> bool:
    return len(part) == 1 and part.isalpha()


def _of_initial(entity: Entity) -> Entity:
    """Return the entity of an initial behind a name of this entity."""
    return Entity.INITIALS if entity is Entity.USERNAME else entity


def _whose(word: str, people: _People, *, opens: bool) -> Entity | None:
    """Return whose name or initials a word is, or ``USERNAME`` where it holds a name or the beginnings of one.

    ``None`` where it holds none of the note. What holds a name is replaced as an account is, so that it follows its
    person. Letters of an examination are somebody's initials only where they open the file name (``opens``).
    """
    names, folded = people.names, fold(word)
    if folded in names:
        return names[folded]
    if word in people.initials and (opens or word.lower() not in _words_of_files()):
        return Entity.INITIALS
    for beside in range(1, _MAX_BESIDE + 1):
        for held in (folded[beside:], folded[:-beside]):
            if len(held) >= _MIN_HELD and held in names:
                return Entity.USERNAME
    return Entity.USERNAME if _is_clipped(word, names) else None


def _is_clipped(word: str, names: Mapping[str, Entity]) -> bool:
    """Whether a word is the beginning of a long name, or the beginnings of two: HRYN, NakPer."""
    halves = _CLIPPED_HALVES.fullmatch(word)
    if halves:
        return all(any(name.startswith(fold(half)) for name in names) for half in halves.groups())
    folded = fold(word)
    if len(folded) < _MIN_HELD or not folded.isalpha() or _is_plain(word):
        return False
    return any(name.startswith(folded) for name in names)


def _is_plain(word: str) -> bool:
    """Whether a part of a file name is a word that everybody uses, or an abbreviation of medicine: heel, Lheel, ecg."""
    if word.lower() in _words_of_files() or _VERSION.fullmatch(word):
        return True
    if len(word) < _MIN_LETTERS:
        return False
    if numbered := _NUMBERED.fullmatch(word):
        return _is_plain(numbered["word"])
    if word.lower() in medical_abbreviations():
        return True
    pieces = [piece.lower() for piece in _CAMEL.findall(word)]
    if len(pieces) > 1 and pieces[-1] in _words_of_files() and "".join(pieces) == word.lower():
        # SeizurePlan, IRFpkt: what the document is stands last.
        return all(_is_plain(piece) for piece in pieces[:-1])
    of_side = _OF_SIDE.fullmatch(word)
    plain = of_side[1] if of_side else word
    return common_word_frequencies().get(plain.lower(), 0.0) >= _MIN_ZIPF


@cache
def _words_of_files() -> frozenset[str]:
    """Return the words for examinations, sides and forms that file names hold; folded."""
    lines = Path(__file__).with_name("words_in_file_names.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
