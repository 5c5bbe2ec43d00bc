"""`python -m deid_tasks.demo.deid COMMAND …`: run a command of ``deid`` with the secrets of the demo's hospitals."""

import os
import sys
from typing import NoReturn

from deid_tasks.core.errors import DeidError
from deid_tasks.demo.command import demo_institutions
from deid_tasks.demo.environment import secret_values
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import INSTITUTIONS, State, checkout
from deid_tasks.settings import InstitutionSettings
from deid_tasks.settings.secrets import variable_of


def command_environment(state: State, platform: Platform, institutions: list[InstitutionSettings]) -> dict[str, str]:
    """Return the caller's environment with the secrets that the institutions' settings name."""
    values = secret_values(state, platform.places, institutions)
    return {**os.environ, **{variable_of(name): value for name, value in values.items()}}


def run_command(arguments: list[str]) -> NoReturn:
    """Become the process ``deid ARGUMENTS``, with the demo's secrets and working folder in its environment.

    Raises:
        DeidError: the demo's settings cannot be read.
    """
    root = checkout()
    state = State.load(root / ".run")
    institutions = demo_institutions(root / INSTITUTIONS, state)
    environment = command_environment(state, Platform(root, state, print), institutions)
    os.execve(sys.executable, [sys.executable, "-m", "deid_tasks.cli", *arguments], environment)  # noqa: S606


if __name__ == "__main__":
    try:
        run_command(sys.argv[1:])
    except DeidError as error:
        sys.exit(str(error))
