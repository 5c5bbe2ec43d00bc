"""The public reference lists (``dictionaries/*.tsv``): inside an installed package, and beside it in a checkout."""

import csv
import unicodedata
from pathlib import Path

from deid_tasks.core.errors import InputError

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE / "dictionaries", _PACKAGE.parent / "dictionaries")


def reference_path(name: str) -> Path:
    """Return the path of the reference list ``name``: the one installed in the package, or else the checkout's.

    Raises:
        InputError: there is neither.
    """
    for folder in _FOLDERS:
        path = folder / name
        if path.is_file():
            return path
    folders = " or ".join(str(folder) for folder in _FOLDERS)
    raise InputError(f"reference list {name!r} is not in {folders}")


def read_tsv(name: str) -> list[dict[str, str]]:
    """Return the rows of a reference list: tab-separated, UTF-8, no quoting, column names in the first line.

    Lines that start with ``#`` are comments.

    Raises:
        InputError: the file is missing, or a row has another number of columns.
    """
    path = reference_path(name)
    rows: list[dict[str, str]] = []
    with path.open(encoding="utf-8", newline="") as file:
        header: list[str] | None = None
        for number, row in enumerate(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
            if not row or row[0].startswith("#"):
                continue
            if header is None:
                header = row
            elif len(row) != len(header):
                raise InputError(f"{path.name}:{number}: {len(row)} columns where the header has {len(header)}")
            else:
                rows.append(dict(zip(header, row, strict=True)))
    return rows


def read_columns(name: str, *columns: str) -> list[list[str]]:
    """Return the named columns of a reference list, row by row.

    It takes a fifth of the time of ``read_tsv``: for the long lists that every worker reads.

    Raises:
        InputError: the file or a column is missing, or a row has another number of columns.
    """
    path = reference_path(name)
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    header = lines[0].split("\t") if lines else []
    if missing := [column for column in columns if column not in header]:
        raise InputError(f"{path.name}: no column {', '.join(missing)}")
    rows = [line.split("\t") for line in lines[1:]]
    if any(len(row) != len(header) for row in rows):
        raise InputError(f"{path.name}: a row is not {len(header)} columns wide, as its header is")
    positions = [header.index(column) for column in columns]
    return [[row[position] for position in positions] for row in rows]


def fold(value: str) -> str:
    """``value`` in lower case without accents: the form in which names and places are compared."""
    if value.isascii():
        return value.lower().strip()
    decomposed = unicodedata.normalize("NFKD", value.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char)).strip()
