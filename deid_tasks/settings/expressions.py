"""Checks for regular expressions in settings: RE2 only, and none that a long note can slow down."""

import re2

_QUIET = re2.Options()
_QUIET.log_errors = False
_CLASS_NAME = "[:"


def check_expression(expression: str, *, is_bounded: bool = False) -> None:
    """Check that ``expression`` is RE2, does not match the empty string, and, if ``is_bounded``, has no unbounded
    repeat.

    RE2 reads a text in linear time, but finding every match of ``a.*b|a`` reads the rest of the text from each match
    on. Over a whole note only expressions of bounded length are linear.

    Raises:
        ValueError: with the reason, for a person.
    """
    try:
        compiled = re2.compile(expression, _QUIET)
    except re2.error:
        raise ValueError(
            f"{expression!r} is not a valid RE2 regular expression (RE2 has no look-around and no back-references)"
        ) from None
    if compiled.search("") is not None:
        raise ValueError(f"{expression!r} matches the empty string, so it would match everywhere")
    position = _first_unbounded_repeat(expression) if is_bounded else None
    if position is not None:
        raise ValueError(
            f"{expression!r} repeats without an end at character {position + 1}: write an upper limit, such as {{1,40}}"
        )


def _first_unbounded_repeat(expression: str) -> int | None:
    """Return the position of the first ``*``, ``+`` or ``{n,}`` that repeats something."""
    position = 0
    while position < len(expression):
        character = expression[position]
        if character == "\\":
            position = _after_escape(expression, position)
        elif character == "[":
            position = _after_class(expression, position)
        elif character in "*+" or (character == "{" and _is_open_count(expression, position)):
            return position
        else:
            position += 1
    return None


def _after_escape(expression: str, position: int) -> int:
    """Return the position after the escape at ``position``: ``\\d``, or a literal ``\\Q...\\E``."""
    if expression.startswith("\\Q", position):
        closing = expression.find("\\E", position)
        position = len(expression) if closing < 0 else closing
    return position + 2


def _after_class(expression: str, position: int) -> int:
    """Return the position after the character class that opens at ``position``."""
    position += 1
    position += expression.startswith("^", position)
    position += expression.startswith("]", position)
    while position < len(expression):
        if expression[position] == "\\":
            position = _after_escape(expression, position)
            continue
        if expression.startswith(_CLASS_NAME, position):
            closing = expression.find(":]", position)
            if closing > 0:
                position = closing + 2
                continue
        if expression[position] == "]":
            return position + 1
        position += 1
    return position


def _is_open_count(expression: str, position: int) -> bool:
    """Whether the brace at ``position`` opens a count without an upper limit, such as ``{2,}``."""
    closing = expression.find("}", position)
    inside = expression[position + 1 : closing] if closing > 0 else ""
    return inside.endswith(",") and inside[:-1].isdigit()
