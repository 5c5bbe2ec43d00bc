"""Regular expressions that people write in settings: RE2 only, and none that a long note can slow down."""

import re2

_QUIET = re2.Options()
_QUIET.log_errors = False
_CLASS_NAMES = "[:"


def check_expression(expression: str, *, bounded: bool = False) -> None:
    """Refuse what is no RE2 expression, what matches the empty string, and, where ``bounded``, repeats without an end.

    RE2 reads a text in linear time, but finding every match of ``a.*b|a`` reads the rest of the text from each match on: over a
    whole note only expressions of bounded length are linear.

    Raises:
        ValueError: with the reason, for a person.
    """
    try:
        compiled = re2.compile(expression, _QUIET)
    except re2.error:
        raise ValueError(f"{expression!r} is no RE2 regular expression (no look-around, no back-references)") from None
    if compiled.search("") is not None:
        raise ValueError(f"{expression!r} matches the empty string, so it would match everywhere")
    place = _unbounded(expression) if bounded else None
    if place is not None:
        raise ValueError(
            f"{expression!r} repeats without an end at character {place + 1}: write how often at most, such as {{1,40}}"
        )


def _unbounded(expression: str) -> int | None:
    """The place of the first ``*``, ``+`` or ``{n,}`` that is a repeat."""
    place, in_class = 0, False
    while place < len(expression):
        character = expression[place]
        if character == "\\":
            if expression.startswith("\\Q", place):
                quoted = expression.find("\\E", place)
                place = len(expression) if quoted < 0 else quoted
            place += 2
            continue
        if in_class:
            if expression.startswith(_CLASS_NAMES, place):
                closed = expression.find(":]", place)
                place = closed + 1 if closed > 0 else place
            in_class = character != "]"
        elif character == "[":
            in_class = True
            place += expression.startswith("^", place + 1)
            place += expression.startswith("]", place + 1)
        elif character in "*+":
            return place
        elif character == "{":
            closed = expression.find("}", place)
            inside = expression[place + 1 : closed] if closed > 0 else ""
            if inside.endswith(",") and inside[:-1].isdigit():
                return place
        place += 1
    return None
