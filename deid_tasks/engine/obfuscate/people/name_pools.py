"""The names that surrogates are drawn from: by sex, Census group, first letter and length."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import factorial
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.core.reference import fold, reference_path
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.people.marked_names import marked_surnames
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.people.public_names import (
    GROUPS,
    MIN_GROUP_SHARE,
    given_name_rows,
    names_beyond_census,
    surname_rows,
)

_MIN_SHARE = {"white": ".50", "black": ".14", "api": ".20", "hispanic": ".25"}
"""The share from which on a given name is usual in a group. Most given names are used in several groups; the names of
one group alone would make a caricature."""
_MAX_SURNAMES = 5_000
_MIN_NAMES_OF_GROUP = 100
_MIN_CHOICES = 12
"""With fewer names to choose from, the length is matched less strictly."""
_MIN_MARKED_CHOICES = 3
_MIN_BEARERS = 2.0
_RUN_TOGETHER = re.compile(r"St[bcdfgjklmnpqvw]")
"""Saints as the Census writes them."""
_MAX_CACHED_CHOICES = 50_000


@dataclass(frozen=True, slots=True)
class NamePool:
    """Names by first letter, each list from short to long."""

    names: dict[str, list[str]]
    lengths: dict[str, list[int]]

    @classmethod
    def of(cls, names: Iterable[str]) -> "NamePool":
        """Return a pool of ``names``."""
        by_letter: defaultdict[str, set[str]] = defaultdict(set)
        for name in names:
            by_letter[fold(name[0])].add(name)
        ordered = {letter: sorted(found, key=lambda n: (len(n), n)) for letter, found in sorted(by_letter.items())}
        return cls(ordered, {letter: [len(name) for name in found] for letter, found in ordered.items()})

    def near(self, letter: str, length: int, *, exactly: bool) -> Sequence[str]:
        """Return the names that begin with ``letter`` and are about ``length`` letters long.

        With ``exactly``, they are just as long.
        """
        names, lengths = self.names.get(letter, []), self.lengths.get(letter, [])
        for slack in (0,) if exactly else (1, 2, 3):
            start, stop = bisect_left(lengths, length - slack), bisect_right(lengths, length + slack)
            if stop - start >= _MIN_CHOICES or exactly:
                return names[start:stop]
        return names

    def of_length(self, length: int) -> Sequence[str]:
        """Return all names of ``length`` letters."""
        return [name for found in self.names.values() for name in found if len(name) == length]

    def all_names(self) -> list[str]:
        """Return all names, by first letter and then by length."""
        return [name for found in self.names.values() for name in found]


class SurrogatePools:
    """Surrogate names: those of the public lists, or those of an institution's own list.

    Args:
        own: the institution's file of names; the public lists where ``None``.

    Raises:
        InputError: the file cannot be read or used.
    """

    def __init__(self, own: Path | None = None) -> None:
        self._own = None if own is None else _read_own_names(own)
        self._pools: dict[tuple[str, ...], NamePool] = {}
        self._cache: dict[tuple[tuple[str, ...], str, int, bool], Sequence[str]] = {}

    def choices(self, kind: tuple[str, ...], letter: str, length: int, *, exactly: bool) -> Sequence[str]:
        """Return names of ``kind`` that begin with ``letter`` and are about ``length`` letters long.

        Where the group has too few of them, the names of all groups count, and then those of all first letters.

        Args:
            kind: ``("surname", group)`` or ``("given", sex, group)``, followed by ``"marked"`` for names with
                diacritical marks.
            letter: the first letter, in lower case.
            length: letters.
            exactly: whether the length must match.
        """
        question = (kind, letter, length, exactly)
        found = self._cache.get(question)
        if found is None:
            if len(self._cache) > _MAX_CACHED_CHOICES:
                self._cache.clear()
            found = self._cache[question] = self._choices(kind, letter, length, exactly=exactly)
        return found

    def _choices(self, kind: tuple[str, ...], letter: str, length: int, *, exactly: bool) -> Sequence[str]:
        kinds = [kind]
        if kind[-1] == "marked":
            pool = self._pool(kind)
            own = pool.near(letter, length, exactly=exactly)
            if len(own) < _MIN_MARKED_CHOICES:
                # A name with marks of the same group, with another first letter.
                own = pool.all_names()
            if len(own) >= _MIN_MARKED_CHOICES and not exactly:
                return own
            kinds += [(*kind[:-2], "any", "marked"), kind[:-1]]
        kinds.append((*kinds[-1][:-1], "any"))
        for candidate in kinds:
            found = self._pool(candidate).near(letter, length, exactly=exactly)
            if len(found) > 2:
                return found
        widest = self._pool(kinds[-1])
        if exactly and len(found := widest.of_length(length)) > 2:
            return found
        return widest.names.get(letter) or widest.all_names()

    def _pool(self, kind: tuple[str, ...]) -> NamePool:
        pool = self._pools.get(kind)
        if pool is None:
            names = _public_names(kind) if self._own is None else self._own_names(kind)
            pool = self._pools[kind] = NamePool.of(names)
        return pool

    def _own_names(self, kind: tuple[str, ...]) -> list[str]:
        """Return the institution's names of a kind: of its sex and group, else of its sex, else of its part."""
        own = self._own or []
        part = "given" if kind[0] == "given" else "surname"
        group = kind[-1] if kind[-1] != "marked" else kind[-2]
        of_part = [row for row in own if row[1] == part]
        of_sex = [row for row in of_part if part != "given" or "U" in {kind[1], row[2]} or row[2] == kind[1]]
        of_group = [row for row in of_sex if row[3] == group]
        return [row[0] for row in of_group or of_sex or of_part]


