"""What a rule is: a trigger that RE2 finds in one linear scan, and a reader that looks closely at each place it fires.

A trigger has bounded repeats and no captures; a reader looks at a bounded stretch around the trigger, so that the cost of
a note is linear in its length whatever it holds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from deid_tasks.core.entities import Entity


class Strength(IntEnum):
    """How sure a rule is; where two finds overlap, the surer one stands, and of two equally sure ones the longer."""

    WEAK = 1
    FORMAT = 2
    """The shape alone is telling: an e-mail address, a calendar date."""
    LABELLED = 3
    """A label or a checksum says what the value is."""


class Found(NamedTuple):
    """``text[start:end]`` is an identifier."""

    start: int
    end: int
    entity: Entity
    strength: Strength = Strength.FORMAT


Reader = Callable[[str, int, int], Iterable[Found]]
"""Takes the folded note and where the trigger stands; gives what is found there."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One subject: where to look, and how to read what stands there."""

    name: str
    trigger: str
    read: Reader


def before(text: str, start: int, reach: int = 40) -> str:
    """Up to ``reach`` characters of the same line in front of ``start``, in lower case."""
    stretch = text[max(0, start - reach) : start]
    return stretch[stretch.rfind("\n") + 1 :].lower()


def after(text: str, end: int, reach: int = 30) -> str:
    """Up to ``reach`` characters of the same line behind ``end``, in lower case."""
    stretch = text[end : end + reach]
    cut = stretch.find("\n")
    return (stretch if cut < 0 else stretch[:cut]).lower()
