"""The institution's real patients as keyed hashes: no surrogate may equal one of them in name and birth date.

The file holds no name. What was published must not change when somebody is registered later. So the file only grows,
and it stores for each entry and for each patient the generation in which they came. A patient's surrogate is compared
with the people who were known before the patient was. All patients of the first generation are compared with the whole
first generation.
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
from deid_tasks.core.files import atomic_path, make_folder
from deid_tasks.core.versions import make_newest, newest_version
from deid_tasks.engine.obfuscate.people.name_text import fold_name, without_marks

_FORMAT = "palimpsest people 1"
_HEADER_BYTES = 512
_HASH: Final = "Q"
_GENERATION: Final = "H"
_KINDS: tuple[Literal["Q", "H"], ...] = (_HASH, _GENERATION, _HASH, _GENERATION)
_WIDTH = {_HASH: 8, _GENERATION: 2}
_MAX_GENERATIONS = 65_535
_REMEDY = "compile the dictionaries again"


class KnownPerson(NamedTuple):
    """One name of one patient, as the warehouse holds it."""

    patient_id: str
    first: str
    last: str
    birth_date: datetime.date | None


class KnownPeople:
    """Sorted 64-bit hashes of name and birth date, and of patients, each with its generation.

    They are mapped from a file that workers share.

    Args:
        key: the institution's surrogate key.
        institution: its name.
        columns: hashes of people, their generations, hashes of patients, their generations.
        generation: the newest generation.
        version: a hash of the content; computed where it is empty.
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
        """Return ``before`` with those of ``people`` whom it lacks; ``before`` itself if it lacks nobody.

        Rows without a first name, a last name or a birth date are left out. The rows are read once; 16 bytes of each
        are retained.

        Raises:
            LexiconError: ``before`` has the highest number of generations that a file can hold.
        """
        import numpy as np

        made = cls(key, institution, [array(kind) for kind in _KINDS], 0)
        names, patients = array(_HASH), array(_HASH)
        for person in people:
            patients.append(made._patient_hash(person.patient_id))
            if person.first and person.last and person.birth_date:
                names.append(made._person_hash(person.first, person.last, person.birth_date))
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
        if generation >= _MAX_GENERATIONS:
            raise LexiconError(f"{institution}: the known people have {generation} generations; a file holds no more")
        return cls(key, institution, columns, generation)

    @classmethod
    def open(cls, path: Path, key: bytes, institution: str) -> "KnownPeople":
        """Map the file at ``path``.

        Raises:
            LexiconError: it is missing, damaged, of another format, or of another key.
        """
        try:
            with path.open("rb") as file:
                header = json.loads(file.read(_HEADER_BYTES))
                body = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else "is damaged"
            raise LexiconError(f"the known people in {path}: {reason}; {_REMEDY}") from None
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise LexiconError(f"the known people in {path} have another format; {_REMEDY}")
        if header.get("check") != _check(key, institution):
            raise LexiconError(f"the known people in {path} were made with another surrogate key; {_REMEDY}")
        counts = [header.get(name, -1) for name in ("people", "patients", "generation")]
        if not all(isinstance(count, int) and count >= 0 for count in counts):
            raise LexiconError(f"the known people in {path} are damaged; {_REMEDY}")
        sizes = _column_bytes(counts[0], counts[1])
        if len(body) != _HEADER_BYTES + sum(sizes):
            raise LexiconError(f"the known people in {path} are damaged; {_REMEDY}")
        starts = accumulate(sizes, initial=_HEADER_BYTES)
        columns = [
            body[start : start + size].cast(kind) for start, size, kind in zip(starts, sizes, _KINDS, strict=False)
        ]
        opened = cls(key, institution, columns, counts[2])
        if opened.version != header.get("version"):
            raise LexiconError(f"the known people in {path} are damaged; {_REMEDY}")
        return opened

    def save(self, folder: Path, key: bytes, institution: str) -> Path:
        """Write the list to ``folder/<version>``, make it the newest, and return its path.

        Readers see all of it or nothing.

        Raises:
            StorageError: the folder cannot be written.
        """
        path = make_folder(folder) / self.version
        with atomic_path(path) as new:
            self._write(new, key, institution)
        make_newest(folder, self.version)
        return path

    def _write(self, path: Path, key: bytes, institution: str) -> None:
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
        """Whether somebody with this name and birth date was known before ``patient_id`` was.

        Two people share a hash of 64 bits by accident once in 10**13 questions, with a million people.
        """
        if birth_date is None:
            return False
        index = _find(self._people, self._person_hash(first, last, birth_date))
        return index is not None and self._since[index] < max(self._generation_of(patient_id), 1)

    def __len__(self) -> int:
        return len(self._people)

    def __repr__(self) -> str:
        return f"KnownPeople({len(self)} names, {len(self._patients)} patients, generation {self.generation})"

    def _generation_of(self, patient_id: str) -> int:
        """Return the generation of a patient; the next one for a patient whom the file does not have yet."""
        index = _find(self._patients, self._patient_hash(patient_id))
        return self.generation + 1 if index is None else self._seen[index]

    def _digest(self) -> str:
        digest = hashlib.sha256(f"{_FORMAT} {self.generation}".encode())
        for column in self._columns:
            digest.update(column)
        return digest.hexdigest()[:32]

    def _person_hash(self, first: str, last: str, birth_date: datetime.date) -> int:
        # Đặng and Dang are one name, whoever wrote it.
        parts = [fold_name(without_marks(name)) for name in (first, last)]
        return self._hash("\0".join((*parts, str(birth_date))))

    def _patient_hash(self, patient_id: str) -> int:
        return self._hash(f"patient\0{patient_id}")

    def _hash(self, message: str) -> int:
        digest = hashlib.blake2b(message.encode("utf-8", "surrogatepass"), key=self._hash_key, digest_size=8)
        return int.from_bytes(digest.digest())


