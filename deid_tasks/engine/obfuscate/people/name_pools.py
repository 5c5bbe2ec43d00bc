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
from deid_tasks.core.reference import fold, read_columns, reference_path
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.people.marked_names import MARKED_SURNAMES
from deid_tasks.engine.obfuscate.people.name_text import fold_name

GROUPS = ("white", "black", "api", "native", "multiple", "hispanic")
_OF_GROUP = ".40"
"""A name is of a group that has this share of its bearers; compared as it is written, with two figures."""
_LEAST_SHARE = {"white": ".50", "black": ".14", "api": ".20", "hispanic": ".25"}
"""Share from which on a given name is usual in a group: most are those of many groups, and the group's own alone would be a caricature."""
_MOST_SURNAMES = 5_000
_LEAST_OF_GROUP = 100
_LEAST_CHOICE = 12
"""Names there should be to choose from, before the length is taken less strictly."""
_MIXED = 0.3
"""A name is a man's and a woman's where the rarer use is at least this share of the commoner one."""
_LEAST_BEARERS = 2.0
_RUN_TOGETHER = re.compile(r"St[bcdfgjklmnpqvw]")
"""Saints as the Census writes them."""
_LEAST_MARKED = 3


@dataclass(frozen=True, slots=True)
class NamePool:
    """Names by first letter, each list from short to long."""

    names: dict[str, list[str]]
    lengths: dict[str, list[int]]

    @classmethod
    def of(cls, names: Iterable[str]) -> "NamePool":
        """A pool of ``names``."""
        by_letter: defaultdict[str, set[str]] = defaultdict(set)
        for name in names:
            by_letter[fold(name[0])].add(name)
        ordered = {letter: sorted(found, key=lambda n: (len(n), n)) for letter, found in sorted(by_letter.items())}
        return cls(ordered, {letter: [len(name) for name in found] for letter, found in ordered.items()})

    def near(self, letter: str, length: int, *, exactly: bool) -> Sequence[str]:
        """The names that begin with ``letter`` and are about as long as ``length``; where ``exactly`` holds, just as long."""
        names, lengths = self.names.get(letter, []), self.lengths.get(letter, [])
        for slack in (0,) if exactly else (1, 2, 3):
            start, stop = bisect_left(lengths, length - slack), bisect_right(lengths, length + slack)
            if stop - start >= _LEAST_CHOICE or exactly:
                return names[start:stop]
        return names

    def of_length(self, length: int) -> Sequence[str]:
        """Every name of one length, whatever its letter."""
        return [name for found in self.names.values() for name in found if len(name) == length]


class SurrogatePools:
    """Surrogate names: the public ones, or those of an institution's own list."""

    def __init__(self, own: Path | None = None) -> None:
        self._own = None if own is None else _read_own(own)
        self._pools: dict[tuple[str, ...], NamePool] = {}
        self._near: dict[tuple[tuple[str, ...], str, int, bool], Sequence[str]] = {}

    def choices(self, kind: tuple[str, ...], letter: str, length: int, *, exactly: bool) -> Sequence[str]:
        """Names of ``kind`` that begin with ``letter``; of all groups, and then of all letters, where the group has none.

        ``kind`` is ``("surname", group)``, ``("given", sex, group)`` or either with ``"marked"`` behind it.
        """
        asked = (kind, letter, length, exactly)
        found = self._near.get(asked)
        if found is None:
            if len(self._near) > 50_000:
                self._near.clear()
            found = self._near[asked] = self._choices(kind, letter, length, exactly=exactly)
        return found

    def _choices(self, kind: tuple[str, ...], letter: str, length: int, *, exactly: bool) -> Sequence[str]:
        wider = [kind]
        if kind[-1] == "marked":
            whole = self._pool(kind)
            own = whole.near(letter, length, exactly=exactly)
            if len(own) < _LEAST_MARKED:
                own = [name for names in whole.names.values() for name in names]
            if len(own) >= _LEAST_MARKED and not exactly:
                # A name with marks of the same people, if need be with another letter.
                return own
            wider += [(*kind[:-2], "any", "marked"), kind[:-1]]
        wider.append((*wider[-1][:-1], "any"))
        for known in wider:
            found = self._pool(known).near(letter, length, exactly=exactly)
            if len(found) > 2:
                return found
        if exactly and len(found := self._pool(wider[-1]).of_length(length)) > 2:
            return found
        whole = self._pool(wider[-1])
        return whole.names.get(letter) or [name for names in whole.names.values() for name in names]

    def _pool(self, kind: tuple[str, ...]) -> NamePool:
        pool = self._pools.get(kind)
        if pool is None:
            pool = self._pools[kind] = NamePool.of(_names_of(kind) if self._own is None else self._own_names(kind))
        return pool

    def _own_names(self, kind: tuple[str, ...]) -> list[str]:
        own = self._own or []
        part = "given" if kind[0] == "given" else "surname"
        group = kind[-1] if kind[-1] != "marked" else kind[-2]
        of_part = [
            row for row in own if row[1] == part and (part != "given" or "U" in {kind[1], row[2]} or row[2] == kind[1])
        ]
        of_group = [row[0] for row in of_part if row[3] == group]
        return of_group or [row[0] for row in of_part] or [row[0] for row in own if row[1] == part]


