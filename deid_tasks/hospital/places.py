"""The towns, streets, facilities and organisations of one world. Whatever is composed is composed of the world's own
words.
"""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from deid_tasks.core.reference import read_tsv
from deid_tasks.hospital import numbers
from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.records import Address, Facility, World
from deid_tasks.hospital.vocabulary import words
from deid_tasks.hospital.worlds import Gazetteer, Town, fold_for_world, stable, world_of

_T = TypeVar("_T")

_STREET_TYPES = ("Street", "St", "Avenue", "Ave", "Road", "Rd", "Drive", "Dr", "Lane", "Ln", "Court", "Ct", "Blvd",
"Way", "Place", "Circle", "Terrace", "Pkwy")  # fmt: skip
_SAINTS = (
    "Mary", "Joseph", "Luke", "John", "Francis", "Anthony", "Elizabeth", "Vincent", "Catherine", "Agnes", "Jude",
    "Clare", "Thomas", "Michael", "Raphael", "Ann", "Barnabas", "Margaret", "Peter", "Paul", "Mark", "Anne", "Rita",
    "Bernard", "Dominic", "Edward", "James", "Louis", "Patrick", "Alphonsus", "Camillus", "Gabriel", "Theresa",
    "Christopher",
)  # fmt: skip
_SCHOOLS = (
    "{city} High School",
    "{city} Elementary",
    "{city} Middle School",
    "{city} Community College",
    "{city} State University",
    "{surname} Elementary School",
    "{nature} Hill Academy",
)
_FIRMS = (
    "{surname} Construction", "{surname} & Sons", "{surname} Plumbing", "{surname} Trucking", "{nature} Logistics",
    "{nature} Foods", "{city} Public Library",
    "{city} Police Department", "{city} Fire Department", "City of {city}", "{city} School District",
    "First Baptist Church of {city}", "{nature} Ridge Church",
    "{nature} Credit Union", "{surname} Law Group", "{surname} Auto Body", "{nature} Valley Farms",
    "{city} Transit Authority", "{nature} Manufacturing",
    "{surname} Foundation", "{nature} Health Plan", "{surname} Realty", "{city} Senior Center",
    "{city} Housing Authority", "{nature} Home Care", "{surname} Dental",
    "{nature} Hospice", "{city} Rotary", "{surname} Electric", "{nature} Diner",
)  # fmt: skip
_PLACES = (
    "{surname} Park", "Lake {nature}", "{nature} River", "{nature} Heights", "{surname} Square", "{nature} Beach",
    "Mount {surname}", "{nature} Mall",
    "{surname} Airport", "{nature} Hills", "{surname} Bridge", "{nature} Creek", "{nature} Point", "{surname} Stadium",
    "{nature} Village", "{nature} National Forest",
    "Route {number}", "I-{number}", "Highway {number}", "{surname} Town Center",
)  # fmt: skip
_HOSPITALS = (
    "{city} General Hospital", "{city} Regional Medical Center", "{saint} Hospital", "{surname} Memorial Hospital",
    "{nature} Valley Medical Center",
    "{city} Community Hospital", "{saint} Medical Center", "Mount {surname} Hospital",
    "University of {city} Medical Center", "{nature} Hill Hospital",
    "{city} Children's Hospital", "VA {city} Healthcare System",
)  # fmt: skip
_CLINICS = (
    "{nature} Family Medicine", "{city} Primary Care", "{surname} Clinic", "{nature} Women's Health",
    "{city} Heart Center", "{surname} Cancer Center", "{nature} Pediatrics",
    "{city} Orthopedics", "{nature} Eye Associates", "{surname} Surgical Associates", "{city} Kidney Center",
    "{nature} Behavioral Health", "{city} Urgent Care",
    "{nature} Point Imaging", "{surname} Rehabilitation",
)  # fmt: skip
_UNITS = ("{surname} Pavilion", "{surname} Tower", "{nature} Wing", "{surname} Building", "{nature} Unit")
_HOMES = ("{nature} Manor", "{nature} Ridge Nursing Home", "{surname} House", "{nature} Gardens", "{city} Care Center",
"{saint} Home", "{nature} Village Rehab", "{surname} Nursing and Rehabilitation")  # fmt: skip
_DRUGSTORES = (
    "{surname} Pharmacy",
    "{nature} Drugs",
    "{city} Apothecary",
    "{surname} Drug",
    "{nature} Pharmacy",
    "{city} Pharmacy",
)
_ROOMS = {
    "hospital": (
        "#?-##",
        "Rm ###",
        "Room ###",
        "###-?",
        "Bed ##",
        "####",
        "#W##",
        "OR #",
        "ICU ##",
        "#North-##",
        "?###-##",
    ),
    "unit": ("#?-##", "Rm ###", "###-?", "Bed ##"),
}
_ROOMS_ELSEWHERE = ("Suite ###", "Exam #", "Rm #", "Ste ###", "Room ##")
PATTERNS = {
    "hospital": _HOSPITALS,
    "clinic": _CLINICS,
    "unit": _UNITS,
    "nursing_home": _HOMES,
    "pharmacy": _DRUGSTORES,
}
"""Kind of facility → how its name is composed."""


@cache
def towns(world: World) -> tuple[Town, ...]:
    """Return every ZIP whose city belongs to ``world``."""
    return tuple(
        Town(row["city"], row["state"], row["zip"], row["county"], tuple(row["area_codes"].split(",")))
        for row in read_tsv("places.tsv")
        if world_of(row["city"]) is world
    )


