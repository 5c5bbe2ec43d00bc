"""Tables of forms: rows that are tried in order, of which the first that applies decides.

A reader with many cases states them as one table. Each row has a name, an example, a condition, and what follows from
it. The tests read the examples from the tables, so a row without a working example fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Reading = TypeVar("Reading")
"""What the conditions look at: a match and the text around it, prepared once."""
Outcome = TypeVar("Outcome")
"""What a table decides: for most tables whether the match is an identifier."""


@dataclass(frozen=True, slots=True)
class Form(Generic[Reading, Outcome]):
    """One row of a table."""

    name: str
    example: str
    """A short text with its identifiers marked, such as ``seen on [DATE:3/14]``."""
    applies: Callable[[Reading], bool]
    decide: Callable[[Reading], Outcome]


class FormTable(Generic[Reading, Outcome]):
    """Rows in the order in which they are tried."""

    def __init__(self, name: str, *forms: Form[Reading, Outcome]) -> None:
        self.name = name
        self.forms = forms

    def find(self, reading: Reading) -> Form[Reading, Outcome] | None:
        """Return the first form that applies, or ``None``."""
        for form in self.forms:
            if form.applies(reading):
                return form
        return None

    def decide(self, reading: Reading) -> Outcome | None:
        """Return the decision of the first form that applies, or ``None`` where none does."""
        form = self.find(reading)
        return None if form is None else form.decide(reading)


def always(_reading: object) -> bool:
    """Accept every reading: the decision of a form that is an identifier, and the condition of a last row."""
    return True


def never(_reading: object) -> bool:
    """Reject every reading: the decision of a form that is not an identifier."""
    return False
