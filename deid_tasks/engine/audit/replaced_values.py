"""Values that were replaced once and still stand elsewhere in the output.

A name or a number that was recognised in one place is known to identify somebody; where the same value was not
recognised, it leaks, and shows a reader which of the names are real. The search is exact and therefore misses other
spellings. What it leaves out, because a hit would say little:

- names of one or two letters, initials, ages, times, professions, states of two letters and ZIP codes;
- words that are everyday or medical words of the public lists, unless they are a part of a longer value;
- numbers of fewer than six digits.
"""

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.engine.audit.record_audit import (
    MIN_DIGITS,
    Phrase,
    find_digits,
    is_close,
    text_words,
    word_ranges,
    words_of,
)
from deid_tasks.engine.lexicon.everyday_names import is_public_word

MIN_LETTERS = 3
"""Letters of the shortest word that is searched alone."""
_MIN_UNCAPITALISED = 5
"""Letters of the shortest name that is also found in small letters."""
_MIN_IDENTIFIER = 5
"""Characters of the shortest identifier of letters and digits."""
_DATE_WORDS = 3
"""Words of a date with day, month and year; fewer could be another number."""
_FEW_NUMBERS = 64
_DIGITS = re.compile(r"\d+")
_MAX_WORDS = 8
"""Words of a longer value that are searched."""
_MAX_PATIENTS = 64
"""Patients whose values are remembered; the notes of one patient stand together in a shard."""

_PEOPLE = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
_NUMBERED = frozenset({Category.ID, Category.CONTACT})
_NOT_SEARCHED = frozenset({Entity.INITIALS, Entity.AGE, Entity.TIME, Entity.PROFESSION, Entity.ZIP})
_BETWEEN_NAMES = frozenset(" \t\n.,-_'’‐‑&/@")
_BETWEEN_DATE_PARTS = frozenset(" ,./-–")


_Found = tuple[int, int, Entity, bool]
"""Start, end and entity of a value, and whether the note itself had it replaced."""


@dataclass(frozen=True, slots=True, order=True)
class ValueMatch:
    """A replaced value at ``start``–``end`` of an output, in code points. Holds no text."""

    start: int
    end: int
    entity: Entity
    is_own: bool
    """Whether the note itself had the value replaced, and not only another note of the patient."""
    in_surrogate: bool = False
    """Whether it overlaps a surrogate, which equals the original of another mention by chance."""


@dataclass(frozen=True, eq=False)
class ReplacedValues:
    """Values that one note, or several of one patient, had replaced; its ``repr`` shows none."""

    phrases: dict[Phrase, Entity] = field(default_factory=dict, repr=False)
    """Consecutive normalised words."""
    numbers: dict[str, Entity] = field(default_factory=dict, repr=False)
    """Digits, however they are grouped."""
    _lengths: dict[str, set[int]] = field(default_factory=dict, repr=False)
    """Number of words of the phrases, by their first word."""

    @classmethod
    def of_note(cls, text: str, originals: Sequence[tuple[int, int]], entities: Sequence[Entity]) -> "ReplacedValues":
        """Return what a note had replaced.

        Args:
            text: the original text.
            originals: start and end of what each surrogate replaced.
            entities: the entity of each.
        """
        values = cls()
        for (start, end), entity in zip(originals, entities, strict=True):
            values._add(text[start:end], entity)
        return values

    def update(self, others: "ReplacedValues") -> None:
        """Add the values of another note; a value that is known keeps its entity."""
        for phrase, entity in others.phrases.items():
            if self.phrases.setdefault(phrase, entity) is entity:
                self._lengths.setdefault(phrase[0], set()).add(len(phrase))
        for digits, entity in others.numbers.items():
            self.numbers.setdefault(digits, entity)

    def __len__(self) -> int:
        return len(self.phrases) + len(self.numbers)

    def find(
        self, text: str, surrogates: Sequence[tuple[int, int]] = (), own: "ReplacedValues | None" = None
    ) -> list[ValueMatch]:
        """Return where the values stand in an output: disjoint, in order, of overlapping ones the longest.

        Args:
            text: the output.
            surrogates: start and end of its surrogates, in order.
            own: the values that the note itself had replaced; all of them where ``None``.
        """
        own = self if own is None else own
        found = [*self._find_numbers(text, own), *self._find_phrases(text, own)]
        if not found:
            return []
        matches: list[ValueMatch] = []
        ends = [end for _, end in surrogates]
        for start, end, entity, is_own in sorted(found, key=lambda one: (one[0], -one[1], not one[3])):
            if matches and start < matches[-1].end:
                continue
            after = bisect_right(ends, start)
            in_surrogate = after < len(surrogates) and surrogates[after][0] < end
            matches.append(ValueMatch(start, end, entity, is_own, in_surrogate))
        return matches

    def _add(self, value: str, entity: Entity) -> None:
        if entity in _NOT_SEARCHED:
            return
        words = words_of(value)
        if entity in _PEOPLE and words and words[-1] == "s":
            words = words[:-1]  # the possessive that was replaced with the name
        digits = "".join(char for char in value if char.isdecimal())
        category = category_of(entity)
        if category in _NUMBERED and len(digits) >= MIN_DIGITS and digits.isascii():
            self.numbers.setdefault(digits, entity)
        for phrase in _phrases_of(words[:_MAX_WORDS], entity, category, digits):
            self.phrases.setdefault(phrase, entity)
            self._lengths.setdefault(phrase[0], set()).add(len(phrase))

    def _find_numbers(self, text: str, own: "ReplacedValues") -> Iterator[_Found]:
        numbers = self.numbers
        if 0 < len(numbers) <= _FEW_NUMBERS:
            # Most texts hold none, which is quickly known.
            digits = "".join(_DIGITS.findall(text))
            numbers = {number: entity for number, entity in numbers.items() if number in digits}
        found = find_digits(text, {number: (number, entity) for number, entity in numbers.items()})
        for (number, entity), start, end in found:
            yield start, end, entity, number in own.numbers

    def _find_phrases(self, text: str, own: "ReplacedValues") -> Iterator[_Found]:
        # By the lengths of the values that begin with a word, so that many such values cost no more than few.
        lengths = self._lengths
        words = text_words(text) if lengths else []
        if lengths.keys().isdisjoint(words):
            return
        ranges = word_ranges(text)
        for index, word in enumerate(words):
            for length in lengths.get(word, ()):
                stop = index + length
                phrase = tuple(words[index:stop])
                entity = self.phrases.get(phrase)
                if entity is None or not is_close(ranges[index:stop]):
                    continue
                if _is_value(text, ranges[index:stop], phrase, entity):
                    yield ranges[index][0], ranges[stop - 1][1], entity, phrase in own.phrases


