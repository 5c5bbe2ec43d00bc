"""From a scene to a note: run a skeleton, change its case, join the pieces, take the gold offsets."""

from collections.abc import Iterable

from deid_tasks.core.span import Span
from deid_tasks.hospital.grammar import Skeleton, run_steps
from deid_tasks.hospital.scene import Piece, Scene

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
    for text, entity in pieces:
        end = position + len(text)
        if entity is not None and end > position:
            spans.append(Span(position, end, entity, GOLD))
        texts.append(text)
        position = end
    return "".join(texts), tuple(spans)
