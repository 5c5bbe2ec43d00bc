"""What a simulated history may change next: the hospital's patients, and a bounded sample of its notes."""

import datetime
import random
from collections.abc import Iterable

from deid_tasks.hospital.records import GoldNote, Patient

_MOST_NOTES = 1_000


class KnownRecords:
    """The present patients, the merges and exclusions in force, and notes that events may happen to."""

    def __init__(self, patients: Iterable[Patient], notes: Iterable[GoldNote], rng: random.Random) -> None:
        self._rng = rng
        self._patients = {patient.patient_id: patient for patient in patients}
        """By id, former ids included."""
        self._present = list(self._patients)
        self._merges: dict[str, str] = {}
        self._last_survivor = ""
        self._waiting: list[tuple[datetime.date, Patient]] = []
        self._exclusions: dict[int, str] = {}
        """Exclusion id → whose notes."""
        self._notes: list[GoldNote] = []
        for seen, note in enumerate(notes):
            self._sample(note, seen)

    def _sample(self, note: GoldNote, seen: int) -> None:
        """Hold ``note`` with the probability that every note has, once there are more than may be held."""
        if len(self._notes) < _MOST_NOTES:
            self._notes.append(note)
            return
        position = int(self._rng.random() * (seen + 1))
        if position < _MOST_NOTES:
            self._notes[position] = note

    # Patients

    def patient(self, patient_id: str) -> Patient:
        """Return a patient, also by a former id."""
        return self._patients[patient_id]

    def draw_patient(self) -> Patient:
        """Return a patient who is no former id; some are drawn more often, as some have more notes."""
        return self._patients[self._present[int(self._rng.random() ** 1.6 * len(self._present))]]

    def draw_patient_with_note(self) -> str:
        """Return the id of a present patient who has a note, or an empty text where few draws find none."""
        return next((found for _ in range(20) if (found := self._owner()) in self._present), "")

    def _owner(self) -> str:
        note = self.draw_note()
        return note.patient_id if note else ""

    def register(self, patient: Patient) -> None:
        """Take ``patient`` in."""
        self._patients[patient.patient_id] = patient
        self._present.append(patient.patient_id)

    def register_later(self, patient: Patient, day: datetime.date) -> None:
        """Take ``patient`` in on ``day``."""
        self._waiting.append((day, patient))

    def due_to_register(self, day: datetime.date) -> list[Patient]:
        """Return the patients whose registration was due by ``day``, who are taken in."""
        due = [patient for when, patient in self._waiting if when <= day]
        self._waiting = [(when, patient) for when, patient in self._waiting if when > day]
        for patient in due:
            self.register(patient)
        return due

    def update(self, patient: Patient) -> None:
        """Put ``patient`` in place of what was known of the same patient."""
        self._patients[patient.patient_id] = patient

    def leave(self, patient_id: str) -> None:
        """Forget a person: all former ids, notes and exclusions."""
        gone = {patient_id} | {former for former in self._merges if self._survivor(former) == patient_id}
        self._merges = {former: into for former, into in self._merges.items() if former not in gone}
        self._present.remove(patient_id)
        for one in gone:
            del self._patients[one]
        self._notes = [note for note in self._notes if note.patient_id not in gone]
        self._exclusions = {number: owner for number, owner in self._exclusions.items() if owner not in gone}

    # Merges

    def draw_pair_to_merge(self) -> tuple[str, str] | None:
        """Return a former and a surviving id. Every second pair continues a chain: the last survivor becomes former."""
        is_chain = self._last_survivor in self._present
        former = self._last_survivor if is_chain else self.draw_patient_with_note()
        others = [patient_id for patient_id in self._present if patient_id != former]
        if not former or not others:
            return None
        survivor = others[int(self._rng.random() * len(others))]
        self._last_survivor = "" if is_chain else survivor
        return former, survivor

    def merge(self, former: str, survivor: str) -> None:
        """Make ``former`` a former id of ``survivor``."""
        self._merges[former] = survivor
        self._present.remove(former)

    def draw_former(self) -> str:
        """Return a former id, or an empty text where there is none."""
        return next(iter(self._merges), "")

    def unmerge(self, former: str) -> None:
        """Make ``former`` a patient again."""
        del self._merges[former]
        self._present.append(former)

    def _survivor(self, patient_id: str) -> str:
        while patient_id in self._merges:
            patient_id = self._merges[patient_id]
        return patient_id

    # Notes

    def draw_note(self) -> GoldNote | None:
        """Return a note that is neither deleted nor gone; None where no note is held."""
        return self._notes[int(self._rng.random() * len(self._notes))] if self._notes else None

    def add(self, note: GoldNote) -> None:
        """Let events happen to a new note."""
        self._sample(note, len(self._notes))

    def change(self, note: GoldNote) -> None:
        """Put ``note`` in place of what was known of it."""
        self._notes = [note if known.note_id == note.note_id else known for known in self._notes]

    def drop(self, note_id: str) -> None:
        """Forget a deleted note."""
        self._notes = [note for note in self._notes if note.note_id != note_id]

    # Exclusions

    def exclude(self, number: int, patient_id: str) -> None:
        """Hold an exclusion of a patient or of one of the patient's notes."""
        self._exclusions[number] = patient_id

    def end_exclusion(self) -> int | None:
        """Return the oldest exclusion in force, which ends; None where there is none."""
        number = next(iter(self._exclusions), None)
        if number is not None:
            del self._exclusions[number]
        return number
