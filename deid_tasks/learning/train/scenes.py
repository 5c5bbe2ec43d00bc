"""Scenes to write training text about: in each, other people, places and numbers of one world.

A simulated hospital has a few thousand people who come again and again; a model learns more from new people each time.
"""

import datetime
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

from deid_tasks.hospital import dates, numbers
from deid_tasks.hospital.name_pools import NamePools, name_pools
from deid_tasks.hospital.places import Composer, gazetteer
from deid_tasks.hospital.records import Address, Facility, Patient, Person, Provider, Relative, World
from deid_tasks.hospital.scene import Scene
from deid_tasks.hospital.worlds import fold_for_world
from deid_tasks.learning.train.leaks import foreign_cities, foreign_names, foreign_sites

_MAIL_PROVIDERS = ("gmail.com", "yahoo.com", "aol.com", "outlook.com")
_MRN = (
    "#######",
    "########",
    "######",
    "??#######",
    "?########",
    "MR######",
    "###-##-##",
    "##-##-##",
    "E#######",
    "00#######",
)
_PLAN = ("???#########", "#########A", "W#########", "1??#-??#-??##", "###########", "??-######-##", "?##########")
_CREDENTIALS = (
    "MD",
    "DO",
    "NP",
    "PA-C",
    "RN",
    "M.D.",
    "PharmD",
    "LCSW",
    "PhD",
    "CRNP",
    "DPM",
    "MD, PhD",
    "RD",
    "PT",
    "LPN",
    "MBBS",
)
_SPECIALTIES = (
    "cardiology", "nephrology", "oncology", "general surgery", "neurology", "psychiatry", "orthopedics", "urology",
    "pulmonology",
    "gastroenterology", "endocrinology", "dermatology", "ophthalmology", "infectious disease", "internal medicine",
    "family medicine",
)  # fmt: skip
_RELATIONS = {
    "F": (
        "wife",
        "daughter",
        "mother",
        "sister",
        "niece",
        "granddaughter",
        "aunt",
        "girlfriend",
        "grandmother",
        "stepmother",
    ),
    "M": (
        "husband",
        "son",
        "father",
        "brother",
        "nephew",
        "grandson",
        "uncle",
        "boyfriend",
        "grandfather",
        "stepfather",
    ),
}
_EITHER = ("partner", "friend", "neighbor", "caregiver", "guardian", "cousin", "roommate")


_SITES: dict[str, tuple[str, ...]] = {
    "hospital": (
        "{city} Hospital", "{city} Medical Center", "{surname} Hospital", "{surname}-{surname} Medical Center",
        "{surname} Institute", "{city} VA", "{city} VAMC", "{nature} State Hospital",
        "University of {city} Hospital", "{city} University Hospital", "{saint}'s", "{saint}'s Hospital",
        "{city} Infirmary", "Royal {city} Infirmary", "{city} District General Hospital", "{city} Baptist",
        "{city} Methodist Hospital", "{city} County Hospital", "Our Lady of {nature} Hospital", "{surname} Children's",
        "{city} Rehabilitation Hospital", "Hospital de {city}", "{nature} Health", "{surname} Eye and Ear",
        "{surname} Cancer Institute", "{city} Naval Hospital", "{city} Mercy", "{surname} Memorial", "{surname}",
        "{city}", "{nature} Regional",
    ),
    "clinic": (
        "{city} Health Center", "{city} Medical Group", "{surname} Medical Associates",
        "{surname} & {surname} Cardiology", "{surname} Surgery", "{nature} Health Centre", "{city} Internal Medicine",
        "{surname} Center",
        "{city} Neighborhood Health", "{nature} Dialysis", "{city} Pain Clinic", "{nature} Wound Center",
        "{city} Pediatric Associates", "{surname} Dental Group", "{nature} Sleep Lab", "{surname} Bldg",
        "{city} Surgicenter",
        "{nature} Imaging", "{surname} Ambulatory Care Center", "{city} Coumadin Clinic", "{nature} OB/GYN",
    ),
    "nursing_home": (
        "{nature} Rehab", "{city} Rehab", "{surname} Manor", "{nature} Hills Nursing Center", "{city} Nursing Home",
        "The {nature}s", "{nature} Assisted Living", "{saint}'s Residence", "{city} Convalescent", "{nature} House",
        "{surname} Hospice House", "{city} Skilled Nursing", "{nature} Place", "{nature} Senior Living of {city}",
    ),
}  # fmt: skip
"""More names of facilities than the simulated hospital's own towns have."""
_LETTERS = "ABCDEFGHJLMNPRSTW"
_ENDS = ("H", "H", "MC", "GH", "MH", "RMC", "CH", "VAMC", "UMC", "HC", "HS")


