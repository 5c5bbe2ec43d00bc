"""The institution's real people, as keyed hashes: whom no surrogate person may be by name and birth date. Holds no name.

What was published must never change because somebody is registered later. So the file only ever grows, and says of each entry, and
of each patient, in which of its generations they came: a patient's surrogate is held against those who were known before the patient
was. All patients of the first generation are held against all of it.
"""

import datetime
import hashlib
import hmac
import json
import mmap
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final, Literal, NamedTuple

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.obfuscate.people.name_text import fold_name, without_marks

_FORMAT = "palimpsest people 1"
_HEADER_BYTES = 512
_HASH: Final = "Q"
_GENERATION: Final = "H"
_KINDS: tuple[Literal["Q", "H"], ...] = (_HASH, _GENERATION, _HASH, _GENERATION)
_WIDTH = {_HASH: 8, _GENERATION: 2}
_MOST_GENERATIONS = 65_535


class KnownPerson(NamedTuple):
    """One name of one patient, as the warehouse holds it."""

    patient_id: str
    first: str
    last: str
    birth_date: datetime.date | None


class KnownPeople:
    """Sorted 64-bit hashes of name and birth date, and of patients, each with its generation; mapped from its file, shared by workers.

    Args:
        key: the institution's surrogate key.
        institution: its name.
        columns: hashes of people, their generations, hashes of patients, their generations.
        generation: the newest.
    """

    def __init__(
        self,
        key: bytes,
        institution: str,
        columns: "Sequence[array[int] | memoryview]",
        generation: int,
        version: str = "",
    ) -> None:
        self._hash_key = _hash_key(key, institution)
        self._people, self._since, self._patients, self._seen = self._columns = columns
        self.generation = generation
        self.version = version or self._digest()
        """A hash of the content: equal people that came in the same order give equal versions."""

    @classmethod
    def of(
        cls, key: bytes, institution: str, people: Iterable[KnownPerson], before: "KnownPeople | None" = None
    ) -> "KnownPeople":
        """``before`` and those of ``people`` whom it lacks; names without a first name, a last name or a birth date are left out.

        The rows are read once; what is kept of each is 16 bytes.

        Raises:
            LexiconError: ``before`` has as many generations as a file can hold.
        """
        import numpy as np

        made = cls(key, institution, [array(kind) for kind in _KINDS], 0)
        names, patients = array(_HASH), array(_HASH)
        for person in people:
            patients.append(made._patient(person.patient_id))
            if person.first and person.last and person.birth_date:
                names.append(made._person(person.first, person.last, person.birth_date))
        columns: list[array[int] | memoryview] = []
        generation = before.generation + 1 if before else 0
        has_more = False
        for new, old, old_since in (
            (names, before._people if before else (), before._since if before else ()),
            (patients, before._patients if before else (), before._seen if before else ()),
        ):
            known = np.asarray(old, dtype=np.uint64)
            added = np.setdiff1d(np.frombuffer(new, dtype=np.uint64), known)
            has_more = has_more or added.size > 0
            hashes = np.concatenate([known, added])
            since = np.concatenate(
                [np.asarray(old_since, dtype=np.uint16), np.full(added.size, generation, dtype=np.uint16)]
            )
            order = np.argsort(hashes, kind="stable")
            columns += (hashes[order].data, since[order].data)
        if before and not has_more:
            return before
        if generation >= _MOST_GENERATIONS:
            raise LexiconError(f"{institution}: {generation} generations of people; no file holds more")
        return cls(key, institution, columns, generation)

    @classmethod
    def open(cls, path: Path, key: bytes, institution: str) -> "KnownPeople":
        """Map the file.

        Raises:
            LexiconError: it is missing, damaged, of another format, or of another key.
        """
        try:
            with path.open("rb") as file:
                header = json.loads(file.read(_HEADER_BYTES))
                body = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "is damaged"
            raise LexiconError(f"the known people in {path}: {reason}; compile the dictionaries again") from None
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise LexiconError(f"the known people in {path} are of another format")
        if header.get("check") != _check(key, institution):
            raise LexiconError(
                f"the known people in {path} are of another surrogate key; compile the dictionaries again"
            )
        sizes = _column_bytes(header["people"], header["patients"])
        if len(body) != _HEADER_BYTES + sum(sizes):
            raise LexiconError(f"the known people in {path} are damaged; compile the dictionaries again")
        starts = accumulate(sizes, initial=_HEADER_BYTES)
        columns = [
            body[start : start + size].cast(kind) for start, size, kind in zip(starts, sizes, _KINDS, strict=False)
        ]
        return cls(key, institution, columns, header["generation"], header["version"])

    def write(self, path: Path, key: bytes, institution: str) -> None:
        """Write the file; the caller puts it in its place."""
        header = {
            "format": _FORMAT,
            "check": _check(key, institution),
            "version": self.version,
            "generation": self.generation,
            "people": len(self._people),
            "patients": len(self._patients),
        }
        with path.open("wb") as file:
            file.write(json.dumps(header).encode().ljust(_HEADER_BYTES))
            for column in self._columns:
                file.write(column)

    def holds(self, patient_id: str, first: str, last: str, birth_date: datetime.date | None) -> bool:
        """Whether somebody has this name and birth date whom the surrogate of ``patient_id`` is held against.

        Two hashes of 64 bits are one by chance once in 10**13 questions for a million people.
        """
        if birth_date is None:
            return False
        place = _find(self._people, self._person(first, last, birth_date))
        return place is not None and self._since[place] < max(self._generation_of(patient_id), 1)

    def __len__(self) -> int:
        return len(self._people)

    def __repr__(self) -> str:
        return f"KnownPeople({len(self)} names, {len(self._patients)} patients, generation {self.generation})"

    def _generation_of(self, patient_id: str) -> int:
        """Of one whom the file does not have yet: the next, in which the patient will come."""
        place = _find(self._patients, self._patient(patient_id))
        return self.generation + 1 if place is None else self._seen[place]

    def _digest(self) -> str:
        digest = hashlib.sha256(f"{_FORMAT} {self.generation}".encode())
        for column in self._columns:
            digest.update(column)
        return digest.hexdigest()[:32]

    def _person(self, first: str, last: str, birth_date: datetime.date) -> int:
        # Đặng and Dang are one name, whoever wrote it.
        parts = [fold_name(without_marks(name)) for name in (first, last)]
        return self._hash("\0".join((*parts, str(birth_date))))

    def _patient(self, patient_id: str) -> int:
        return self._hash(f"patient\0{patient_id}")

    def _hash(self, message: str) -> int:
        digest = hashlib.blake2b(message.encode("utf-8", "surrogatepass"), key=self._hash_key, digest_size=8)
        return int.from_bytes(digest.digest())


