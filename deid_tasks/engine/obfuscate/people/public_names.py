"""What the public lists say of names: sex, Census group, bearers, nicknames. Every table is read once a process."""

from collections import defaultdict
from functools import cache
from typing import NamedTuple

from deid_tasks.core.reference import read_columns
from deid_tasks.engine.obfuscate.people.marked_names import marked_surnames
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

GROUPS = ("white", "black", "api", "native", "multiple", "hispanic")
"""The groups of the Census, as the columns of the lists name them."""
MIN_GROUP_SHARE = ".40"
"""A name is of a group to which this share of its bearers belongs; compared as it is written, with two digits."""
_MIXED_RATIO = 0.3
"""A name is used for both sexes where the rarer use is at least this share of the commoner one."""


class GivenName(NamedTuple):
    """What the lists say of a given name."""

    sex: str = ""
    """``F``, ``M``, ``U`` for both, empty where unknown."""
    group: str = ""
    """Its Census group; empty where that is white or unknown."""
    bearers: float = 0.0
    """Bearers in 100,000 people."""


class GivenNameRow(NamedTuple):
    """A row of the list of given names."""

    name: str
    folded: str
    sex: str
    bearers: float
    shares: list[str]
    """The share of its bearers in each of ``GROUPS``, as written."""


UNKNOWN_NAME = GivenName()


@cache
def given_name_rows() -> list[GivenNameRow]:
    """Return the rows of the public list of given names, with the sex that most bearers have."""
    rows = []
    columns = read_columns("given_names.tsv", "given_name", "sex", "women_per_100k", "men_per_100k", *GROUPS)
    for name, sex, women_text, men_text, *shares in columns:
        women, men = float(women_text), float(men_text)
        rows.append(GivenNameRow(name, fold_name(name), _usual_sex(sex, women, men), women + men, shares))
    return rows


def _usual_sex(sex: str, women: float, men: float) -> str:
    if sex != "U":
        return sex
    if women + men == 0:
        return ""
    if min(women, men) >= _MIXED_RATIO * max(women, men):
        return "U"
    return "F" if women > men else "M"


@cache
def given_name_table() -> dict[str, GivenName]:
    """Return what the lists say of each given name, by the folded name."""
    table = {}
    for row in given_name_rows():
        best = max(row.shares)
        group = GROUPS[row.shares.index(best)] if best >= MIN_GROUP_SHARE else ""
        table[row.folded] = GivenName(row.sex, "" if group == "white" else group, row.bearers)
    for name, part, sex, group in names_beyond_census():
        if part == "given":
            known = table.get(fold_name(name))
            if known is None or not known.sex:
                bearers = known.bearers if known else 0.0
                table[fold_name(name)] = GivenName(sex, "" if group == "white" else group, bearers)
    for key, names in read_grouped_list("people/given_name_sexes.tsv").items():
        sex, _, group = key.partition(" ")
        for name in names:
            known = table.get(fold_name(name))
            if known is None:
                table[fold_name(name)] = GivenName(sex, group)
            elif not known.sex:
                table[fold_name(name)] = known._replace(sex=sex)
    return table


@cache
def surname_rows() -> list[list[str]]:
    """Return ``[surname, share by group …, bearers in 100,000]`` of each surname, the commonest first."""
    return read_columns("surnames.tsv", "surname", *GROUPS, "per_100k")


@cache
def names_beyond_census() -> list[list[str]]:
    """Return ``[name, part, sex, group]`` of names that the Census lists lack."""
    return read_columns("names_beyond.tsv", "name", "part", "sex", "group")


@cache
def surname_groups() -> dict[str, str]:
    """Return the Census group of each surname, folded; empty where no group has enough of its bearers."""
    table: dict[str, str] = {}
    for row in surname_rows():
        best = max(row[1:-1])
        table[fold_name(row[0])] = GROUPS[row.index(best, 1) - 1] if best >= MIN_GROUP_SHARE else ""
    for name, part, _, group in names_beyond_census():
        if part == "surname":
            table.setdefault(fold_name(name), group)
    return table


@cache
def surname_bearers() -> dict[str, float]:
    """Return the bearers of each surname, folded, in 100,000 people."""
    return {fold_name(row[0]): float(row[-1]) for row in surname_rows()}


def is_listed_name(folded: str) -> bool:
    """Return whether the lists have a folded name, as a given name or a surname."""
    return folded in given_name_table() or folded in surname_groups()


@cache
def formal_names() -> dict[str, tuple[str, ...]]:
    """Return the formal names of each nickname, folded, in the order of the list."""
    table: dict[str, list[str]] = {}
    for name, nickname in read_columns("nicknames.tsv", "name", "nickname"):
        table.setdefault(fold_name(nickname), []).append(fold_name(name))
    for name, short_names in read_grouped_list("people/further_short_names.tsv").items():
        for short_name in short_names:
            table.setdefault(fold_name(short_name), []).append(fold_name(name))
    return {nickname: tuple(names) for nickname, names in table.items()}


@cache
def nicknames() -> dict[str, tuple[str, ...]]:
    """Return the nicknames of each formal name, folded, in the order of the list."""
    table: dict[str, list[str]] = {}
    for name, nickname in read_columns("nicknames.tsv", "name", "nickname"):
        table.setdefault(fold_name(name), []).append(fold_name(nickname))
    return {name: tuple(found) for name, found in table.items()}


@cache
def names_with_marks() -> frozenset[str]:
    """Return the names that have a spelling with diacritical marks, folded: García and Garcia are one name."""
    names = [name for names in marked_surnames().values() for name in names]
    names += [row[0] for row in names_beyond_census()]
    return frozenset(fold_name(name) for name in names if not name.isascii())


@cache
def common_surnames() -> dict[str, tuple[str, ...]]:
    """Return frequent surnames of five letters or more, by their first letter."""
    table: defaultdict[str, list[str]] = defaultdict(list)
    for row in surname_rows()[:2_000]:
        if len(row[0]) > 4 and row[0].isalpha() and row[1] >= ".50":
            table[row[0][0].lower()].append(row[0])
    return {letter: tuple(names) for letter, names in table.items()}