class PatientValues:
    """The values that the notes of each patient had replaced, for the last patients of a shard."""

    def __init__(self, max_patients: int = _MAX_PATIENTS) -> None:
        self._max = max_patients
        self._by_patient: OrderedDict[str, ReplacedValues] = OrderedDict()

    def add(self, patient_id: str, values: ReplacedValues) -> None:
        """Add the values of a note."""
        known = self._by_patient.pop(patient_id, None) or ReplacedValues()
        known.update(values)
        self._by_patient[patient_id] = known
        if len(self._by_patient) > self._max:
            self._by_patient.popitem(last=False)

    def of(self, patient_id: str) -> ReplacedValues:
        """Return the values of a patient's notes so far."""
        return self._by_patient.get(patient_id) or ReplacedValues()


def _phrases_of(words: Phrase, entity: Entity, category: Category, digits: str) -> Iterator[Phrase]:
    """Yield the words by which a value is searched."""
    if category is Category.DATE:
        if len(words) >= _DATE_WORDS and digits:
            yield words
        return
    if category in _NUMBERED:
        is_long = sum(map(len, words)) >= _MIN_IDENTIFIER
        # With enough digits the number is searched by them; a word alone, such as a user name, may be any word.
        has_letters = any(not word.isdecimal() for word in words)
        if is_long and has_letters and len(digits) < MIN_DIGITS and (digits or len(words) > 1):
            yield words
        return
    if len(words) > 1 and any(len(word) >= MIN_LETTERS and not word.isdecimal() for word in words):
        yield words
    single = words if entity in _PEOPLE else words if len(words) == 1 else ()
    yield from ((word,) for word in single if _is_searched_alone(word))


def _is_searched_alone(word: str) -> bool:
    return len(word) >= MIN_LETTERS and not word[0].isdecimal() and not is_public_word(word)


def _is_value(text: str, ranges: Sequence[tuple[int, int]], phrase: Phrase, entity: Entity) -> bool:
    """Whether words are written as the value and not as prose."""
    between = {char for before, after in pairwise(ranges) for char in text[before[1] : after[0]]}
    category = category_of(entity)
    if category is Category.DATE:
        return between <= _BETWEEN_DATE_PARTS
    if category in _NUMBERED:
        return True
    if not between <= _BETWEEN_NAMES:
        return False
    if all(text[start].isupper() or text[start].isdecimal() for start, _ in ranges):
        return True
    if len(phrase) == 1:
        return len(phrase[0]) >= _MIN_UNCAPITALISED
    return not all(is_public_word(word) or len(word) < MIN_LETTERS for word in phrase)
