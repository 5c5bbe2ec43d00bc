"""What a model is trained to say, and what corpora of coarser labels allow it to say.

A model has one output for *outside* and one for each fine entity. A corpus that knows only ``LOCATION`` allows any
fine type of that category: the loss is then minus the logarithm of the summed probability of all that is allowed
(learning from partial labels, Cour, Sapp and Taskar, JMLR 2011).
"""

import numpy as np
from numpy.typing import NDArray

from deid_tasks.entities import CATEGORY, Category, Entity

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
    """The target that allows every entity of ``category``."""
    return f"{category}*"


def allowed_table() -> NDArray[np.float32]:
    """``[targets, labels]``: 0 where the target allows the label, -1e4 where it does not; added to logits."""
    table = np.full((len(TARGETS), len(LABELS)), -1e4, np.float32)
    for row, target in enumerate(TARGETS):
        for label in _ALLOWED.get(target, frozenset({target})):
            table[row, LABELS.index(label)] = 0.0
    return table
