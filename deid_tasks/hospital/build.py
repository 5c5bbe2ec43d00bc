"""Build a hospital: its facilities, its clinicians, its patients."""

import random
from dataclasses import dataclass, replace

from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.people import Registry, make_providers
from deid_tasks.hospital.places import Composer, towns_by_state
from deid_tasks.hospital.records import Address, Facility, Hospital, HospitalSpec, Patient, Provider, World
from deid_tasks.hospital.worlds import Town, stable

_KINDS = (
    ("hospital", 0.02, 2),
    ("clinic", 0.1, 6),
    ("unit", 0.03, 3),
    ("nursing_home", 0.03, 5),
    ("pharmacy", 0.06, 8),
)
"""Kind, how many for each provider, and at least."""
_MOST_FACILITIES = 60
_OUTSIDE_PROVIDERS, _OUTSIDE_FACILITIES = 300, 60


@dataclass(frozen=True)
class Outside:
    """Clinicians and facilities that notes mention and the institution's own tables do not hold."""

    providers: tuple[Provider, ...]
    facilities: tuple[Facility, ...]


@dataclass(frozen=True)
class _Opening:
    """An institution on the day before its first patient."""

    home: Town
    facilities: tuple[Facility, ...]
    providers: tuple[Provider, ...]
    registry: Registry


def build_hospital(spec: HospitalSpec) -> Hospital:
    """Everyone and every place of the institution that ``spec`` describes; the same spec gives the same hospital.

    Raises ``ValueError`` where ``spec.mrn_format`` holds too few numbers for the patients asked for.
    """
    opening = _open(spec, random.Random(stable("hospital", spec.institution, spec.world, spec.seed)))
    first = _base(spec) * 10_000_000
    patients = tuple(opening.registry.patient(str(first + number)) for number in range(spec.patients))
    return Hospital(spec, patients, opening.providers, opening.facilities)


class Newcomers:
    """Patients, clinicians and clinics that come to a hospital after it was built."""

    def __init__(self, hospital: Hospital, rng: random.Random) -> None:
        self._rng, self._spec = rng, hospital.spec
        opening = _open(
            hospital.spec,
            random.Random(stable("hospital", hospital.spec.institution, hospital.spec.world, hospital.spec.seed)),
        )
        self._home, self._registry = opening.home, opening.registry
        self._registry.resume(hospital.patients, rng)
        states = towns_by_state(hospital.spec.world)
        self._near = tuple(town for town in states[self._home.state] if town.county == self._home.county)
        self._composer = Composer(hospital.spec.world, rng, self._near)
        self._names = {facility.name for facility in hospital.facilities}
        self._users = {provider.user_id for provider in hospital.providers}
        self._patients, self._providers = len(hospital.patients), len(hospital.providers)
        self._facilities = len(hospital.facilities)

    def patient(self) -> Patient:
        """Return the next patient, whose id and numbers no other has."""
        self._patients += 1
        return self._registry.patient(str(_base(self._spec) * 10_000_000 + self._patients - 1))

    def provider(self, facilities: tuple[Facility, ...]) -> Provider:
        """Return a clinician who works at one of ``facilities``."""
        pools = name_pools(self._spec.world)
        while True:
            found = make_providers(8, facilities, self._home, pools, 0, self._rng)[int(self._rng.random() * 8)]
            if found.user_id not in self._users:
                break
        self._users.add(found.user_id)
        self._providers += 1
        return replace(found, provider_id=str(_base(self._spec) * 100_000 + self._providers - 1))

    def clinic(self) -> Facility:
        """Return a clinic near the hospital."""
        self._facilities += 1
        town = self._near[int(self._rng.random() * len(self._near))]
        facility_id = str(_base(self._spec) * 1_000 + self._facilities - 1)
        return self._composer.facility(facility_id, "clinic", town, self._names)

    def address(self) -> Address:
        """Return an address near the hospital, for a patient who moves."""
        return self._composer.address(self._near[int(self._rng.random() * len(self._near))])

    def surname(self, ethnicity: str) -> str:
        """Return a surname as people of this group bear it, for a patient who marries."""
        return name_pools(self._spec.world).surname(ethnicity, self._rng)


def _base(spec: HospitalSpec) -> int:
    """Return what identifiers begin with: those of two institutions differ, and fit 32 bits."""
    return stable("ids", spec.institution) % 200 + 10


def _open(spec: HospitalSpec, rng: random.Random) -> _Opening:
    pools = name_pools(spec.world)
    home, near = _home(spec.world, rng)
    composer = Composer(spec.world, rng, near)
    facilities = _facilities(spec, composer, near, _base(spec) * 1_000, rng)
    providers = make_providers(spec.providers, facilities, home, pools, _base(spec) * 100_000, rng)
    return _Opening(home, facilities, providers, Registry(spec, home, pools, composer, rng))


def build_outside(spec: HospitalSpec) -> Outside:
    """Return the referring clinicians and the other hospitals of the region."""
    rng = random.Random(stable("outside", spec.institution, spec.world, spec.seed))
    home, _ = _home(spec.world, random.Random(stable("hospital", spec.institution, spec.world, spec.seed)))
    state = towns_by_state(spec.world)[home.state]
    composer = Composer(spec.world, rng, state)
    taken: set[str] = set()
    facilities = tuple(
        composer.facility(
            f"outside-{number}", ("hospital", "clinic")[number % 2], state[int(rng.random() * len(state))], taken
        )
        for number in range(_OUTSIDE_FACILITIES)
    )
    return Outside(make_providers(_OUTSIDE_PROVIDERS, facilities, home, name_pools(spec.world), 0, rng), facilities)


def _home(world: World, rng: random.Random) -> tuple[Town, tuple[Town, ...]]:
    """Return the institution's town and those of its county: a county with some cities."""
    states = towns_by_state(world)
    names = tuple(sorted(states))
    while True:
        state = states[names[int(rng.random() * len(names))]]
        home = state[int(rng.random() * len(state))]
        near = tuple(town for town in state if town.county == home.county)
        if len({town.city for town in near}) >= 4:
            return home, near


def _facilities(
    spec: HospitalSpec, composer: Composer, near: tuple[Town, ...], first_id: int, rng: random.Random
) -> tuple[Facility, ...]:
    taken: set[str] = set()
    facilities: list[Facility] = []
    for kind, share, least in _KINDS:
        for _ in range(min(max(least, round(spec.providers * share)), _MOST_FACILITIES)):
            town = near[int(rng.random() * len(near))]
            facilities.append(composer.facility(str(first_id + len(facilities)), kind, town, taken))
    return tuple(facilities)
