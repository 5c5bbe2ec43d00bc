"""Build a hospital: its facilities, its clinicians, its patients."""

import random
from dataclasses import dataclass

from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.people import Registry, make_providers
from deid_tasks.hospital.places import Composer, towns_by_state
from deid_tasks.hospital.records import Facility, Hospital, HospitalSpec, Provider, World
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


def build_hospital(spec: HospitalSpec) -> Hospital:
    """Everyone and every place of the institution that ``spec`` describes; the same spec gives the same hospital.

    Raises ``ValueError`` where ``spec.mrn_format`` holds too few numbers for the patients asked for.
    """
    rng = random.Random(stable("hospital", spec.institution, spec.world, spec.seed))
    pools = name_pools(spec.world)
    home, near = _home(spec.world, rng)
    base = stable("ids", spec.institution) % 200 + 10  # identifiers of two institutions differ, and fit 32 bits
    composer = Composer(spec.world, rng, near)
    facilities = _facilities(spec, composer, near, base * 1_000, rng)
    providers = make_providers(spec.providers, facilities, home, pools, base * 100_000, rng)
    registry = Registry(spec, home, pools, composer, rng)
    patients = tuple(registry.patient(str(base * 10_000_000 + number)) for number in range(spec.patients))
    return Hospital(spec, patients, providers, facilities)


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
