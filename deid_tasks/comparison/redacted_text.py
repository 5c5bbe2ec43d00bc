"""Spans from a text in which identifiers were replaced by tags, compared with its original.

Both texts are split into tokens, a tag counts as one, and the longest common subsequence tells which tokens of the
original are left (rapidfuzz). What a tag stands for lies between the tokens that are left beside it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rapidfuzz.distance import Indel, Levenshtein

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Removal:
    """A range of the original that is not in the redacted text, in code points."""

    start: int
    end: int
    label: str | None
    """The label of its tag; ``None`` if the text is gone without a tag."""


@dataclass(frozen=True, slots=True)
class RedactedAlignment:
    """What became of the original."""

    removals: tuple[Removal, ...]
    lost_tags: int
    """Tags that stand for no text of the original."""
    edit_distance: int
    """Levenshtein distance, in characters, between the redacted text and the original in which exactly the text of the
    tags is replaced: text that was invented, changed or dropped. White space counts as one blank."""

    @property
    def tagged(self) -> tuple[Removal, ...]:
        """The removals that have a tag."""
        return tuple(one for one in self.removals if one.label is not None)


@dataclass(slots=True)
class _Block:
    """Tokens ``start`` to ``end`` of the original, of which nothing is left; ``labels`` of the tags in their place."""

    start: int
    end: int
    labels: list[str]


def align_redacted(
    original: str, redacted: str, tag: re.Pattern[str], label_of_tag: Callable[[re.Match[str]], str]
) -> RedactedAlignment:
    """Return which ranges of ``original`` the tags of ``redacted`` stand for.

    Text that is gone beside a tag belongs to the tag. If one range has several tags, the first gives the label.

    Args:
        original: The text as it was.
        redacted: The text with tags.
        tag: Matches a tag.
        label_of_tag: Returns the label of a match.
    """
    tokens = [match.span() for match in _TOKEN.finditer(original)]
    words: list[str | tuple[str]] = [original[start:end] for start, end in tokens]
    rest = list(_redacted_tokens(redacted, tag, label_of_tag))
    blocks = _joined(_slid(_blocks(words, rest), words))
    removals, lost_tags = [], 0
    for block in blocks:
        if block.start == block.end:
            lost_tags += len(block.labels)
            continue
        start, end = tokens[block.start][0], tokens[block.end - 1][1]
        removals.append(Removal(start, end, block.labels[0] if block.labels else None))
    expected = _replaced(original, [one for one in removals if one.label is not None])
    given = tag.sub(_ONE_TAG, redacted)
    # Tags beside each other stand for one removal.
    distance = Levenshtein.distance(_with_blanks(expected), _with_blanks(_REPEATED.sub(_ONE_TAG, given)))
    return RedactedAlignment(tuple(removals), lost_tags, distance)


_ONE_TAG = "\ue000"
"""A character of no text stands for any tag."""
_REPEATED = re.compile(rf"{_ONE_TAG}(?:[\s,]*{_ONE_TAG})+")


def _redacted_tokens(
    redacted: str, tag: re.Pattern[str], label_of_tag: Callable[[re.Match[str]], str]
) -> Iterator[str | tuple[str]]:
    """Yield the tokens of the redacted text; a tag is a tuple, which equals no token of the original."""
    position = 0
    for match in tag.finditer(redacted):
        yield from _TOKEN.findall(redacted[position : match.start()])
        yield (label_of_tag(match),)
        position = match.end()
    yield from _TOKEN.findall(redacted[position:])


def _blocks(words: list[str | tuple[str]], rest: list[str | tuple[str]]) -> list[_Block]:
    blocks: list[_Block] = []
    for operation in Indel.opcodes(words, rest):
        if operation.tag == "equal":
            continue
        labels = [token[0] for token in rest[operation.dest_start : operation.dest_end] if isinstance(token, tuple)]
        blocks.append(_Block(operation.src_start, operation.src_end, labels))
    return _joined(blocks)


def _slid(blocks: list[_Block], words: list[str | tuple[str]]) -> list[_Block]:
    """Move text that is gone without a tag next to a tag where the alignment is as good there.

    Of "Ann and Bo and Cy came", redacted as "[NAME] and Cy came", either "and" may be the one that is left.
    """
    for index, block in enumerate(blocks):
        if block.labels:
            continue
        before = blocks[index - 1] if index else None
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        size = block.end - block.start
        if before and before.labels:
            left = words[before.end : block.start]
            if left == words[block.end - len(left) : block.end]:
                block.start, block.end = before.end, before.end + size
                continue
        if after and after.labels:
            left = words[block.end : after.start]
            if left == words[block.start : block.start + len(left)]:
                block.start, block.end = after.start - size, after.start
    return blocks


def _joined(blocks: list[_Block]) -> list[_Block]:
    """Join blocks that touch."""
    joined: list[_Block] = []
    for block in blocks:
        if joined and joined[-1].end == block.start:
            joined[-1].end = block.end
            joined[-1].labels += block.labels
        else:
            joined.append(block)
    return joined


def _replaced(original: str, removals: list[Removal]) -> str:
    """Return the original with one tag in the place of each removal."""
    parts, position = [], 0
    for one in removals:
        parts += [original[position : one.start], _ONE_TAG]
        position = one.end
    return "".join([*parts, original[position:]])


def _with_blanks(text: str) -> str:
    return " ".join(text.split())