def update_known_people(path: Path, key: bytes, institution: str, people: Iterable[KnownPerson]) -> KnownPeople:
    """The file at ``path`` with those of ``people`` whom it lacks, replaced whole; begun anew where there is none, or one of another key.

    Raises:
        LexiconError: there is one and it is damaged. Whoever deletes it begins anew: surrogates of patients who came later than others
            may change where they collide with them.
    """
    before = KnownPeople.open(path, key, institution) if path.is_file() and _is_of_key(path, key, institution) else None
    made = KnownPeople.of(key, institution, people, before)
    if made is not before:
        partial = path.with_name(f".{path.name}.partial")
        try:
            made.write(partial, key, institution)
            partial.chmod(0o600)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return made


def _is_of_key(path: Path, key: bytes, institution: str) -> bool:
    """Whether the file is of this key, or cannot be read and so has to be looked at."""
    try:
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_BYTES))
    except (OSError, ValueError):
        return True
    return not isinstance(header, dict) or header.get("check") == _check(key, institution)


def _hash_key(key: bytes, institution: str) -> bytes:
    return hmac.digest(key, f"palimpsest/people/{institution}".encode(), "sha256")


def _check(key: bytes, institution: str) -> str:
    return hmac.digest(_hash_key(key, institution), b"check", "sha256").hex()[:32]


def _column_bytes(people: int, patients: int) -> list[int]:
    return [count * _WIDTH[kind] for count, kind in zip((people, people, patients, patients), _KINDS, strict=True)]


def _find(hashes: Sequence[int], wanted: int) -> int | None:
    place = bisect_left(hashes, wanted)
    return place if place < len(hashes) and hashes[place] == wanted else None
