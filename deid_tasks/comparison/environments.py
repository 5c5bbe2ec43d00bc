"""An environment of its own for each system, made on first use from its pinned requirements."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import deid_tasks
from deid_tasks.comparison.registry import SystemDefinition
from deid_tasks.core.errors import DeidError
from deid_tasks.core.files import make_folder
from deid_tasks.settings.endpoints import FORBID_REMOTE_VARIABLE

_COMPLETE = "complete"
"""File that an environment has when all of its packages are installed."""
_MINUTES = 30
_COMMON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", FORBID_REMOTE_VARIABLE)
"""What a system may know of this process's environment: what forbids other hosts, and no secret of the platform."""
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)


class SystemUnavailableError(DeidError):
    """A system cannot be installed or started; the text says why, ``advice`` what to do."""

    def __init__(self, reason: str, message: str, advice: str) -> None:
        super().__init__(message)
        self.reason, self.advice = reason, advice
        """``reason`` is a class of failures: ``NotInstalled``, ``InstallFailed``, ``StartFailed``…"""


def python_of(definition: SystemDefinition, cache: Path, announce: Callable[[str], None]) -> Path:
    """Return the Python that runs a system; its environment is made if it is not there.

    Args:
        definition: The system.
        cache: The folder of environments and answers.
        announce: Shown what is being done.

    Raises:
        SystemUnavailableError: The packages cannot be installed.
    """
    if definition.missing:
        raise SystemUnavailableError(
            "NotInstalled",
            definition.missing,
            "write an adapter for your own copy and give its folder as adapter:FOLDER",
        )
    if definition.runs_here or (definition.needs and all(map(importlib.util.find_spec, definition.needs))):
        return Path(sys.executable)
    requirements = definition.folder / "requirements.txt"
    digest = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = cache / "environments" / f"{definition.folder.name}-{digest}"
    python = folder / "bin" / "python"
    if not (folder / _COMPLETE).exists():
        announce(f"installing {definition.title} into {folder}")
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        _install(python, folder, requirements)
        (folder / _COMPLETE).touch()
    return python


def environment_of(definition: SystemDefinition, variables: Iterable[str] = (), *, is_ours: bool) -> Mapping[str, str]:
    """Return the environment variables of a system's process.

    Args:
        definition: The system.
        variables: More that it may read.
        is_ours: Whether this Python runs it: it then imports this package.
    """
    found = {name: os.environ[name] for name in (*_COMMON, *definition.environment, *variables) if name in os.environ}
    found |= {**_ONE_THREAD, "PYTHONUTF8": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONNOUSERSITE": "1"}
    if is_ours:
        found["PYTHONPATH"] = str(Path(deid_tasks.__file__).parents[1])
    return found


def _install(python: Path, folder: Path, requirements: Path) -> None:
    try:
        venv.create(folder, with_pip=True, symlinks=True)
        command = [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        done = subprocess.run(  # noqa: S603 (our own requirements)
            [*command, "--requirement", str(requirements)],
            capture_output=True,
            text=True,
            timeout=60 * _MINUTES,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SystemUnavailableError(
            "InstallFailed", f"its environment could not be made: {type(error).__name__}", f"see {folder}"
        ) from error
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        raise SystemUnavailableError(
            "InstallFailed",
            f"pip could not install it: {(errors or ['no message'])[-1][:300]}",
            f"run {python} -m pip install -r {requirements} and see what is missing; a proxy or a mirror is set"
            " with PIP_INDEX_URL",
        )
