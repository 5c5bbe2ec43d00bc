"""The parts of a rule: a trigger that RE2 finds in one linear scan, and a reader that judges each match.

A trigger has bounded repeats and no captures. A reader looks at a bounded stretch around the match. The cost of a note
is therefore linear in its length, whatever it holds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from deid_tasks.core.entities import Entity


class Strength(IntEnum):
    """The evidence for a candidate. Of two that overlap the stronger wins, of two equally strong ones the longer."""

    WEAK = 1
    """The words around it make it likely."""
    FORMAT = 2
    """Its form alone identifies it: an e-mail address, a calendar date."""
    LABELLED = 3
    """A label or a check digit says what the value is."""


class Candidate(NamedTuple):
    """A span ``text[start:end]`` that one rule takes for an identifier."""

    start: int
    end: int
    entity: Entity
    strength: Strength = Strength.FORMAT


CandidateReader = Callable[[str, int, int], Iterable[Candidate]]
"""Takes the folded note and the start and end of a trigger's match; returns the candidates there."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One subject: the trigger that finds where to look, and the reader that decides."""

    name: str
    trigger: str
    read: CandidateReader


def text_before(text: str, start: int, reach: int = 40) -> str:
    """Return up to ``reach`` characters of the same line in front of ``start``, in lower case."""
    stretch = text[max(0, start - reach) : start]
    return stretch[stretch.rfind("\n") + 1 :].lower()


def text_after(text: str, end: int, reach: int = 30) -> str:
    """Return up to ``reach`` characters of the same line behind ``end``, in lower case."""
    stretch = text[end : end + reach]
    cut = stretch.find("\n")
    return (stretch if cut < 0 else stretch[:cut]).lower()
