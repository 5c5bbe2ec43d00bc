"""One person whom a note names in full, and one name as it stands there."""

from typing import NamedTuple

from deid_tasks.core.entities import Entity


class NameMention(NamedTuple):
    """One name as it is rewritten: one span, or spans that are one name."""

    start: int
    end: int
    entity: Entity


class NotePerson(NamedTuple):
    """One person whom the note names in full."""

    mention: NameMention
    """The mention with the most letters; its entity is the person's role."""
    givens: tuple[str, ...]
    """Folded."""
    surnames: tuple[str, ...]
    """Folded."""
