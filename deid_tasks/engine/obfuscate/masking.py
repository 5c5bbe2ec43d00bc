"""What stands in an identifier's place where it is no surrogate: masks, asterisks, keyed hashes, lines of the institution's own lists."""

import re
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.settings import Mode

NAME_ENTITIES = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
_HASH_CHARACTERS = 16


def masked(value: str, entity: Entity, mode: Mode, scope: NameScope, stars: int) -> str:
    """``value`` as the modes mask, stars, fixed_stars, hash and remove have it. White space within stays where length does."""
    if mode == "mask":
        return f"[{entity}]"
    if mode == "stars":
        return re.sub(r"\S", "*", value)
    if mode == "fixed_stars":
        return "*" * stars
    if mode == "hash":
        return scope.keyed.token("hash", str(entity), scope.patient_id, re.sub(r"\W+", " ", fold(value)))[
            :_HASH_CHARACTERS
        ]
    return ""


def read_list(entity: Entity, path: Path) -> tuple[str, ...]:
    """The lines of an institution's own list, in order, each once.

    Raises ``InputError`` for a file that cannot be read or that holds fewer than two.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is no UTF-8"
        raise InputError(f"{path}: the list of {entity} cannot be read: {reason}") from None
    found = tuple(dict.fromkeys(line.strip() for line in lines if line.strip() and not line.startswith("#")))
    if len(found) < 2:
        raise InputError(f"{path}: the list of {entity} needs two replacements or more")
    return found


def listed(value: str, entity: Entity, options: tuple[str, ...], scope: NameScope, *, same_length: bool) -> str:
    """A line of the institution's list, never ``value`` itself."""
    folded = fold(value)
    found = [option for option in options if fold(option) != folded]
    if same_length:
        found = [option for option in found if len(option) == len(value)] or found
    made = scope.keyed.choice(found, "list", str(entity), scope.patient_id, folded)
    return match_case(made, value) if value.isupper() else made
