"""The names of one world, drawn as the US Census counts them and beyond it."""

import random
from bisect import bisect
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from deid_tasks.core.reference import read_tsv
from deid_tasks.hospital.records import Person, World
from deid_tasks.hospital.worlds import fold_for_world, world_of

GROUPS = ("white", "black", "api", "native", "multiple", "hispanic")
GROUP_SHARES = (0.57, 0.13, 0.07, 0.015, 0.025, 0.19)
_UNKNOWN_SHARES = (0.62, 0.12, 0.06, 0.01, 0.03, 0.16)
"""Given names without counted shares are drawn like the population."""
_RARE, _BEYOND = 0.12, 0.12
"""How often a name is drawn evenly from the whole list, and from the names beyond the Census."""
_DOUBLE = 0.025
"""How often two surnames are joined by a hyphen."""


@dataclass(frozen=True)
class Pool:
    """Names with weights."""

    names: tuple[str, ...]
    cumulative: tuple[float, ...]
    beyond: tuple[str, ...]

    def draw(self, rng: random.Random) -> str:
        """Return one name: mostly by frequency, else any of the list, else one from beyond the Census."""
        chance = rng.random()
        if chance < _BEYOND and self.beyond:
            return self.beyond[int(rng.random() * len(self.beyond))]
        if chance < _BEYOND + _RARE:
            return self.names[int(rng.random() * len(self.names))]
        return self.names[min(bisect(self.cumulative, rng.random() * self.cumulative[-1]), len(self.names) - 1)]


@dataclass(frozen=True)
class NamePools:
    """Everything that people of one world may be called."""

    world: World
    surnames: dict[str, Pool]
    given: dict[tuple[str, str], Pool]
    nicknames: dict[str, tuple[str, ...]]

    def group(self, rng: random.Random) -> str:
        """Return a Census group, by its share of the population."""
        return rng.choices(GROUPS, GROUP_SHARES)[0]

    def surname(self, group: str, rng: random.Random) -> str:
        """Return a surname as people of ``group`` bear it; now and then of another group, or two with a hyphen."""
        if rng.random() < 0.06:
            group = self.group(rng)
        pool = self.surnames[group]
        name = pool.draw(rng)
        if rng.random() < _DOUBLE and name.isalpha():
            second = pool.draw(rng)
            if second.isalpha() and second != name:
                return f"{name}-{second}"
        return name

    def person(self, group: str, sex: str, rng: random.Random, last: str | None = None) -> Person:
        """Return a person of ``group`` and ``sex``; ``last`` fixes the surname."""
        pool = self.given[group, sex]
        first = pool.draw(rng)
        middle = pool.draw(rng) if rng.random() < 0.86 else ""
        known = self.nicknames.get(fold_for_world(first), ())
        nickname = known[int(rng.random() * len(known))] if known and rng.random() < 0.6 else ""
        return Person(first, "" if middle == first else middle, last or self.surname(group, rng), sex, nickname)


@cache
def name_pools(world: World) -> NamePools:
    """Return the names whose folded spelling belongs to ``world``; see ``world_of``."""
    beyond: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in read_tsv("names_beyond.tsv"):
        if world_of(row["name"]) is world:
            beyond[row["group"], row["sex"] if row["part"] == "given" else "surname"].append(row["name"])

    weights = _weights(world)

    def pool(group: str, part: str) -> Pool:
        names = weights[group, part]
        return Pool(
            tuple(name for name, _ in names),
            tuple(accumulate(weight for _, weight in names)),
            tuple(beyond[group, part]),
        )

    return NamePools(
        world,
        {group: pool(group, "surname") for group in GROUPS},
        {(group, sex): pool(group, sex) for group in GROUPS for sex in "FM"},
        _nicknames(world),
    )


def _weights(world: World) -> dict[tuple[str, str], list[tuple[str, float]]]:
    """Return the names of each (group, part) with their weights; the part is ``surname``, ``F`` or ``M``."""
    weights: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for row in read_tsv("surnames.tsv"):
        if world_of(row["surname"]) is world:
            for group in GROUPS:
                if share := float(row[group]):
                    weights[group, "surname"].append((row["surname"], float(row["per_100k"]) * share))
    for row in read_tsv("given_names.tsv"):
        if world_of(row["given_name"]) is world:
            for sex, column in (("F", "women_per_100k"), ("M", "men_per_100k")):
                _add_given_name(weights, row, sex, float(row[column]) or (0.5 if row["sex"] == "U" else 0.0))
    return weights


def _add_given_name(
    weights: dict[tuple[str, str], list[tuple[str, float]]], row: dict[str, str], sex: str, count: float
) -> None:
    for group, typical in zip(GROUPS, _UNKNOWN_SHARES, strict=True):
        share = float(row[group]) if row[group] else typical
        if count * share > 0:
            weights[group, sex].append((row["given_name"], count * share))


def _nicknames(world: World) -> dict[str, tuple[str, ...]]:
    """Return folded given name → its short forms, both of ``world``."""
    forms: dict[str, list[str]] = defaultdict(list)
    for row in read_tsv("nicknames.tsv"):
        if world_of(row["nickname"]) is world:
            forms[row["name"]].append(row["nickname"].title())
    return {name: tuple(nicknames) for name, nicknames in forms.items()}
