"""What a model is trained to say, and what corpora of coarser labels allow it to say.

A model has one output for *outside* and one for each fine entity. A corpus that knows only ``LOCATION`` allows any
fine type of that category: the loss is then minus the logarithm of the summed probability of all that is allowed
(learning from partial labels, Cour, Sapp and Taskar, JMLR 2011).
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.entities import CATEGORY, Category, Entity

OUTSIDE = "O"
LABELS: tuple[str, ...] = (OUTSIDE, *(entity.value for entity in Entity))
"""The outputs of a model, in order."""

ANY = "any"
"""Nothing is known of the word; it costs nothing, whatever the model says."""
PERSON = "person"
"""A person's name, whose ever: PATIENT, PROVIDER or RELATIVE."""
PLACE = "place"
"""A place or a building of social-media corpora, which call a hospital, a stadium and a city *location*."""
UNSEEN = "unseen"
"""The corpus marked nothing here, and does not annotate dates, numbers, contacts or professions at all."""

_NAMED = (Category.NAME, Category.LOCATION, Category.ORGANIZATION)
_ALLOWED: dict[str, frozenset[str]] = {
    ANY: frozenset(LABELS),
    PERSON: frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE}),
    PLACE: frozenset(e for e, c in CATEGORY.items() if c is Category.LOCATION) | {Entity.FACILITY},
    UNSEEN: frozenset({OUTSIDE}) | frozenset(e for e, c in CATEGORY.items() if c not in _NAMED) | {Entity.USERNAME},
    **{f"{category}*": frozenset(e for e, c in CATEGORY.items() if c is category) for category in Category},
}
TARGETS: tuple[str, ...] = (*LABELS, *_ALLOWED)
"""What a word can be annotated as: a label itself, or the name of a set of labels; ``NAME*`` is a whole category."""
TARGET_ID: dict[str, int] = {target: index for index, target in enumerate(TARGETS)}


def coarse(category: Category) -> str:
    """Return the target that allows every entity of ``category``."""
    return f"{category}*"


BEGIN = len(TARGETS)
"""Added to the number of a target where a marked span begins."""


def output_names(entities: Iterable[Entity] | None = None, labels: str = "plain") -> tuple[str, ...]:
    """Return the outputs of a model that tells ``entities`` (all where ``None``) from *outside*.

    With ``labels`` as ``bio`` each entity has two, ``B-…`` for its first word and ``I-…`` for those after it.
    """
    wanted = frozenset(Entity if entities is None else entities)
    chosen = [entity.value for entity in Entity if entity in wanted]
    if labels == "plain":
        return (OUTSIDE, *chosen)
    return (OUTSIDE, *(f"{prefix}-{name}" for name in chosen for prefix in "BI"))


def allowed_table(outputs: Sequence[str] = LABELS) -> NDArray[np.float32]:
    """``[2 * targets, outputs]``: 0 where the target allows the output, -1e4 where it does not; added to logits.

    The second half of the rows is for the first word of a span. What a target allows and the model has no output for is
    *outside* to it.
    """
    table = np.full((2 * BEGIN, len(outputs)), -1e4, np.float32)
    entities = [name.removeprefix("B-").removeprefix("I-") for name in outputs]
    known = frozenset(entities)
    for target, row in TARGET_ID.items():
        allowed = _ALLOWED.get(target, frozenset({target}))
        is_open = OUTSIDE in allowed
        for begin, wrong in ((0, "B-"), (BEGIN, "I-")):
            for column, (name, entity) in enumerate(zip(outputs, entities, strict=True)):
                if name == OUTSIDE:
                    fits = is_open or not allowed <= known
                else:
                    fits = entity in allowed and (is_open or not name.startswith(wrong))
                if fits:
                    table[row + begin, column] = 0.0
    return table