def _read_own(path: Path) -> list[list[str]]:
    try:
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    rows = rows[1:] if rows and rows[0][:2] == ["name", "part"] else rows
    for number, row in enumerate(rows, start=1):
        if len(row) != 4 or row[1] not in {"given", "surname"} or not row[0].strip():
            raise InputError(f"{path}: name {number} is not: name, given or surname, sex, group, with tabs between")
    for part in ("given", "surname"):
        if len({row[0] for row in rows if row[1] == part}) < 2:
            raise InputError(f"{path}: at least two names with the part {part} are needed")
    return rows


@cache
def public_pools() -> SurrogatePools:
    """The pools of the public lists, one for all institutions of a process."""
    return SurrogatePools()


@cache
def _given_rows() -> list[tuple[str, str, str, float, list[str]]]:
    """``(name, folded, sex, bearers in 100,000, share by group)``; sex is F, M, U for both, or empty where unknown."""
    made = []
    rows = read_columns("given_names.tsv", "given_name", "sex", "women_per_100k", "men_per_100k", *GROUPS)
    for name, sex, women, men, *shares in rows:
        w, m = float(women), float(men)
        if sex == "U":
            sex = "" if w + m == 0 else "U" if min(w, m) >= _MIXED * max(w, m) else "F" if w > m else "M"
        made.append((name, fold_name(name), sex, w + m, shares))
    return made


@cache
def given_names() -> dict[str, tuple[str, str, float]]:
    """Given name, folded → (F, M, U for both, empty where unknown; its group, empty where white or unknown; bearers in 100,000)."""
    table = {}
    for _, folded, sex, bearers, shares in _given_rows():
        best = max(shares)
        group = GROUPS[shares.index(best)] if best >= _OF_GROUP else ""
        table[folded] = (sex, "" if group == "white" else group, bearers)
    for name, part, sex, group in _beyond_rows():
        if part == "given":
            known = table.get(fold_name(name))
            if known is None or not known[0]:
                table[fold_name(name)] = (sex, "" if group == "white" else group, known[2] if known else 0.0)
    return table


@cache
def _surname_rows() -> list[list[str]]:
    """``[name, share by group …, bearers in 100,000]``, the commonest first."""
    return read_columns("surnames.tsv", "surname", *GROUPS, "per_100k")


@cache
def _beyond_rows() -> list[list[str]]:
    return read_columns("names_beyond.tsv", "name", "part", "sex", "group")


@cache
def surname_groups() -> dict[str, str]:
    """Surname, folded → the Census group that 40 % or more of its bearers belong to; empty where there is none."""
    table: dict[str, str] = {}
    for row in _surname_rows():
        best = max(row[1:-1])
        table[fold_name(row[0])] = GROUPS[row.index(best, 1) - 1] if best >= _OF_GROUP else ""
    for name, part, _, group in _beyond_rows():
        if part == "surname":
            table.setdefault(fold_name(name), group)
    return table


@cache
def surname_bearers() -> dict[str, float]:
    """Surname, folded → bearers in 100,000."""
    return {fold_name(row[0]): float(row[-1]) for row in _surname_rows()}


@cache
def nicknames() -> dict[str, tuple[str, ...]]:
    """Nickname → formal names, folded."""
    table: dict[str, list[str]] = {}
    for name, nickname in read_columns("nicknames.tsv", "name", "nickname"):
        table.setdefault(fold_name(nickname), []).append(fold_name(name))
    return {nickname: tuple(names) for nickname, names in table.items()}


@cache
def _letter_rings(part: str) -> tuple[tuple[str, ...], ...]:
    """First letters of names in three rings: common, middling and rare ones."""
    counts: Counter[str] = Counter()
    if part == "given":
        for _, folded, _, bearers, _ in _given_rows():
            counts[folded[0]] += int(bearers)
    else:
        counts.update(row[0][0].lower() for row in _surname_rows())
    letters = sorted("abcdefghijklmnopqrstuvwxyz", key=lambda letter: (-counts[letter], letter))
    return tuple(tuple(letters[start : start + 9]) for start in (0, 9, 18))


