"""Secrets of other institutions for the demo's Airflow, in a file that the user writes."""

import shlex
from collections.abc import Container
from pathlib import Path

from deid_tasks.demo.state import DemoError

SECRETS_FILE = "secrets.env"
"""Name of the file in the demo's folder."""
_PREFIXES = ("AIRFLOW_CONN_", "AIRFLOW_VAR_")


def added_secrets(file: Path, reserved: Container[str]) -> dict[str, str]:
    """Read the user's own secrets: lines ``AIRFLOW_CONN_NAME=uri`` and ``AIRFLOW_VAR_NAME=value``.

    Blank lines, comments (``#``), quotes and a leading ``export`` are understood as a shell does.

    Args:
        file: The file; there need not be one.
        reserved: Names that the demo sets itself.

    Raises:
        DemoError: the file cannot be read, or a line sets something else. The message names the line, never its value.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError):
        raise DemoError(f"{file}: cannot be read as UTF-8 text; mend or remove it") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        assignment = _assignment(line, f"{file}:{number}")
        if assignment is None:
            continue
        name, value = assignment
        if not name.startswith(_PREFIXES):
            raise DemoError(f"{file}:{number}: {name} is not a secret; names begin with {' or '.join(_PREFIXES)}")
        if name in reserved:
            raise DemoError(f"{file}:{number}: {name} belongs to the demo itself; give your secret another name")
        found[name] = value
    return found


def _assignment(line: str, where: str) -> tuple[str, str] | None:
    """Return name and value of a line, or ``None`` for a blank line or a comment."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        raise DemoError(f"{where}: a quotation mark is not closed") from None
    if words[:1] == ["export"]:
        words = words[1:]
    if not words:
        return None
    name, equals, value = words[0].partition("=")
    if len(words) > 1 or not equals or not name.isidentifier():
        raise DemoError(f"{where}: must read NAME=value; put a value with blanks into quotes")
    return name, value
