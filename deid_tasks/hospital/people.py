"""The patients and clinicians of one institution."""

import datetime
import random
from dataclasses import dataclass
from typing import TypeVar

from deid_tasks.hospital import numbers
from deid_tasks.hospital.name_pools import NamePools
from deid_tasks.hospital.places import Composer, employer, towns_by_state
from deid_tasks.hospital.records import Facility, HospitalSpec, Patient, Person, Provider, Relative
from deid_tasks.hospital.vocabulary import words
from deid_tasks.hospital.worlds import Town, fold_for_world

_T = TypeVar("_T")

_MAIL = ("gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "icloud.com", "aol.com", "comcast.net", "verizon.net")
_PLANS = ("XJH#########", "W########", "#??#-??#-??##", "9########", "YPN###A#####", "H########-##", "########01")
_ACCOUNTS = ("4########", "HAR#######", "10#######")
_ELDER = {"F": ("mother", "aunt", "grandmother"), "M": ("father", "uncle", "grandfather")}
_PEER = {"F": ("sister", "friend", "neighbor", "cousin"), "M": ("brother", "friend", "neighbor", "cousin")}
_CHILD = {"F": ("daughter", "daughter", "granddaughter", "niece"), "M": ("son", "son", "grandson", "nephew")}
_STRANGER = frozenset({"friend", "neighbor"})


@dataclass(frozen=True)
class Post:
    """A kind of clinician."""

    role: str
    credentials: tuple[str, ...]
    specialty: str


_PHYSICIANS = tuple(
    Post("physician", ("MD", "MD", "MD", "DO", "NP", "PA-C"), specialty)
    for specialty in (
        "internal medicine", "family medicine", "cardiology", "emergency medicine", "general surgery",
        "hospital medicine", "neurology",
        "orthopedics", "gastroenterology", "psychiatry", "oncology", "pediatrics", "nephrology", "pulmonology",
        "urology", "endocrinology",
        "infectious disease", "obstetrics and gynecology", "dermatology", "rheumatology",
    )
)  # fmt: skip
_NURSE = Post("nurse", ("RN", "RN", "BSN, RN", "LPN"), "nursing")
_OTHERS = (
    _NURSE,
    Post("radiologist", ("MD",), "radiology"),
    Post("pathologist", ("MD",), "pathology"),
    Post("pharmacist", ("PharmD", "PharmD, BCPS"), "pharmacy"),
    Post("social_worker", ("LCSW", "MSW", "LMSW"), "social work"),
    Post("therapist", ("PT, DPT", "OTR/L", "PT", "CCC-SLP"), "rehabilitation"),
    Post("dietitian", ("RD", "RD, LDN"), "nutrition"),
    _NURSE,
)
ROLES = ("physician", "nurse", "radiologist", "pathologist", "pharmacist", "social_worker", "therapist", "dietitian")
"""Who writes notes; a hospital with ten providers or more has them all."""


def _one(options: tuple[_T, ...], rng: random.Random) -> _T:
    return options[int(rng.random() * len(options))]


def area_code(town: Town, rng: random.Random) -> str:
    """Return one of the area codes in use in ``town``."""
    return _one(town.area_codes, rng)


def make_providers(
    count: int, facilities: tuple[Facility, ...], home: Town, pools: NamePools, first_id: int, rng: random.Random
) -> tuple[Provider, ...]:
    """``count`` clinicians: of ten, six are physicians; every role is there when ``count`` is 20 or more."""
    works = tuple(facility for facility in facilities if facility.kind in ("hospital", "clinic"))
    providers, users = [], set[str]()
    style = int(rng.random() * 3)
    for number in range(count):
        post = _OTHERS[number // 2 % len(_OTHERS)] if number % 2 else _PHYSICIANS[number // 2 % len(_PHYSICIANS)]
        if number % 10 == 9:
            post = _PHYSICIANS[number // 10 % len(_PHYSICIANS)]
        person = pools.person(pools.group(rng), "F" if rng.random() < 0.55 else "M", rng)
        code = area_code(home, rng)
        providers.append(
            Provider(
                provider_id=str(first_id + number),
                person=person,
                credentials=_one(post.credentials, rng),
                specialty=post.specialty,
                user_id=_user_id(person, style, users, rng),
                npi=numbers.provider_identifier(rng),
                phone=numbers.telephone(code, rng),
                pager=numbers.pager(rng),
                facility_id=_one(works, rng).facility_id if number % 3 else works[0].facility_id,
            )
        )
    return tuple(providers)


def role_of(provider: Provider) -> str:
    """Return the role of ``ROLES`` that a clinician has."""
    return next((post.role for post in _OTHERS if post.specialty == provider.specialty), "physician")


def _user_id(person: Person, style: int, taken: set[str], rng: random.Random) -> str:
    first, last = fold_for_world(person.first).replace(" ", ""), fold_for_world(person.last).replace(" ", "")
    while True:
        if style == 0:
            name = f"{first[:1]}{last[:6]}{int(rng.random() * 90) + 1 if rng.random() < 0.7 else ''}"
        elif style == 1:
            name = f"{first[:1]}{person.middle[:1].lower() or 'x'}{last[:1]}{numbers.digits(4, rng)}"
        else:
            name = f"{last[:7]}{first[:2]}{int(rng.random() * 9) + 1}".upper()
        name = "".join(character for character in name if character.isascii() and character.isalnum())
        if len(name) >= 4 and name not in taken:
            taken.add(name)
            return name


class Registry:
    """Registers patients: draws each one's demographics and keeps the institution's numbers unique."""

    def __init__(
        self, spec: HospitalSpec, home: Town, pools: NamePools, composer: Composer, rng: random.Random
    ) -> None:
        self._spec, self._pools, self._composer, self._rng = spec, pools, composer, rng
        self._states = towns_by_state(spec.world)
        self._near = tuple(town for town in self._states[home.state] if town.county == home.county)
        self._home = home
        self._taken: set[str] = set()
        self._account = _one(_ACCOUNTS, rng)

    def resume(self, patients: tuple[Patient, ...], rng: random.Random) -> None:
        """Go on after ``patients``, whose numbers are taken, and draw from ``rng`` from now on."""
        self._rng = rng
        self._composer = Composer(self._spec.world, rng, self._near)
        self._taken.update(value for p in patients for value in (p.mrn, p.ssn, p.account))

    def _unique(self, shape: str) -> str:
        for _ in range(10_000):
            value = numbers.shaped(shape, self._rng)
            if value not in self._taken:
                self._taken.add(value)
                return value
        raise ValueError(f"{shape!r} has too few numbers for {self._spec.patients} patients")

    def _town(self) -> Town:
        chance = self._rng.random()
        if chance < 0.7:
            return _one(self._near, self._rng)
        if chance < 0.93:
            return _one(self._states[self._home.state], self._rng)
        return _one(self._states[_one(tuple(self._states), self._rng)], self._rng)

    def _birth_date(self) -> datetime.date:
        chance, spread = self._rng.random(), self._rng.random()
        if chance < 0.1:
            age = 18 * spread
        elif chance < 0.96:
            age = 18 + 71 * (spread + self._rng.random()) / 2
        else:
            age = 88 + 14 * spread * spread
        return self._spec.start - datetime.timedelta(days=int(age * 365.25) + int(self._rng.random() * 365))

    def patient(self, patient_id: str) -> Patient:
        """Return the next patient."""
        rng, pools = self._rng, self._pools
        group, sex = pools.group(rng), "F" if rng.random() < 0.53 else "M"
        person = pools.person(group, sex, rng)
        born = self._birth_date()
        age = (self._spec.start - born).days // 365
        town = self._town()
        code = area_code(town, rng)
        ssn = numbers.social_security(rng)
        while ssn in self._taken:
            ssn = numbers.social_security(rng)
        self._taken.add(ssn)
        was_married = age > 22 and sex == "F" and rng.random() < 0.4
        return Patient(
            patient_id=patient_id,
            person=person,
            birth_date=born,
            ethnicity=group,
            mrn=self._unique(self._spec.mrn_format),
            ssn=ssn,
            health_plan=numbers.shaped(_one(_PLANS, rng), rng),
            account=self._unique(self._account),
            phone=numbers.telephone(code, rng),
            mobile=numbers.telephone(code if rng.random() < 0.8 else area_code(town, rng), rng),
            email=self._email(person, born),
            address=self._composer.address(town),
            employer=employer(self._spec.world, rng, is_school=age < 18),
            profession="student" if age < 20 else _one(words("professions"), rng),
            relatives=self._relatives(person, group, age, code),
            previous_last=pools.surname(group, rng) if was_married else "",
        )

    def _email(self, person: Person, born: datetime.date) -> str:
        first, last = fold_for_world(person.first).replace(" ", ""), fold_for_world(person.last).replace(" ", "")
        number = born.year % 100 if self._rng.random() < 0.4 else int(self._rng.random() * 999)
        local = _one(
            (f"{first}.{last}", f"{first[:1]}{last}{number:02d}", f"{first}{number}", f"{last}_{first}"), self._rng
        )
        local = "".join(character for character in local if character.isascii())
        return f"{local if local.strip('._') else 'patient'}@{_one(_MAIL, self._rng)}"

    def _relatives(self, person: Person, group: str, age: int, code: str) -> tuple[Relative, ...]:
        """Return two to four relatives or friends; most relatives have the patient's surname."""
        rng = self._rng
        found: list[Relative] = []
        if age > 21 and rng.random() < 0.6:
            other = "M" if person.sex == "F" else "F"
            spouse = {"M": ("husband", "husband", "partner"), "F": ("wife", "wife", "partner")}[other]
            found.append(self._relative(_one(spouse, rng), other, group, person.last, code))
        target = 2 + int(rng.random() * 3)
        while len(found) < target:
            sex = "F" if rng.random() < 0.6 else "M"
            if age < 18:
                relation = (
                    _ELDER[sex][0] if not found or rng.random() < 0.4 else _one((*_ELDER[sex], _PEER[sex][0]), rng)
                )
            elif age < 45:
                relation = _one((_ELDER[sex][0], *_PEER[sex]), rng)
            else:
                relation = _one((*_CHILD[sex], *_PEER[sex]), rng)
            if relation not in {one.relation for one in found} or rng.random() < 0.3:
                found.append(self._relative(relation, sex, group, person.last, code))
        return tuple(found)

    def _relative(self, relation: str, sex: str, group: str, last: str, code: str) -> Relative:
        shares_name = relation not in _STRANGER and self._rng.random() < 0.72
        person = self._pools.person(group, sex, self._rng, last if shares_name else None)
        return Relative(relation, person, numbers.telephone(code, self._rng))
