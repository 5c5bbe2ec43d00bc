"""Who runs a command: the operating system says so, and no option or variable of the user's."""

import os
import pwd
import socket
from collections.abc import Mapping
from pathlib import Path

from deid_tasks.core.errors import ApprovalError
from deid_tasks.core.identity import Identity

IMAGE_MARKER = Path("/etc/palimpsest-image")
"""A file that the images have: whoever may start a process there chooses its user, with ``docker exec --user``."""


def operating_system_identity(environment: Mapping[str, str] = os.environ) -> Identity:
    """Return the user whose process this is; under sudo to root, the user who called it.

    The name belongs to the process's real user id, not to ``$USER`` or ``$LOGNAME``, which anybody may set.
    ``$SUDO_UID`` counts for root alone, for which sudo sets it: root may take any identity anyway.
    """
    uid = os.getuid()
    origin = f"uid {uid} on {socket.gethostname()}"
    if uid == 0 and environment.get("SUDO_UID", "").isdecimal():
        uid = int(environment["SUDO_UID"])
        origin = f"uid {uid} through sudo on {socket.gethostname()}"
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        # A container often runs as a user id that has no name.
        name = f"uid-{uid}"
    return Identity(name, "operating_system", origin)


def person_at_the_desk() -> Identity:
    """Return the user as ``operating_system_identity`` does, for an act that must be one person's and no other's.

    Raises:
        ApprovalError: the process runs in the platform's image, where everybody has the same user.
    """
    person = operating_system_identity()
    if IMAGE_MARKER.exists():
        raise ApprovalError(
            f"in a container everybody is {person.name!r}, so nobody can be told apart: run the command on a machine"
            " where each person has a login of their own (docs/how-to/audit.md#where-people-work)"
        )
    return person