class SceneMaker:
    """Makes scenes of ``world``; the same seed gives the same scenes in the same order.

    Scenes of ``train`` also draw from the lists in ``words``.
    """

    def __init__(self, world: World, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - repeatable chance, no secrecy
        self._names: NamePools = name_pools(world)
        self._gazetteer = gazetteer(world)
        self._given: tuple[str, ...] = ()
        self._surnames: tuple[str, ...] = ()
        if world is World.TRAIN:
            own = self._gazetteer
            towns = tuple(replace(self.rng.choice(own.towns), city=city) for city in train_words("cities"))
            self._gazetteer = replace(
                own,
                towns=(*own.towns, *(towns * (1 + len(own.towns) // (8 * len(towns))))),
                organizations=(*own.organizations, *train_words("organizations")),
                professions=(*own.professions, *train_words("professions")),
            )
            self._given, self._surnames = train_words("given"), train_words("surnames")
        self._composer = Composer(world, self.rng)

    def scene(self, sex: str = "", ages: tuple[int, int] = (0, 97)) -> Scene:
        """Return a patient of ``sex`` (any where empty) and of an age within ``ages``, and all who have to do with
        them.
        """
        rng = self.rng
        moment = datetime.datetime(2012, 1, 1) + datetime.timedelta(minutes=rng.randrange(14 * 365 * 24 * 60))  # noqa: DTZ001
        taken: set[str] = set()
        return Scene(
            rng=rng,
            moment=moment,
            patient=self._patient(sex or rng.choice("FM"), moment, ages),
            author=self._provider(),
            providers=(self._provider(), self._provider(), self._provider()),
            relatives=(self._relative(), self._relative()),
            facility=self._facility(rng.choice(("hospital", "hospital", "clinic", "unit")), taken),
            other_facility=self._facility(rng.choice(("hospital", "clinic")), taken),
            nursing_home=self._facility("nursing_home", taken),
            pharmacy=self._facility("pharmacy", taken),
            gazetteer=self._gazetteer,
            date_style=rng.choice(dates.COMMON),
        )

    def name_word(self) -> str:
        """Return a given name or a surname."""
        person = self._person(self.rng.choice("FM"))
        return person.last if self.rng.random() < 0.5 else person.first

    def city(self) -> str:
        """Return the name of a city."""
        return self.rng.choice(self._gazetteer.towns).city

    def _person(self, sex: str) -> Person:
        # Half of the names evenly from all groups: rare names are what a model misses.
        group = (
            self._names.group(self.rng)
            if self.rng.random() < 0.5
            else self.rng.choice(("white", "black", "api", "hispanic"))
        )
        person = self._names.person(group, sex, self.rng)
        if not self._given or self.rng.random() > 0.14:
            return person
        # Names that the Census does not count, as immigrants, visitors and other countries' notes bear them.
        first = self.rng.choice(self._given) if self.rng.random() < 0.7 else person.first
        last = self.rng.choice(self._surnames) if self.rng.random() < 0.8 else person.last
        return replace(person, first=first, last=last, nickname="")

    def _address(self) -> Address:
        return self._composer.address(self.rng.choice(self._gazetteer.towns))

    def _telephone(self) -> str:
        return numbers.telephone(self.rng.choice(self.rng.choice(self._gazetteer.towns).area_codes), self.rng)

    def _patient(self, sex: str, moment: datetime.datetime, ages: tuple[int, int]) -> Patient:
        rng, person = self.rng, self._person(sex)
        days = rng.randint(ages[0] * 366, max(ages[0] * 366, min(ages[1], 97) * 365))
        handle = f"{person.first}{rng.choice(('', '.', '_'))}{person.last}".lower().replace(" ", "").replace("'", "")
        return Patient(
            patient_id="",
            person=person,
            birth_date=moment.date() - datetime.timedelta(days=days),
            ethnicity="white",
            mrn=numbers.shaped(rng.choice(_MRN), rng),
            ssn=numbers.social_security(rng),
            health_plan=numbers.shaped(rng.choice(_PLAN), rng),
            account=numbers.number("account", rng),
            phone=self._telephone(),
            mobile=self._telephone(),
            email=f"{handle}{rng.choice(('', numbers.digits(2, rng)))}"
            f"@{rng.choice((*_MAIL_PROVIDERS, *self._gazetteer.domains[:20]))}",
            address=self._address(),
            employer=rng.choice(self._gazetteer.organizations),
            profession=rng.choice(self._gazetteer.professions),
            previous_last=self._person(sex).last if rng.random() < 0.5 else "",
        )

    def _provider(self) -> Provider:
        rng, person = self.rng, self._person(self.rng.choice("FM"))
        stem = "".join(c for c in f"{person.first[0]}{person.middle[:1]}{person.last}".lower() if c.isalpha())
        user = rng.choice(
            (
                f"{stem[:3]}{numbers.digits(rng.randint(1, 4), rng)}",
                stem[:8],
                stem[:6] + numbers.digits(1, rng),
                numbers.shaped("?#####", rng).lower(),
            )
        )
        return Provider(
            "", person, rng.choice(_CREDENTIALS), rng.choice(_SPECIALTIES), user, numbers.provider_identifier(rng),
            self._telephone(), numbers.pager(rng), "",
        )  # fmt: skip

    def _relative(self) -> Relative:
        sex = self.rng.choice("FM")
        relation = self.rng.choice(_RELATIONS[sex] if self.rng.random() < 0.85 else _EITHER)
        return Relative(relation, self._person(sex), self._telephone())

    def _facility(self, kind: str, taken: set[str]) -> Facility:
        made = self._composer.facility("", kind, self.rng.choice(self._gazetteer.towns), taken)
        if kind not in _SITES or self.rng.random() < 0.5:
            return made
        name = self._composer.name(_SITES[kind])
        short = made.short_name
        if self.rng.random() < 0.6:
            short = "".join(self.rng.choices(_LETTERS, k=self.rng.choice((1, 1, 2, 2, 3)))) + self.rng.choice(_ENDS)
        elif len(name.split()) > 2:
            short = name.split()[0]
        return replace(made, name=name, short_name=short)


@cache
def train_words(name: str) -> tuple[str, ...]:
    """Return the entries of ``words/NAME.txt`` that no other world has."""
    lines = (Path(__file__).parent / "words" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    if name in ("given", "surnames"):
        return tuple(line for line in lines if not foreign_names() & set(fold_for_world(line).split()))
    theirs = {"cities": foreign_cities, "organizations": foreign_sites}.get(name, frozenset[str])()
    return tuple(line for line in lines if fold_for_world(line) not in theirs)
