"""How often surrogates meet reality: over a whole patient table, and within each patient's own record.

python benchmarks/collisions.py --patients 20000 --keys 3
python benchmarks/collisions.py --patients 20000 --keys 1 --planted 2000
"""

import datetime
import hashlib
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from benchmarks.support.corpora import record_of
from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.obfuscate import KnownPeople, KnownPerson, Obfuscator
from deid_tasks.hospital import build_hospital
from deid_tasks.hospital.records import HospitalSpec, Patient, World
from deid_tasks.settings import ObfuscateSettings, PolicySettings


@dataclass
class Collisions:
    """What was counted under one key."""

    patients: int = 0
    names_of_patients: int = 0
    """Surrogate full names that a real patient of the table has."""
    with_birth_date: int = 0
    """… and whose shifted birth date is that patient's own too."""
    own: int = 0
    """Surrogate full names that are the patient's own."""
    pairs: int = 0
    """Pairs of different names of one record."""
    merged: int = 0
    """… that became one."""

    @property
    def rate(self) -> float:
        """Share of patients whose surrogate full name a real patient has."""
        return self.names_of_patients / self.patients


def count_collisions(
    patients: tuple[Patient, ...], key: bytes, more: Sequence[KnownPerson] = (), *, is_guarded: bool = True
) -> Collisions:
    """The collisions of one key over a patient table and ``more`` people, all of them known to the obfuscator or none."""
    people = [*(KnownPerson(p.patient_id, p.person.first, p.person.last, p.birth_date) for p in patients), *more]
    hide = _obfuscator(key, people if is_guarded else ())
    real: defaultdict[tuple[str, str], set[datetime.date | None]] = defaultdict(set)
    for person in people:
        real[fold(person.first), fold(person.last)].add(person.birth_date)
    found = Collisions(len(patients))
    for patient in patients:
        record = record_of(patient)
        made = _surrogate(hide, patient)
        name = fold(made.first), fold(made.last)
        if name in real:
            found.names_of_patients += 1
            found.with_birth_date += made.birth_date in real[name]
            found.own += name == (fold(patient.person.first), fold(patient.person.last))
        parts: tuple[tuple[Literal["given", "surname"], list[str]], ...] = (
            ("given", _given(patient)),
            ("surname", _surnames(patient)),
        )
        for part, names in parts:
            drawn = {one: fold(hide.value(one, Entity.PATIENT, record, part=part)) for one in names}
            found.pairs += len(drawn) * (len(drawn) - 1) // 2
            found.merged += sum(drawn[one] == drawn[other] for i, one in enumerate(names) for other in names[i + 1 :])
    return found


def namesakes(patients: Sequence[Patient], key: bytes) -> list[KnownPerson]:
    """People who have the name and the birth date that the surrogates of ``patients`` have where nobody is known."""
    hide = _obfuscator(key, ())
    return [_surrogate(hide, patient) for patient in patients]


def _obfuscator(key: bytes, people: Sequence[KnownPerson]) -> Obfuscator:
    known = KnownPeople.of(key, "collisions", people) if people else None
    return Obfuscator(key, "collisions", PolicySettings(), ObfuscateSettings(key="key"), known)


def _surrogate(hide: Obfuscator, patient: Patient) -> KnownPerson:
    record = record_of(patient)
    first = hide.value(patient.person.first, Entity.PATIENT, record, part="given")
    last = hide.value(patient.person.last, Entity.PATIENT, record, part="surname")
    return KnownPerson(
        f"namesake of {patient.patient_id}", first, last, hide.shift_day(patient.birth_date, patient.patient_id)
    )


def _given(patient: Patient) -> list[str]:
    """Given names of the record that are different people's or different names: a nickname is the name that it stands for."""
    people = [patient.person, *(relative.person for relative in patient.relatives)]
    names = {_spelling(person.first) for person in people} | {_spelling(patient.person.middle)}
    formal = defaultdict(set)
    for row in read_tsv("nicknames.tsv") if not _NICKNAMES else ():
        formal[fold(row["nickname"])].add(fold(row["name"]))
    _NICKNAMES.update(formal)
    kept: list[str] = []
    for name in sorted(name for name in names if len(name) > 1):
        stands_for = _NICKNAMES.get(name, set()) | {name}
        if not any(stands_for & (_NICKNAMES.get(other, set()) | {other}) for other in kept):
            kept.append(name)
    return kept


_NICKNAMES: dict[str, set[str]] = {}


def _surnames(patient: Patient) -> list[str]:
    people = [patient.person, *(relative.person for relative in patient.relatives)]
    return sorted({_spelling(name) for name in (*(p.last for p in people), patient.previous_last) if len(name) > 1})


def _spelling(name: str) -> str:
    """``name`` without case, accents and apostrophes: Ta'nisha and Tanisha are one name."""
    return fold(name).replace("'", "").replace("’", "")


def main(
    world: World = World.DEV,
    patients: Annotated[int, typer.Option(min=1)] = 20_000,
    keys: Annotated[int, typer.Option(min=1)] = 3,
    planted: Annotated[int, typer.Option(min=0, help="Patients to whom a namesake of their surrogate is added.")] = 0,
) -> None:
    """Print what was counted under each of several keys, or, of planted namesakes, what is left of them where they are known."""
    hospital = build_hospital(HospitalSpec("collisions", world, seed=1, patients=patients, providers=50, notes=1))
    typer.echo(f"{patients:,} patients of the {world} world")
    for number in range(keys):
        started = time.process_time()
        key = hashlib.sha256(b"collisions %d" % number).digest()
        if planted:
            more = namesakes(hospital.patients[:planted], key)
            met = [count_collisions(hospital.patients, key, more, is_guarded=known) for known in (False, True)]
            typer.echo(
                f"key {number}: with the birth date of one of {planted:,} planted namesakes: {met[0].with_birth_date:,};"
                f" where they are known: {met[1].with_birth_date:,}"
            )
            continue
        found = count_collisions(hospital.patients, key)
        typer.echo(
            f"key {number}: {found.names_of_patients:,} surrogate full names are a real patient's ({found.rate:.2%}),"
            f" {found.own} the patient's own, {found.with_birth_date} with that patient's birth date;"
            f" {found.merged} of {found.pairs:,} pairs of names within a record merge"
            f" ({time.process_time() - started:.0f} s)"
        )


if __name__ == "__main__":
    typer.run(main)
