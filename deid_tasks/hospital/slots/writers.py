"""Functions that write a slot's value into a scene, with the entity that the value is."""

import random
from collections.abc import Callable

from deid_tasks.core.entities import Entity
from deid_tasks.hospital import numbers
from deid_tasks.hospital.scene import OfIdentity, Scene

Write = Callable[[Scene], None]
Get = Callable[[Scene], str]


def plant(get: Get, entity: Entity | None, whose: Get | None = None) -> Write:
    """Return the function that writes what ``get`` finds in the scene; nothing, nor the blank before it, where empty.

    Args:
        get: finds the value.
        entity: what the value is; ``None`` where it is no identifier.
        whose: finds the person or the facility that the value identifies, where that is known.
    """

    def write(scene: Scene) -> None:
        value = get(scene)
        if not value:
            scene.trim()
        elif entity is None or whose is None:
            scene.pieces.append((value, entity))
        else:
            scene.pieces.append((value, OfIdentity(entity, whose(scene))))

    return write


def write_drawn(draw: Callable[[random.Random], str], entity: Entity | None = None) -> Write:
    """Return the function that writes a value drawn by chance."""

    def write(scene: Scene) -> None:
        scene.pieces.append((draw(scene.rng), entity))

    return write


def _changed(write: Write, change: Callable[[str], str]) -> Write:
    def changed(scene: Scene) -> None:
        start = len(scene.pieces)
        write(scene)
        scene.pieces[start:] = [(change(text), entity) for text, entity in scene.pieces[start:]]

    return changed


def in_capitals(write: Write) -> Write:
    """Return the function that writes the same in capitals."""
    return _changed(write, str.upper)


def in_small_letters(write: Write) -> Write:
    """Return the function that writes the same in small letters."""
    return _changed(write, str.lower)


def telephone_slot(get: Get, entity: Entity) -> Write:
    """Return the function that writes a telephone number in one of its forms."""
    return plant(lambda scene: numbers.write_telephone(get(scene), scene.rng), entity)


def one_of(options: tuple[str, ...], rng: random.Random) -> str:
    """Return one of ``options``; an empty string where there is none."""
    return options[int(rng.random() * len(options))] if options else ""
