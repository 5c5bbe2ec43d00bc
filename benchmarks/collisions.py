"""How often surrogates meet reality: over a whole patient table, and within each patient's own record.

python benchmarks/collisions.py --patients 20000 --keys 3
"""

import datetime
import hashlib
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated

import typer

from deid_tasks.entities import Entity
from deid_tasks.hospital import build_hospital
from deid_tasks.hospital.records import HospitalSpec, Patient, World
from deid_tasks.obfuscate import Obfuscator
from deid_tasks.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.reference import fold, read_tsv
from deid_tasks.settings.model import ObfuscateSettings, PolicySettings


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


def count_collisions(patients: tuple[Patient, ...], key: bytes) -> Collisions:
    """The collisions of one key over a patient table."""
    hide = Obfuscator(key, "collisions", PolicySettings(), ObfuscateSettings(key="key"))
    real: defaultdict[tuple[str, str], set[datetime.date]] = defaultdict(set)
    for patient in patients:
        real[fold(patient.person.first), fold(patient.person.last)].add(patient.birth_date)
    found = Collisions(len(patients))
    for patient in patients:
        record = record_of(patient)
        first = hide.value(patient.person.first, Entity.PATIENT, record, part="given")
        last = hide.value(patient.person.last, Entity.PATIENT, record, part="surname")
        name = fold(first), fold(last)
        if name in real:
            found.names_of_patients += 1
            shifted = patient.birth_date + datetime.timedelta(days=hide.shift_days(patient.patient_id))
            found.with_birth_date += shifted in real[name]
            found.own += name == (fold(patient.person.first), fold(patient.person.last))
        for part, names in (("given", _given(patient)), ("surname", _surnames(patient))):
            made = {one: fold(hide.value(one, Entity.PATIENT, record, part=part)) for one in names}  # type: ignore[arg-type]
            found.pairs += len(made) * (len(made) - 1) // 2
            found.merged += sum(made[one] == made[other] for i, one in enumerate(names) for other in names[i + 1 :])
    return found


def record_of(patient: Patient) -> PatientRecord:
    """What ``dict_patient`` knows of a patient's names."""
    terms = [
        (TermKind.FIRST, patient.person.first),
        (TermKind.MIDDLE, patient.person.middle),
        (TermKind.PREFERRED, patient.person.nickname),
        (TermKind.LAST, patient.person.last),
        (TermKind.LAST, patient.previous_last),
        *((TermKind.RELATIVE_FIRST, relative.person.first) for relative in patient.relatives),
        *((TermKind.RELATIVE_LAST, relative.person.last) for relative in patient.relatives),
    ]
    return PatientRecord(
        patient.patient_id,
        patient.person.sex,
        patient.birth_date,
        patient.ethnicity,
        tuple(PatientTerm(kind, term) for kind, term in terms if term),
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
) -> None:
    """Print what was counted under each of several keys."""
    hospital = build_hospital(HospitalSpec("collisions", world, seed=1, patients=patients, providers=50, notes=1))
    typer.echo(f"{patients:,} patients of the {world} world")
    for number in range(keys):
        started = time.process_time()
        found = count_collisions(hospital.patients, hashlib.sha256(b"collisions %d" % number).digest())
        typer.echo(
            f"key {number}: {found.names_of_patients:,} surrogate full names are a real patient's ({found.rate:.2%}),"
            f" {found.own} the patient's own, {found.with_birth_date} with that patient's birth date;"
            f" {found.merged} of {found.pairs:,} pairs of names within a record merge"
            f" ({time.process_time() - started:.0f} s)"
        )


if __name__ == "__main__":
    typer.run(main)
