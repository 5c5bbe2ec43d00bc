"""Who runs a command: the operating system says so, and no option or variable of the user's."""

import os
import pwd
import socket
from collections.abc import Mapping

from deid_tasks.core.identity import Identity


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