@cache
def towns_by_state(world: World) -> dict[str, tuple[Town, ...]]:
    """Return the towns of ``world``, state by state."""
    states: dict[str, list[Town]] = defaultdict(list)
    for town in towns(world):
        states[town.state].append(town)
    return {state: tuple(found) for state, found in states.items()}


def _own(name: str, world: World) -> tuple[str, ...]:
    return tuple(word for word in words(name) if world_of(word) is world)


class Composer:
    """Composes the names of places and organisations of one world."""

    def __init__(self, world: World, rng: random.Random, near: tuple[Town, ...] = ()) -> None:
        self._world, self._rng = world, rng
        self._towns = near or towns(world)
        self._nature = _own("nature", world)
        self._saints = tuple(saint for saint in _SAINTS if world_of(saint) is world) or ("Swithin",)
        self._parts: dict[str, Callable[[], str]] = {
            "city": lambda: self._one(self._towns).city,
            "nature": lambda: self._one(self._nature),
            "surname": self._surname,
            "saint": lambda: f"St. {self._one(self._saints)}" + ("'s" if rng.random() < 0.6 else ""),
            "number": lambda: str(2 + stable(world, int(rng.random() * 60)) % 90),
        }
        self._pools = name_pools(world)

    def _one(self, options: Sequence[_T]) -> _T:
        return options[int(self._rng.random() * len(options))]

    def _surname(self) -> str:
        while True:
            name = self._pools.surnames["white" if self._rng.random() < 0.7 else "black"].draw(self._rng)
            if name.isalpha():
                return name

    def name(self, patterns: tuple[str, ...]) -> str:
        """Return a name after one of ``patterns``."""
        pattern = self._one(patterns)
        return re.sub(r"\{(\w+)\}", lambda match: self._parts[match.group(1)](), pattern)

    def street(self) -> str:
        """Return a street address without its city."""
        rng = self._rng
        if rng.random() < 0.03:
            return f"PO Box {1 + int(rng.random() * 9999)}"
        words = self._one(self._nature) if rng.random() < 0.6 else self._surname()
        direction = self._one(("N ", "S ", "E ", "W ", "North ", "West ")) if rng.random() < 0.12 else ""
        unit = self._one((" Apt {}", ", Apt {}B", " #{}", " Unit {}")).format(1 + int(rng.random() * 40))
        house = 1 + int(rng.random() ** 2 * 9800)
        return f"{house} {direction}{words} {self._one(_STREET_TYPES)}" + (unit if rng.random() < 0.14 else "")

    def address(self, town: Town) -> Address:
        """Return an address in ``town``."""
        return Address(self.street(), town.city, town.state, town.zip, town.county)

    def rooms(self, kind: str) -> tuple[str, ...]:
        """Room and bed codes of a facility."""
        shapes = _ROOMS.get(kind, _ROOMS_ELSEWHERE)
        count = {"hospital": 60, "unit": 20}.get(kind, 8)
        return tuple(dict.fromkeys(numbers.shaped(self._one(shapes), self._rng) for _ in range(count)))

    def facility(self, facility_id: str, kind: str, town: Town, taken: set[str]) -> Facility:
        """Return a facility in ``town`` whose name is not in ``taken``; its name is added there."""
        chains = _own("pharmacies", self._world)
        name = ""
        while not name or name in taken:
            name = self.name(PATTERNS[kind])
            if kind == "pharmacy" and chains and self._rng.random() < 0.6:
                name = self._one(chains)
                if self._rng.random() < 0.5 or name in taken:
                    name += f" #{numbers.digits(4, self._rng)}"
        taken.add(name)
        code = self._one(town.area_codes)
        phone, fax = (numbers.telephone(code, self._rng) for _ in range(2))
        return Facility(
            facility_id, name, self._short(name, taken), kind, self.address(town), phone, fax, self.rooms(kind)
        )

    def _short(self, name: str, taken: set[str]) -> str:
        """Return the first words, or the capitals: Alder Valley, AVMC."""
        parts = name.replace("-", " ").split()
        capitals = "".join(part[0] for part in parts if part[0].isupper())
        if len(capitals) >= 3 and self._rng.random() < 0.6 and capitals not in taken:
            return capitals
        return " ".join(parts[:2]) if len(parts) > 2 or self._rng.random() < 0.5 else parts[0]


@cache
def gazetteer(world: World) -> Gazetteer:
    """Return the public places and organisations of ``world``."""
    rng = random.Random(stable("gazetteer", world))
    composer = Composer(world, rng)
    firms = [firm for firm in words("firms") if world_of(firm) is world]
    organizations = dict.fromkeys(
        [*firms, *(composer.name(_FIRMS) for _ in range(240)), *(composer.name(_SCHOOLS) for _ in range(90))]
    )
    places = dict.fromkeys(composer.name(_PLACES) for _ in range(260))
    sites = [composer.name((*_HOSPITALS, *_CLINICS, *_FIRMS)) for _ in range(80)]
    domains = dict.fromkeys(
        fold_for_world(site).replace(" ", "")[:22] + ending
        for site, ending in zip(sites, (".org", ".com", ".net", ".edu") * 20, strict=True)
    )
    return Gazetteer(
        world=world,
        towns=towns(world),
        organizations=tuple(organizations),
        places=tuple(places),
        countries=words("countries"),
        professions=words("professions"),
        clinic_abbreviations=_own("clinic_abbreviations", world),
        domains=tuple(domains),
    )


def employer(world: World, rng: random.Random, *, is_school: bool) -> str:
    """Return an organisation that somebody works for, or a school that a child goes to."""
    options = gazetteer(world).organizations
    while True:
        name = options[int(rng.random() * len(options))]
        if not is_school or re.search(r"School|Elementary|Academy", name):
            return name
