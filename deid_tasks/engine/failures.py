"""Classification of errors: a note's fault quarantines the note; any other error fails the task, which is retried."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from deid_tasks.core.errors import DeidError

_PACKAGE = __name__.split(".")[0]

MACHINE_ERRORS: tuple[type[Exception], ...] = (
    MemoryError,
    OSError,  # missing files, full disks, lost connections, timeouts
    ImportError,
    SystemError,
    DeidError,  # damaged models and lexicons, invalid settings, endpoints that do not answer
)
"""Errors that no note causes. They are raised, so that the whole shard fails and is retried."""

MODEL_RUNTIMES = frozenset({"onnxruntime", "torch", "tokenizers", "safetensors"})
"""Packages that run models: an error in one of them, such as a CUDA error, is the machine's. Our runners raise most
of them as ``ModelError``."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error without its message, which may quote the note: safe to store and to log."""

    error_class: str
    """Class of the exception, with its module if it is not a built-in."""
    location: str
    """``module:function:line`` of the innermost frame of this package; of the innermost frame at all if there is
    none."""

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """Return class and code location of ``error``."""
        kind = type(error)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        frames = list(_frames(error))
        own = [frame for frame in frames if _module(frame[0]).split(".")[0] == _PACKAGE]
        if not frames:
            return cls(name, "")
        frame, line = (own or frames)[-1]
        return cls(name, f"{_module(frame)}:{frame.f_code.co_qualname}:{line}")


def is_fault_of_note(error: Exception) -> bool:
    """Whether ``error`` belongs to the note that was read; every other error must fail the shard.

    Memory, files, connections, imports, models and lexicons are the machine's, and so is everything that a model's
    runtime raises. What remains is code that cannot deal with one note's text.
    """
    if isinstance(error, MACHINE_ERRORS):
        return False
    if type(error).__module__.split(".")[0] in MODEL_RUNTIMES:
        return False
    return not any(_module(frame).split(".")[0] in MODEL_RUNTIMES for frame, _ in _frames(error))


class WithheldTexts:
    """A block that no error leaves whose text could quote a note or a row.

    The texts of our own errors and of failed imports hold no patient data, so these errors pass without their causes,
    and so do errors of the classes given. Another one becomes a ``DeidError`` with its class and code location.
    """

    def __init__(self, *passing: type[Exception]) -> None:
        self._passing: tuple[type[Exception], ...] = (DeidError, ImportError, *passing)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, frames: object) -> None:
        if isinstance(error, self._passing):
            raise error from None
        if isinstance(error, Exception):
            failure = Failure.of(error)
            raise DeidError(
                f"{failure.error_class} at {failure.location}; its text is withheld, because it may quote a note"
            ) from None


def _frames(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    return traceback.walk_tb(error.__traceback__)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