def _read_own_names(path: Path) -> list[list[str]]:
    """Return ``[name, part, sex, group]`` of each line of an institution's file."""
    try:
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    rows = rows[1:] if rows and rows[0][:2] == ["name", "part"] else rows
    for number, row in enumerate(rows, start=1):
        if len(row) != 4 or row[1] not in {"given", "surname"} or not row[0].strip():
            raise InputError(
                f"{path}: name {number} does not have the four columns name, part (given or surname), sex and group;"
                " separate them with tabs"
            )
    for part in ("given", "surname"):
        if len({row[0] for row in rows if row[1] == part}) < 2:
            raise InputError(f"{path}: has fewer than two names with the part {part}; add some")
    return rows


@cache
def public_pools() -> SurrogatePools:
    """Return the pools of the public lists, which all institutions of a process share."""
    return SurrogatePools()


@cache
def _letter_rings(part: str) -> tuple[tuple[str, ...], ...]:
    """Return the first letters of names in three rings: frequent, less frequent and rare ones."""
    counts: Counter[str] = Counter()
    if part == "given":
        for row in given_name_rows():
            counts[row.folded[0]] += int(row.bearers)
    else:
        counts.update(row[0][0].lower() for row in surname_rows())
    letters = sorted("abcdefghijklmnopqrstuvwxyz", key=lambda letter: (-counts[letter], letter))
    return tuple(tuple(letters[start : start + 9]) for start in (0, 9, 18))


def letter_map(keyed: KeyedChoices, part: str, patient_id: str) -> dict[str, str]:
    """Return the first letter of the surrogate for each first letter of a name.

    The map is one to one, changes every letter, and keeps each letter in its ring of frequency. Every letter begins
    some surrogates; otherwise a name that begins with a missing letter would be known to be real.

    Args:
        keyed: the institution's choices.
        part: ``given`` or ``surname``.
        patient_id: whose names; empty for the staff.
    """
    mapped: dict[str, str] = {}
    # One number orders the three rings: they have 9! · 9! · 8! orders, and there are 2**128 numbers.
    number = keyed.number(1 << 128, "letters", part, patient_id)
    for letters in _letter_rings(part):
        left = list(letters)
        # A small number for each ring: dividing a large one 26 times costs three times as much.
        number, order = divmod(number, factorial(len(left)))
        order, index = divmod(order, len(left))
        letter = first = left.pop(index)
        while left:
            order, index = divmod(order, len(left))
            mapped[letter] = letter = left.pop(index)
        mapped[letter] = first
    return mapped


def _public_names(kind: tuple[str, ...]) -> list[str]:
    is_marked = kind[-1] == "marked"
    group = kind[-2] if is_marked else kind[-1]
    if kind[0] == "surname":
        return _marked("surname", "U", group) if is_marked else _surnames(group)
    return _marked("given", kind[1], group) if is_marked else _given_names_of(kind[1], group)


def _surnames(group: str) -> list[str]:
    column = GROUPS.index(group) + 1 if group in GROUPS else 0
    rows = [row for row in surname_rows() if len(row[0]) > 2 and row[0].isalpha() and not _RUN_TOGETHER.match(row[0])]
    if not column:
        return [row[0] for row in rows[:_MAX_SURNAMES]]
    of_group = [row[0] for row in rows if row[column] >= MIN_GROUP_SHARE][:_MAX_SURNAMES]
    if len(of_group) < _MIN_NAMES_OF_GROUP:
        ordered = sorted(rows, key=lambda row: row[column], reverse=True)
        of_group = [row[0] for row in ordered[: 2 * _MIN_NAMES_OF_GROUP]]
    return of_group + _beyond_census("surname", "U", group)


def _given_names_of(sex: str, group: str) -> list[str]:
    rows = [
        row
        for row in given_name_rows()
        if row.sex == sex and row.bearers >= _MIN_BEARERS and len(row.name) > 1 and row.name.isalpha()
        if row.folded not in _english_words()
    ]
    if group not in _MIN_SHARE:
        # People of several races, and native people, have few given names of their own.
        return [row.name for row in rows]
    column = GROUPS.index(group)
    of_group = [row.name for row in rows if row.shares[column] >= _MIN_SHARE[group]]
    if len(of_group) < _MIN_NAMES_OF_GROUP and sex != "U":
        ordered = sorted(rows, key=lambda row: row.shares[column], reverse=True)
        of_group = [row.name for row in ordered[:_MIN_NAMES_OF_GROUP]]
    found = of_group or [row.name for row in rows]
    return found + (_beyond_census("given", sex, group) if group != "white" else [])


def _beyond_census(part: str, sex: str, group: str) -> list[str]:
    """Return names that the Census lists lack, without marks: names with marks are surrogates of names with marks."""
    return [
        name
        for name, its_part, its_sex, its_group in names_beyond_census()
        if (its_part, its_group) == (part, group) and (part == "surname" or its_sex == sex)
        if name.isascii() and name.isalpha() and len(name) > 2 and fold_name(name) not in _english_words()
    ]


@cache
def _english_words() -> frozenset[str]:
    """Return the commonest words.

    A reader takes a name that is one of them for a word where no title stands beside it.
    """
    with reference_path("common_words.tsv").open(encoding="utf-8") as lines:
        return frozenset(line.partition("\t")[0] for line in islice(lines, 3_000))


def _marked(part: str, sex: str, group: str) -> list[str]:
    own = [
        name
        for name, its_part, its_sex, its_group in names_beyond_census()
        if its_part == part and group in {its_group, "any"} and (part == "surname" or its_sex == sex)
        if not name.isascii() and name.isalpha()
    ]
    if part == "surname":
        own += [name for its_group, names in marked_surnames().items() if group in {its_group, "any"} for name in names]
    return own
