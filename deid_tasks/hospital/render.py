"""From a scene to a note: run a skeleton, change its case, join the pieces, take the gold offsets."""

from collections.abc import Iterable

from deid_tasks.core.span import Span
from deid_tasks.hospital.grammar import Skeleton, run_steps
from deid_tasks.hospital.scene import OfIdentity, Piece, Scene

GOLD = "gold"
"""The detector named by planted spans."""


def write_pieces(skeleton: Skeleton, scene: Scene) -> list[Piece]:
    """Return the pieces of ``skeleton`` written about ``scene``, in the skeleton's case."""
    scene.pieces = []
    run_steps(skeleton.steps, scene)
    if skeleton.case == "upper":
        return [(text.upper(), entity) for text, entity in scene.pieces]
    if skeleton.case == "lower":
        return [(text.lower(), entity) for text, entity in scene.pieces]
    return scene.pieces


def join(pieces: Iterable[Piece]) -> tuple[str, tuple[Span, ...]]:
    """Return the text that ``pieces`` make and the span of every identifier in it."""
    texts: list[str] = []
    spans: list[Span] = []
    position = 0
    for text, mark in pieces:
        end = position + len(text)
        if mark is not None and end > position:
            spans.append(Span(position, end, mark.entity if isinstance(mark, OfIdentity) else mark, GOLD))
        texts.append(text)
        position = end
    return "".join(texts), tuple(spans)


def identities(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """Return for every span that ``join`` returns whose it is; empty for what belongs to nobody in particular."""
    return tuple(
        mark.identity if isinstance(mark, OfIdentity) else "" for text, mark in pieces if mark is not None and text
    )