def update_known_people(folder: Path, key: bytes, institution: str, people: Iterable[KnownPerson]) -> KnownPeople:
    """Add those of ``people`` whom the newest list in ``folder`` lacks; return the list, which is then the newest.

    Where there is none, or only one of another key, a list is begun anew. Earlier versions stay as they are.

    Raises:
        LexiconError: the newest list is damaged. Deleting ``folder`` begins it anew; surrogates of patients who came
            later than others may then change where they collide with those.
        StorageError: the folder cannot be written.
    """
    _move_former(folder, key, institution)
    newest = newest_version(folder)
    path = folder / newest
    before = KnownPeople.open(path, key, institution) if newest and _is_of_key(path, key, institution) else None
    made = KnownPeople.of(key, institution, people, before)
    if made is not before:
        made.save(folder, key, institution)
    return made


def _move_former(folder: Path, key: bytes, institution: str) -> None:
    """Make a list that an earlier release wrote to ``folder`` itself, which was a file, the first version in it.

    A call that is killed on the way is completed by the next one.
    """
    waiting = folder.with_name(f".{folder.name}.former")
    if folder.is_file():
        folder.replace(waiting)
    if not waiting.is_file():
        return
    make_folder(folder)
    if _is_of_key(waiting, key, institution):
        version = KnownPeople.open(waiting, key, institution).version
        waiting.replace(folder / version)
        make_newest(folder, version)
    else:
        waiting.unlink()


def _is_of_key(path: Path, key: bytes, institution: str) -> bool:
    """Whether the file was made with this key.

    True for a file that cannot be read, so that opening it reports the reason.
    """
    try:
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_BYTES))
    except (OSError, ValueError, RecursionError):
        return True
    return not isinstance(header, dict) or header.get("check") == _check(key, institution)


def _hash_key(key: bytes, institution: str) -> bytes:
    return hmac.digest(key, f"palimpsest/people/{institution}".encode(), "sha256")


def _check(key: bytes, institution: str) -> str:
    return hmac.digest(_hash_key(key, institution), b"check", "sha256").hex()[:32]


def _column_bytes(people: int, patients: int) -> list[int]:
    return [count * _WIDTH[kind] for count, kind in zip((people, people, patients, patients), _KINDS, strict=True)]


def _find(hashes: Sequence[int], wanted: int) -> int | None:
    index = bisect_left(hashes, wanted)
    return index if index < len(hashes) and hashes[index] == wanted else None
