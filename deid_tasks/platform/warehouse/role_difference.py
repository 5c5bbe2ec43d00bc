"""One thing in which a database's roles differ from what they should be."""

from typing import NamedTuple


class RoleDifference(NamedTuple):
    """One thing that is not as it should be."""

    role: str
    """A role of the institution, one of its members, or ``public`` for everybody."""
    what: str
    """The table or schema, or ``role`` for the role itself."""
    wanted: str
    found: str
    mend: str = ""
    """The statement that mends it; empty where the script of ``deid roles`` does."""


def listed(privileges: set[str]) -> str:
    """Return privileges for people to read."""
    return ", ".join(sorted(privileges)) or "nothing"
