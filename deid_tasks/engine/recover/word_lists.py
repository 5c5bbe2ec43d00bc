"""The word lists beside the modules of this package."""

from functools import cache
from pathlib import Path


@cache
def words_of_list(file: str) -> frozenset[str]:
    """Return the lines of a list, such as ``products.txt``, without its comments."""
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
