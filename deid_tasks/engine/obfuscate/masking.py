"""Replacements that are no surrogates: masks, asterisks, keyed hashes, and entries of the institution's own lists."""

import re
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.settings import Mode

_HASH_CHARACTERS = 16


def mask_value(value: str, entity: Entity, mode: Mode, owner: NameScope, stars: int) -> str:
    """Return what the mode mask, stars, fixed_stars, hash or remove makes of ``value``.

    Args:
        value: the original.
        entity: what it is.
        mode: one of the modes without surrogates.
        owner: the people whom the value belongs to; a hash depends on them.
        stars: asterisks of the mode fixed_stars.
    """
    if mode == "mask":
        return f"[{entity}]"
    if mode == "stars":
        return re.sub(r"\S", "*", value)
    if mode == "fixed_stars":
        return "*" * stars
    if mode == "hash":
        plain = re.sub(r"\W+", " ", fold(value))
        return owner.keyed.token("hash", str(entity), owner.patient_id, plain)[:_HASH_CHARACTERS]
    return ""


def read_replacements(entity: Entity, path: Path) -> tuple[str, ...]:
    """Return the lines of an institution's list of replacements, in order, each once.

    Raises:
        InputError: the file cannot be read, or has fewer than two lines.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{path}: the list of {entity} cannot be read: {reason}") from None
    found = tuple(dict.fromkeys(line.strip() for line in lines if line.strip() and not line.startswith("#")))
    if len(found) < 2:
        raise InputError(f"{path}: the list of {entity} needs two replacements or more")
    return found


def choose_replacement(
    value: str, entity: Entity, replacements: tuple[str, ...], owner: NameScope, *, same_length: bool
) -> str:
    """Return an entry of the institution's list that is not ``value`` itself.

    With ``same_length``, an entry of the same length where there is one.
    """
    folded = fold(value)
    options = [option for option in replacements if fold(option) != folded]
    if same_length:
        options = [option for option in options if len(option) == len(value)] or options
    chosen = owner.keyed.choice(options, "list", str(entity), owner.patient_id, folded)
    return match_case(chosen, value) if value.isupper() else chosen