def letter_map(keyed: KeyedChoices, part: str, belongs: str) -> dict[str, str]:
    """First letter of a name → first letter of its surrogate: another one, about as common, and no two alike.

    Every letter begins some surrogates, or a name that begins with it would be known for a real one.
    """
    made: dict[str, str] = {}
    # One number orders the three rings: they have 9! · 9! · 8! orders, and there are 2**128 numbers.
    chance = keyed.number(1 << 128, "letters", part, belongs)
    for letters in _letter_rings(part):
        left = list(letters)
        # A small number for each ring: dividing a large one 26 times costs three times as much.
        chance, order = divmod(chance, factorial(len(left)))
        order, place = divmod(order, len(left))
        letter = first = left.pop(place)
        while left:
            order, place = divmod(order, len(left))
            made[letter] = letter = left.pop(place)
        made[letter] = first
    return made


def _names_of(kind: tuple[str, ...]) -> list[str]:
    marked = kind[-1] == "marked"
    group = kind[-2] if marked else kind[-1]
    if kind[0] == "surname":
        return _marked("surname", "U", group) if marked else _surnames(group)
    return _marked("given", kind[1], group) if marked else _given(kind[1], group)


def _surnames(group: str) -> list[str]:
    place = GROUPS.index(group) + 1 if group in GROUPS else 0
    rows = [row for row in _surname_rows() if len(row[0]) > 2 and row[0].isalpha() and not _RUN_TOGETHER.match(row[0])]
    if not place:
        return [row[0] for row in rows[:_MOST_SURNAMES]]
    of_group = [row[0] for row in rows if row[place] >= _OF_GROUP][:_MOST_SURNAMES]
    if len(of_group) < _LEAST_OF_GROUP:
        of_group = [row[0] for row in sorted(rows, key=lambda row: row[place], reverse=True)[: 2 * _LEAST_OF_GROUP]]
    return of_group + _beyond("surname", "U", group)


def _given(sex: str, group: str) -> list[str]:
    # Few given names are those of people of several races alone: theirs are everybody's.
    place = GROUPS.index(group) if group in _LEAST_SHARE else -1
    wanted = [
        (name, shares[place])
        for name, folded, usual, bearers, shares in _given_rows()
        if usual == sex and bearers >= _LEAST_BEARERS and len(name) > 1 and name.isalpha() and folded not in _english()
    ]
    if place < 0:
        return [name for name, _ in wanted]
    of_group = [name for name, share in wanted if share >= _LEAST_SHARE[group]]
    if len(of_group) < _LEAST_OF_GROUP and sex != "U":
        ordered = sorted(wanted, key=lambda row: row[1], reverse=True)
        of_group = [name for name, _ in ordered[:_LEAST_OF_GROUP]]
    return (of_group or [name for name, _ in wanted]) + (_beyond("given", sex, group) if group != "white" else [])


def _beyond(part: str, sex: str, group: str) -> list[str]:
    """Names that the Census files lack, without marks: those with marks stand for names with marks."""
    return [
        name
        for name, its_part, its_sex, its_group in _beyond_rows()
        if (its_part, its_group) == (part, group) and (part == "surname" or its_sex == sex)
        if name.isascii() and name.isalpha() and len(name) > 2 and fold_name(name) not in _english()
    ]


@cache
def _english() -> frozenset[str]:
    """The commonest words: a name that is one too, no reader takes for a name without a title beside it."""
    with reference_path("common_words.tsv").open(encoding="utf-8") as lines:
        return frozenset(line.partition("\t")[0] for line in islice(lines, 3_000))


def _marked(part: str, sex: str, group: str) -> list[str]:
    own = [
        name
        for name, its_part, its_sex, its_group in _beyond_rows()
        if its_part == part and group in {its_group, "any"} and (part == "surname" or its_sex == sex)
        if not name.isascii() and name.isalpha()
    ]
    if part == "surname":
        own += [name for known, names in MARKED_SURNAMES.items() if group in {known, "any"} for name in names]
    return own


@cache
def marked_names() -> frozenset[str]:
    """Names that are spelled with marks where there is room for them, folded: García and Garcia are one name."""
    names = [name for names in MARKED_SURNAMES.values() for name in names]
    return frozenset(fold_name(name) for name in (*names, *(row[0] for row in _beyond_rows())) if not name.isascii())


@cache
def common_surnames() -> dict[str, tuple[str, ...]]:
    """Usual surnames of five letters or more by first letter."""
    table: defaultdict[str, list[str]] = defaultdict(list)
    for row in _surname_rows()[:2_000]:
        if len(row[0]) > 4 and row[0].isalpha() and row[1] >= ".50":
            table[row[0][0].lower()].append(row[0])
    return {letter: tuple(names) for letter, names in table.items()}
