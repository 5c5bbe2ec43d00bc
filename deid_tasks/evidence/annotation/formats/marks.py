"""What a file marks in a note, as spans of the note's text.

Files count offsets in different ways: tools count UTF-16 code units where we count code points, and line ends change
when a file is parsed or copied. Most formats store the marked text beside the offsets. Offsets that do not mark it are
read in another way of counting if that explains every mark of the note; else the note is an error.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.labels import OwnLabels, Scheme


@dataclass(frozen=True, slots=True)
class FileMark:
    """One annotation, as it stands in a file."""

    fragments: tuple[tuple[int, int], ...]
    """Start and end of each stretch of text, nearly always one; each becomes a span."""
    label: str
    location: str
    """File, line and tag, for messages."""
    carried: str | None = field(default=None, repr=False)
    """The text that the file says it marks; ``None`` if it does not say."""
    detector: str = ""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class MarkedSpans:
    """The spans of one note, sorted."""

    spans: tuple[Span, ...]
    ignored: tuple[Span, ...]
    """Those of labels that count on neither side."""


def spans_of(
    marks: Iterable[FileMark],
    text: str | None,
    labels: OwnLabels,
    *schemes: Scheme,
    is_quoted: bool = True,
    has_byte_order_mark: bool = False,
) -> MarkedSpans:
    """Return the spans that the marks of one note describe.

    Args:
        marks: The marks.
        text: The note; ``None`` if it is not known, so that offsets cannot be checked.
        labels: What the corpus says of its labels.
        schemes: The schemes of the format; the first that has a label decides.
        is_quoted: Whether a message may quote a label.
        has_byte_order_mark: Whether a byte order mark stands in front of the text, which some tools count.

    Raises:
        InputError: A mark is outside the text or does not mark the text that it carries, or its label is unknown.
    """
    spans: set[Span] = set()
    ignored: set[Span] = set()
    read = tuple(marks)
    for mark in read if text is None else _aligned(read, text, has_byte_order_mark=has_byte_order_mark):
        _check_bounds(mark, text)
        if mark.label in labels.ignored:
            ignored.update(Span(start, end, Entity.OTHER_ID) for start, end in mark.fragments)
        elif entity := labels.entity_of(mark.label, mark.location, *schemes, is_quoted=is_quoted):
            spans.update(Span(start, end, entity, mark.detector, mark.score) for start, end in mark.fragments)
    return MarkedSpans(tuple(sorted(spans)), tuple(sorted(ignored)))


def _check_bounds(mark: FileMark, text: str | None) -> None:
    for start, end in mark.fragments:
        if not 0 <= start < end or (text is not None and end > len(text)):
            of_length = "" if text is None else f" of {len(text)} characters"
            raise InputError(f"{mark.location}: span {start}-{end} is empty or outside its text{of_length}")


def is_marked(marks: Iterable[FileMark], text: str) -> bool:
    """Whether every mark that carries text marks it in ``text``, whatever the white space."""
    return all(
        not mark.carried or _bare("".join(text[start:end] for start, end in mark.fragments)) == _bare(mark.carried)
        for mark in marks
    )


def _bare(text: str) -> str:
    """Return the text without white space and control characters, which tools rewrite."""
    return "".join(c for c in text if c.isprintable() and not c.isspace())


def _aligned(marks: Sequence[FileMark], text: str, *, has_byte_order_mark: bool) -> Sequence[FileMark]:
    if is_marked(marks, text):
        return marks
    for count in (_with_carriage_returns, _without_carriage_returns, _utf16, *([_one_more] * has_byte_order_mark)):
        moved = _moved(marks, list(count(text)))
        if moved is not None and is_marked(moved, text):
            return moved
    for mark in marks:
        _check_bounds(mark, text)
    wrong = next(mark for mark in marks if not is_marked([mark], text))
    offsets = ", ".join(f"{start}-{end}" for start, end in wrong.fragments)
    raise InputError(
        f"{wrong.location}: the offsets {offsets} do not match the text that it carries;"
        " correct them, or annotate the text as it is"
    )


def _moved(marks: Sequence[FileMark], positions: Sequence[int]) -> list[FileMark] | None:
    """Return the marks in code points of the text, ``None`` if one is outside.

    Args:
        marks: The marks, in another way of counting.
        positions: The position in the text of each character or unit that this way counts.
    """
    if not all(0 <= start < end <= len(positions) for mark in marks for start, end in mark.fragments):
        return None
    return [
        replace(mark, fragments=tuple((positions[start], positions[end - 1] + 1) for start, end in mark.fragments))
        for mark in marks
    ]


def _with_carriage_returns(text: str) -> Iterator[int]:
    """Count each lone line feed as two characters."""
    for position, character in enumerate(text):
        if character == "\n" and text[position - 1 : position] != "\r":
            yield position
        yield position


def _without_carriage_returns(text: str) -> Iterator[int]:
    """Count each pair of carriage return and line feed as one character."""
    for position, character in enumerate(text):
        if character != "\r" or text[position + 1 : position + 2] != "\n":
            yield position


def _utf16(text: str) -> Iterator[int]:
    """Count UTF-16 code units, as JavaScript does."""
    for position, character in enumerate(text):
        if ord(character) > 0xFFFF:
            yield position
        yield position


def _one_more(text: str) -> Iterator[int]:
    """Count one character in front of the text."""
    yield 0
    yield from range(len(text))
