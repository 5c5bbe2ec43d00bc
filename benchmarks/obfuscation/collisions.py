"""How often surrogates coincide with real people: over a whole patient table, and within each patient's own record.

python -m benchmarks.obfuscation.collisions --patients 20000 --keys 3                  # about 1 minute of one core
python -m benchmarks.obfuscation.collisions --patients 20000 --keys 1 --planted 2000   # with planted namesakes
"""

import datetime
import hashlib
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.support.corpora import record_of
from benchmarks.support.results import parser_of, results
from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.engine.obfuscate import KnownPeople, KnownPerson, Obfuscator
from deid_tasks.hospital import build_hospital
from deid_tasks.hospital.records import HospitalSpec, Patient, World
from deid_tasks.settings import ObfuscateSettings, PolicySettings


@dataclass
class Collisions:
    """The counts under one key."""

    patients: int = 0
    names_of_patients: int = 0
    """Surrogate full names that a patient of the table has."""
    with_birth_date: int = 0
    """Those whose shifted birth date is also that patient's."""
    own: int = 0
    """Surrogate full names that equal the patient's own."""
    pairs: int = 0
    """Pairs of different names in one record."""
    merged: int = 0
    """Pairs that have the same surrogate."""

    @property
    def rate(self) -> float:
        """Share of patients whose surrogate full name a patient of the table has."""
        return self.names_of_patients / self.patients


def count_collisions(
    patients: tuple[Patient, ...], key: bytes, more: Sequence[KnownPerson] = (), *, is_guarded: bool = True
) -> Collisions:
    """Return the collisions under one key.

    Args:
        patients: The patient table.
        key: The surrogate key.
        more: Further people who exist.
        is_guarded: Whether the obfuscator has these people as known people.
    """
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
    """Return people with the names and birth dates that ``patients`` get as surrogates without known people."""
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
    """Return the given names of the record; a nickname counts as the name that it stands for."""
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
    """Return ``name`` without case, accents and apostrophes: Ta'nisha and Tanisha are one name."""
    return fold(name).replace("'", "").replace("’", "")


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--world", type=World, choices=list(World), default=World.DEV)
    parser.add_argument("--patients", type=int, default=20_000)
    parser.add_argument("--keys", type=int, default=3)
    parser.add_argument("--planted", type=int, default=0, help="patients whose surrogate gets a namesake in the table")
    arguments = parser.parse_args()
    spec = HospitalSpec("collisions", arguments.world, seed=1, patients=arguments.patients, providers=50, notes=1)
    patients = build_hospital(spec).patients
    with results("surrogate-collisions", "Surrogates that coincide with real people", arguments) as out:
        title = f"{len(patients):,} patients of the {arguments.world} world"
        if arguments.planted:
            columns = {"namesakes": ",d", "met without known people": ",d", "met with known people": ",d"}
            out.table(f"{title}: name and birth date of a planted namesake", {"key": "d", **columns})
        else:
            columns = {"a patient's full name": ",d", "share": ".2%", "the patient's own": ",d"}
            columns |= {"with the birth date": ",d", "pairs in a record": ",d", "merged": ",d", "core-s": ".0f"}
            out.table(title, {"key": "d", **columns})
        for number in range(arguments.keys):
            began = time.process_time()
            key = hashlib.sha256(b"collisions %d" % number).digest()
            if arguments.planted:
                more = namesakes(patients[: arguments.planted], key)
                met = [count_collisions(patients, key, more, is_guarded=known) for known in (False, True)]
                out.add(number, arguments.planted, *(found.with_birth_date for found in met))
                continue
            found = count_collisions(patients, key)
            shares = found.names_of_patients, found.rate, found.own, found.with_birth_date
            out.add(number, *shares, found.pairs, found.merged, time.process_time() - began)


if __name__ == "__main__":
    main()
