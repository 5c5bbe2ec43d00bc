"""The given names of the public list."""

from functools import cache

from deid_tasks.core.reference import fold, read_columns


@cache
def given_names() -> frozenset[str]:
    """Return the given names of the public list, folded."""
    return frozenset(fold(name) for (name,) in read_columns("given_names.tsv", "given_name"))
