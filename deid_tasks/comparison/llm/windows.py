"""Parts of a long text, each short enough for one request."""

from collections.abc import Iterator


def text_windows(text: str, max_characters: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of parts that cover ``text``; a text that fits is one part.

    A part ends at white space where there is any in its last quarter, a line break first, and begins at the end of a
    word.

    Args:
        text: The text.
        max_characters: Longest part, in code points.
        overlap: Code points that two parts share at least, where white space allows.
    """
    start = 0
    while len(text) - start > max_characters:
        end = _last_break(text, start + max_characters * 3 // 4, start + max_characters)
        yield start, end
        latest = max(start + 1, end - overlap)
        start = max(start + 1, _last_break(text, latest - max_characters // 8, latest))
    if start < len(text):
        yield start, len(text)


def _last_break(text: str, lower: int, upper: int) -> int:
    """Return the last offset in ``lower … upper`` that follows a line break, else a blank; else ``upper``."""
    for blank in ("\n", " "):
        position = text.rfind(blank, lower, upper)
        if position >= 0:
            return position + 1
    return upper
