"""Slots of places: facilities with their addresses and numbers, towns, and the lists of a world."""

from collections.abc import Callable

from deid_tasks.core.entities import Entity
from deid_tasks.hospital.records import Address, Facility
from deid_tasks.hospital.scene import Piece, Scene
from deid_tasks.hospital.slots.writers import Write, one_of, plant, telephone_slot

_FACILITIES: dict[str, tuple[Callable[[Scene], Facility], Entity]] = {
    "facility": (lambda scene: scene.facility, Entity.FACILITY),
    "other_facility": (lambda scene: scene.other_facility, Entity.FACILITY),
    "nursing_home": (lambda scene: scene.nursing_home, Entity.FACILITY),
    "pharmacy": (lambda scene: scene.pharmacy, Entity.ORGANIZATION),
}

_OF_FACILITY: dict[str, tuple[Callable[[Facility], str], Entity | None]] = {
    "name": (lambda facility: facility.name, None),
    "short": (lambda facility: facility.short_name, None),
    "phone": (lambda facility: facility.phone, Entity.PHONE),
    "fax": (lambda facility: facility.fax, Entity.FAX),
    "street": (lambda facility: facility.address.street, Entity.STREET),
    "city": (lambda facility: facility.address.city, Entity.CITY),
    "state": (lambda facility: facility.address.state, Entity.STATE),
    "zip": (lambda facility: facility.address.zip, Entity.ZIP),
    "room": (lambda _: "", Entity.LOCATION_OTHER),
}


def _of_facility(subject: str, attribute: str) -> Write:
    facility, own = _FACILITIES[subject]
    get, entity = _OF_FACILITY[attribute]
    if attribute == "room":
        return plant(lambda scene: one_of(facility(scene).rooms, scene.rng), entity)
    if entity in (Entity.PHONE, Entity.FAX):
        return telephone_slot(lambda scene: get(facility(scene)), entity)
    return plant(
        lambda scene: get(facility(scene)), entity or own, None if entity else lambda scene: facility(scene).facility_id
    )


FACILITY_SLOTS: dict[str, Write] = {
    f"{who}.{what}": _of_facility(who, what) for who in _FACILITIES for what in _OF_FACILITY
}
"""Slots of facilities, such as ``pharmacy.name``."""


def write_address(address: Address, scene: Scene) -> None:
    """Write a whole address on one line."""
    pieces: tuple[Piece, ...] = (
        (address.street, Entity.STREET),
        (", ", None),
        (address.city, Entity.CITY),
        (", ", None),
        (address.state, Entity.STATE),
        (" ", None),
        (address.zip, Entity.ZIP),
    )
    scene.pieces.extend(pieces)


def town_slot(attribute: str, entity: Entity) -> Write:
    """Return the function that writes an attribute of any town of the world."""

    def get(scene: Scene) -> str:
        towns = scene.gazetteer.towns
        return str(getattr(towns[int(scene.rng.random() * len(towns))], attribute))

    return plant(get, entity)


def public_slot(attribute: str, entity: Entity | None) -> Write:
    """Return the function that writes one entry of a list of the world's gazetteer."""
    return plant(lambda scene: one_of(getattr(scene.gazetteer, attribute), scene.rng), entity)
