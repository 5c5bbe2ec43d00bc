"""Where the errors of one note are: offsets and entities, without text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from deid_tasks.core.entities import Entity, category_of


class ErrorKind(StrEnum):
    """What is wrong with a word."""

    MISSED = "missed"
    """An identifier that was not found."""
    WRONG = "wrong"
    """Found, and not an identifier."""
    OTHER_CATEGORY = "other category"
    """An identifier that was found as one of another category; the headline counts it as found."""


@dataclass(slots=True)
class NoteError:
    """Neighbouring words with the same error."""

    kind: ErrorKind
    start: int
    end: int
    gold: str
    """The gold entity; empty if there is none."""
    predicted: str
    """The predicted entity; empty if there is none."""
    words: int
    """The words that it counts in the figures."""


def list_errors(
    words: Sequence[tuple[int, int]],
    gold: Mapping[int, str],
    predicted: Mapping[int, str],
    ignored: frozenset[str],
) -> Iterator[NoteError]:
    """Yield the errors of one note in the order of the text.

    Args:
        words: Start and end of each word.
        gold: The gold entity by the index of a word.
        predicted: The predicted entity by the index of a word.
        ignored: Gold labels that count on neither side.
    """
    current: NoteError | None = None
    for index, (start, end) in enumerate(words):
        labels = gold.get(index, ""), predicted.get(index, "")
        kind = _kind(*labels, ignored)
        if current is not None and kind is current.kind and labels == (current.gold, current.predicted):
            current.end = end
            current.words += 1
            continue
        if current is not None:
            yield current
        current = NoteError(kind, start, end, *labels, words=1) if kind else None
    if current is not None:
        yield current


def _kind(gold: str, predicted: str, ignored: frozenset[str]) -> ErrorKind | None:
    if gold in ignored or (not gold and predicted in ignored):
        return None
    if gold and not predicted:
        return ErrorKind.MISSED
    if predicted and not gold:
        return ErrorKind.WRONG
    if gold and category_of(Entity(gold)) != category_of(Entity(predicted)):
        return ErrorKind.OTHER_CATEGORY
    return None
