"""Word lists that lie beside the code: ``*.txt`` with one entry a line, ``*.tsv`` with a group and an entry a line.

Lines that start with ``#`` are comments. The order and the number of entries decide which entry a key chooses: a change
of a list changes surrogates.
"""

from collections import defaultdict
from functools import cache
from pathlib import Path

from deid_tasks.core.reference import fold

_FOLDER = Path(__file__).parent


@cache
def read_word_list(name: str) -> tuple[str, ...]:
    """Return the entries of a list in the order of its file.

    Args:
        name: path of the file below this package, such as ``places/countries.txt``.
    """
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and line[0] != "#")


@cache
def read_folded_list(name: str) -> tuple[tuple[str, str], ...]:
    """Return the entries of a list in the order of its file, each with its folded form."""
    return tuple((entry, fold(entry)) for entry in read_word_list(name))


@cache
def read_grouped_list(name: str) -> dict[str, tuple[str, ...]]:
    """Return the entries of a two-column list by their group, both in the order of the file.

    Args:
        name: path of the file below this package; its first line names the columns.
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for line in read_word_list(name)[1:]:
        group, _, entry = line.partition("\t")
        groups[group].append(entry)
    return {group: tuple(entries) for group, entries in groups.items()}
