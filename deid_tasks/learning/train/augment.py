"""The accidents of hospital writing, done to training samples: capitals, lost spaces, broken lines, typing errors."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.core.reference import read_tsv
from deid_tasks.learning.train.sample import Edit, Mark, Sample, edited
from deid_tasks.learning.train.targets import LABELS, OUTSIDE, PERSON, coarse

NAMES = frozenset({PERSON, Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE, coarse(Category.NAME)})
_NUMBERS = frozenset(
    label
    for label in LABELS
    if label != OUTSIDE and category_of(Entity(label)) in {Category.ID, Category.CONTACT} and label != Entity.URL
)
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]{4,}")
_GAP = re.compile(r"(?<=\S) (?=\S)")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<=[/.'-])\d\d(?![\d/.-])")
_MISREAD = {
    "rn": "m",
    "m": "rn",
    "l": "1",
    "I": "l",
    "O": "0",
    "S": "5",
    "e": "c",
    "h": "b",
    "cl": "d",
    "B": "8",
    "u": "ii",
}
_SCANNED = re.compile("rn|cl|[mlIOSehBu]")
_VOWEL = re.compile(r"[aeiouy]+")


@dataclass(frozen=True, slots=True)
class AugmentRates:
    """How often, of samples; each accident is drawn on its own."""

    upper: float = 0.06
    lower: float = 0.05
    upper_marks: float = 0.03
    lower_marks: float = 0.04
    glue: float = 0.04
    line_break: float = 0.05
    typo: float = 0.04
    new_digits: float = 0.5
    new_names: float = 0.12
    word_names: float = 0.2
    """Of the words of new names that stand with a capital: an English word, as surnames are."""
    new_years: float = 0.25
    scan: float = 0.03
    """Letters misread as by a scanner."""
    wrap: float = 0.04
    bullet: float = 0.05


class Augmenter:
    """Changes samples by chance; made-up names are put together from ``names``, or are words of the language."""

    def __init__(self, rates: AugmentRates, names: Sequence[str], seed: int) -> None:
        self.rates = rates
        self._heads, self._tails = _halves(names)
        self._words = _plain_words()
        self._random = random.Random(seed)  # noqa: S311 - repeatable chance, no secrecy

    def __call__(self, sample: Sample) -> Sample:
        """``sample``, perhaps changed."""
        for rate, change in (
            (self.rates.new_digits, self._new_digits),
            (self.rates.new_names, self._new_names),
            (self.rates.new_years, self._new_years),
            (self.rates.scan, self._scan),
            (self.rates.wrap, self._wrap),
            (self.rates.bullet, self._bullet),
            (self.rates.typo, self._typo),
            (self.rates.lower_marks, self._lower_marks),
            (self.rates.upper_marks, self._upper_marks),
            (self.rates.line_break, self._line_break),
            (self.rates.glue, self._glue),
        ):
            if self._random.random() < rate:
                sample = change(sample)
        chance = self._random.random()
        if chance < self.rates.upper:
            return recased(sample, is_upper=True)
        if chance < self.rates.upper + self.rates.lower:
            return recased(sample, is_upper=False)
        return sample

    def _new_digits(self, sample: Sample) -> Sample:
        edits = []
        for mark in sample.marks:
            if mark.target in _NUMBERS:
                for match in _DIGIT.finditer(sample.text, mark.start, mark.end):
                    # A leading zero is left alone, and none is made.
                    digit = match.group()
                    new = digit if digit == "0" else self._random.choice("123456789")
                    edits.append(Edit(*match.span(), new))
        return edited(sample, edits)

    def _new_names(self, sample: Sample) -> Sample:
        if not self._heads:
            return sample
        made: dict[str, str] = {}
        edits = []
        for mark in sample.marks:
            if mark.target in NAMES:
                for match in _LETTERS.finditer(sample.text, mark.start, mark.end):
                    word = match.group()
                    new = made.setdefault(word.lower(), self._new_name(word))
                    edits.append(Edit(*match.span(), like(word, new)))
        return edited(sample, edits)

    def _new_name(self, word: str) -> str:
        if not word.islower() and self._random.random() < self.rates.word_names:
            return self._random.choice(self._words)
        return self.made_up_name()

    def made_up_name(self) -> str:
        """Return the head of one name on the tail of another, in lower case."""
        return self._random.choice(self._heads) + self._random.choice(self._tails)

    def _new_years(self, sample: Sample) -> Sample:
        # Shifted records may lie in any century; whether it is a date must not depend on the year.
        edits = []
        for mark in sample.marks:
            if mark.target == Entity.DATE:
                for match in _YEAR.finditer(sample.text, mark.start, mark.end):
                    year = str(self._random.randrange(1890, 2200))
                    edits.append(Edit(*match.span(), year if len(match.group()) == 4 else year[2:]))
        return edited(sample, edits)

    def _scan(self, sample: Sample) -> Sample:
        found = [match for match in _SCANNED.finditer(sample.text) if self._random.random() < 0.08]
        return edited(sample, [Edit(*match.span(), _MISREAD[match.group()]) for match in found])

    def _wrap(self, sample: Sample) -> Sample:
        width, last = self._random.randrange(24, 90), 0
        edits = []
        for match in _GAP.finditer(sample.text):
            if match.start() - last >= width:
                edits.append(Edit(*match.span(), "\n"))
                last = match.end()
        return edited(sample, edits)

    def _bullet(self, sample: Sample) -> Sample:
        mark = self._random.choice(("- ", "* ", "\u2022 ", "# ", "> ", "-", "{}. ", "{}) ", "({}) ", "#{} "))
        return edited(sample, [Edit(0, 0, mark.format(self._random.randrange(1, 15)))])

    def _typo(self, sample: Sample) -> Sample:
        words = list(_LETTERS.finditer(sample.text))
        if not words:
            return sample
        match = self._random.choice(words)
        word = match.group()
        at = self._random.randrange(1, len(word) - 1)
        new = (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            if self._random.random() < 0.5
            else word[:at] + word[at + 1 :]
        )
        return edited(sample, [Edit(*match.span(), new)])

    def _lower_marks(self, sample: Sample) -> Sample:
        return edited(sample, self._recased_marks(sample.marks, sample.text, is_upper=False))

    def _upper_marks(self, sample: Sample) -> Sample:
        return edited(sample, self._recased_marks(sample.marks, sample.text, is_upper=True))

    def _recased_marks(self, marks: Sequence[Mark], text: str, *, is_upper: bool) -> list[Edit]:
        chosen = [mark for mark in marks if self._random.random() < 0.7]
        return [
            Edit(m.start, m.end, text[m.start : m.end].upper() if is_upper else text[m.start : m.end].lower())
            for m in chosen
        ]

    def _line_break(self, sample: Sample) -> Sample:
        gaps = list(_GAP.finditer(sample.text))
        inside = [g for g in gaps if any(m.start < g.start() < m.end for m in sample.marks)]
        pool = inside if inside and self._random.random() < 0.5 else gaps
        if not pool:
            return sample
        start, end = self._random.choice(pool).span()
        return edited(sample, [Edit(start, end, "\n")])

    def _glue(self, sample: Sample) -> Sample:
        # Only next to digits or punctuation: two words of letters that are joined become one word.
        gaps = [
            match
            for match in _GAP.finditer(sample.text)
            if not (sample.text[match.start() - 1].isalpha() and sample.text[match.end()].isalpha())
            and not (sample.text[match.start() - 1].isdigit() and sample.text[match.end()].isdigit())
        ]
        if not gaps:
            return sample
        start, end = self._random.choice(gaps).span()
        return edited(sample, [Edit(start, end, "")])


def recased(sample: Sample, *, is_upper: bool) -> Sample:
    """Return all of ``sample`` in capitals or in lower case, where that keeps every offset; else ``sample``."""
    text = sample.text.upper() if is_upper else sample.text.lower()
    return Sample(text, sample.marks, sample.source, sample.group) if len(text) == len(sample.text) else sample


def like(word: str, new: str) -> str:
    """``new`` written as ``word`` is: in capitals, in lower case, or with a capital first."""
    if word.isupper():
        return new.upper()
    return new.lower() if word.islower() else new.title()


def name_words(samples: Sequence[Sample]) -> list[str]:
    """Return the distinct words of four letters and more of the people's names in ``samples``, in lower case,
    sorted.
    """
    return sorted(
        {
            match.group().lower()
            for sample in samples
            for mark in sample.marks
            if mark.target in NAMES
            for match in _LETTERS.finditer(sample.text, mark.start, mark.end)
        }
    )


@cache
def _plain_words() -> tuple[str, ...]:
    return tuple(
        row["word"] for row in read_tsv("common_words.tsv")[:6_000] if row["word"].isalpha() and len(row["word"]) > 3
    )


def _halves(names: Sequence[str]) -> tuple[list[str], list[str]]:
    heads, tails = [], []
    for name in names:
        vowels = [match for match in _VOWEL.finditer(name) if match.start() > 0 and match.end() < len(name)]
        if vowels:
            heads.append(name[: vowels[0].end()])
            tails.append(name[vowels[-1].end() :])
    return heads, tails
