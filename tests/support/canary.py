"""What must be found nowhere, and a search for it that overlooks no spelling the platform would use."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import re2

from deid_tasks.core.reference import read_tsv
from deid_tasks.hospital.records import Hospital, Patient, Person

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_LETTERS_OF_A_LAST_NAME = 6


@dataclass(frozen=True)
class Sighting:
    """A planted identifier that stands where it must not; what it is, and not which one."""

    where: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind} in {self.where}"


def numbers_of(patient: Patient) -> dict[str, str]:
    """Identifiers of one patient that look like nothing else, with their kinds."""
    phones = [patient.phone, patient.mobile, *(relative.phone for relative in patient.relatives)]
    found = {patient.mrn: "MRN", patient.ssn: "SSN", patient.health_plan: "health plan", patient.account: "account"}
    found |= {patient.email: "e-mail", patient.address.street: "street"}
    for phone in phones:
        found |= {phone: "phone", "".join(filter(str.isdecimal, phone)): "phone"}
    found["".join(filter(str.isdecimal, patient.ssn))] = "SSN"
    return {value: kind for value, kind in found.items() if value}


def names_of(patient: Patient) -> dict[str, str]:
    """Full names of one patient and the patient's relatives."""
    people = [(patient.person, "patient's name"), *((r.person, "relative's name") for r in patient.relatives)]
    return {form: kind for person, kind in people for form in _full(person)}


def planted(hospitals: Iterable[Hospital]) -> dict[str, str]:
    """Every identifier of the hospitals' people that can mean nothing else, with its kind."""
    found: dict[str, str] = {}
    common = {row["word"] for row in read_tsv("common_words.tsv")}
    for hospital in hospitals:
        people = [provider.person for provider in hospital.providers]
        for provider in hospital.providers:
            found |= dict.fromkeys(_full(provider.person), "provider's name")
            found |= {provider.npi: "NPI", provider.phone: "phone", provider.user_id: "user id"}
        for patient in hospital.patients:
            found |= numbers_of(patient) | names_of(patient)
            people += [patient.person, *(relative.person for relative in patient.relatives)]
        lasts = {person.last for person in people if len(person.last) >= _LETTERS_OF_A_LAST_NAME}
        found |= {last: "last name" for last in lasts if last.casefold() not in common}
    found.pop("", None)
    return found


class Search:
    """Looks for all of ``identifiers`` at once, whatever their case and whether or not JSON has escaped them."""

    def __init__(self, identifiers: dict[str, str]) -> None:
        self._kinds = {value.casefold(): kind for value, kind in identifiers.items()}
        options = re2.Options()
        options.max_mem = 1 << 30
        longest_first = sorted(self._kinds, key=len, reverse=True)
        self._any = re2.compile("|".join(map(re2.escape, longest_first)), options)

    def __call__(self, where: str, content: str | bytes) -> Iterator[Sighting]:
        """Every sighting in ``content``; a part of a longer word or number is none."""
        text = content if isinstance(content, str) else content.decode("utf-8", "replace")
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).casefold()
        for match in self._any.finditer(text):
            around = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
            if not any(character.isalnum() for character in around):
                yield Sighting(where, self._kinds[match.group()])


def _full(person: Person) -> set[str]:
    first, last = person.first, person.last
    return {f"{first} {last}", f"{last}, {first}", f"{last},{first}"} if first and last else set()
