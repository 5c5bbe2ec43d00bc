"""Simulate the days of a hospital that lives: its patients, staff and notes change, and so do its mistakes."""

import datetime
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from zoneinfo import ZoneInfo

from deid_tasks.hospital import numbers
from deid_tasks.hospital.build import Newcomers
from deid_tasks.hospital.history import events as happened
from deid_tasks.hospital.history.known import KnownRecords
from deid_tasks.hospital.history.rates import HistoryRates
from deid_tasks.hospital.records import GoldNote, Hospital, Patient
from deid_tasks.hospital.schedule import minute_of_day
from deid_tasks.hospital.worlds import stable
from deid_tasks.hospital.write import NoteComposer, first_note_number

_FIRST_MINUTE, _DELIVERY_MINUTE = 200, 5
"""When the day's first event is written, and when what an interface held back is delivered."""
_REGISTERED_AFTER = datetime.timedelta(days=2)
_PATIENT_REASONS = ("consent_withdrawn", "opted_out", "part2_programme", "employee", "vip")
_NOTE_REASONS = ("part2_programme", "legal_hold", "opted_out")
_FIRST = {"patient_excluded": 0.9, "note_excluded": 0.8, "merged": 0.9, "before_patient": 0.85, "amended": 0.5}
_LAST = {"exclusion_ended": 0.1, "unmerged": 0.2, "left": 0.3, "silent": 0.5, "deleted": 0.5}
"""What share of its first event each kind starts with: what others depend on comes early."""


def simulate_history(
    hospital: Hospital, notes: Iterable[GoldNote], rates: HistoryRates, days: int, seed: int
) -> Iterator[happened.HistoryDay]:
    """Yield ``days`` days of events that follow the last day of the hospital's specification.

    The same arguments always give the same history. A bounded sample of notes is held, never all.

    Args:
        hospital: The hospital as ``build_hospital`` gives it.
        notes: The notes that its EHR holds on the first day; read once, when the first day is asked for.
        rates: How often each kind of event happens.
        days: How many days.
        seed: Another seed gives another history of the same hospital.

    Raises:
        SkeletonError: a skeleton of the hospital's world breaks the grammar.
    """
    simulation = _Simulation(hospital, notes, rates, seed)
    start = hospital.spec.start + datetime.timedelta(days=hospital.spec.days)
    held_back: list[happened.Event] = []
    nights = _clock_changes(start, days, rates.timezone)
    for offset in range(days):
        day = start + datetime.timedelta(days=offset)
        timed = simulation.day(day, nights)
        if simulation.is_silent() and offset + 1 < days:
            held_back += [event for event, _ in timed]
            yield happened.HistoryDay(day, (), ())
            continue
        if held_back:
            first = _at(day, _DELIVERY_MINUTE)
            late = [(event, first + datetime.timedelta(seconds=n)) for n, event in enumerate(held_back)]
            timed, held_back = (late + timed) * 2, []
        yield happened.HistoryDay(day, tuple(event for event, _ in timed), tuple(at for _, at in timed))


def _clock_changes(start: datetime.date, days: int, timezone: str) -> frozenset[datetime.date]:
    """Return the days on which the clocks of ``timezone`` change."""
    zone = ZoneInfo(timezone)

    def offset(day: datetime.date) -> datetime.timedelta | None:
        return datetime.datetime.combine(day, datetime.time(), zone).utcoffset()

    every = (start + datetime.timedelta(days=number) for number in range(days))
    return frozenset(day for day in every if offset(day) != offset(day + datetime.timedelta(days=1)))


def _at(day: datetime.date, minute: int) -> datetime.datetime:
    return datetime.datetime.combine(day, datetime.time()) + datetime.timedelta(minutes=minute)


class _Simulation:
    """The hospital's present state and the chance of what happens next."""

    def __init__(self, hospital: Hospital, notes: Iterable[GoldNote], rates: HistoryRates, seed: int) -> None:
        spec = hospital.spec
        self._rng = random.Random(stable("history", spec.institution, spec.world, spec.seed, seed))
        self._hospital, self._rates = hospital, rates
        self._newcomers = Newcomers(hospital, self._rng)
        self._composer = NoteComposer(hospital)
        self._known = KnownRecords(hospital.patients, notes, self._rng)
        self._next_note = first_note_number(spec) + spec.notes
        self._next_exclusion = 1
        self._amended = 0
        self._kinds: dict[str, Callable[[datetime.datetime], list[happened.Event]]] = {
            "registered": self._register,
            "renamed": self._rename,
            "moved": self._move,
            "merged": self._merge,
            "unmerged": self._unmerge,
            "left": self._leave,
            "hired": self._hire,
            "opened": self._open,
            "written": self._write,
            "late": self._write_late,
            "before_patient": self._write_before_patient,
            "clock_change": self._write_in_clock_change,
            "without_text": self._write_without_text,
            "damaged": self._write_damaged,
            "amended": self._amend,
            "resaved": self._resave,
            "redated": self._redate,
            "deleted": self._delete,
            "patient_excluded": self._exclude_patient,
            "note_excluded": self._exclude_note,
            "exclusion_ended": self._end_exclusion,
        }
        self._due = {
            field.name: (_FIRST | _LAST).get(field.name, 0.1 + number * 0.618 % 0.8)
            for number, field in enumerate(fields(rates))
        }
        """What each kind of event is short of its rate; one happens for each whole."""

    def is_silent(self) -> bool:
        """Whether the interfaces deliver nothing today; asked once a day."""
        return self._falls_due("silent", self._rates.silent) > 0

    def _falls_due(self, kind: str, rate: float) -> int:
        # Events that found nobody to happen to are made up for, but not without end.
        self._due[kind] = min(self._due[kind] + rate, rate + 3.0)
        count = int(self._due[kind])
        self._due[kind] -= count
        return count

    def day(
        self, day: datetime.date, nights: frozenset[datetime.date]
    ) -> list[tuple[happened.Event, datetime.datetime]]:
        """Return the events of ``day`` in the order of their times."""
        planned: list[tuple[int, str]] = []
        for kind in self._kinds:
            count = self._falls_due(kind, getattr(self._rates, kind))
            if kind == "clock_change" and nights:
                count = int(day in nights and self._rates.clock_change > 0)
            planned += [(max(_FIRST_MINUTE, minute_of_day(self._rng.random())), kind) for _ in range(count)]
        due = self._known.due_to_register(day)
        timed: list[tuple[happened.Event, datetime.datetime]] = []
        timed += [(happened.PatientRegistered(patient), _at(day, _FIRST_MINUTE)) for patient in due]
        for minute, kind in sorted(planned):
            found = self._kinds[kind](_at(day, minute))
            if not found:
                self._due[kind] += 1
            # Several events of one minute are milliseconds apart, in their order.
            at = _at(day, minute) + datetime.timedelta(milliseconds=len(timed))
            timed += [(event, at + datetime.timedelta(microseconds=n)) for n, event in enumerate(found)]
        return timed

    # Patients

    def _register(self, _: datetime.datetime) -> list[happened.Event]:
        patient = self._newcomers.patient()
        self._known.register(patient)
        return [happened.PatientRegistered(patient)]

    def _rename(self, _: datetime.datetime) -> list[happened.Event]:
        patient = self._known.draw_patient()
        last = self._newcomers.surname(patient.ethnicity)
        if last == patient.person.last:
            return []
        person = replace(patient.person, last=last)
        self._known.update(replace(patient, person=person, previous_last=patient.person.last))
        return [happened.PatientRenamed(patient.patient_id, person, patient.person)]

    def _move(self, _: datetime.datetime) -> list[happened.Event]:
        patient, address = self._known.draw_patient(), self._newcomers.address()
        phone = numbers.telephone(patient.phone[:3], self._rng)
        self._known.update(replace(patient, address=address, phone=phone))
        return [happened.PatientMoved(patient.patient_id, address, phone)]

    def _merge(self, _: datetime.datetime) -> list[happened.Event]:
        pair = self._known.draw_pair_to_merge()
        if pair is None:
            return []
        self._known.merge(*pair)
        return [happened.PatientsMerged(*pair)]

    def _unmerge(self, _: datetime.datetime) -> list[happened.Event]:
        former = self._known.draw_former()
        if not former:
            return []
        self._known.unmerge(former)
        return [happened.MergeUndone(former)]

    def _leave(self, _: datetime.datetime) -> list[happened.Event]:
        patient_id = self._known.draw_patient_with_note()
        if not patient_id:
            return []
        self._known.leave(patient_id)
        return [happened.PatientLeft(patient_id)]

    # Staff and places

    def _hire(self, _: datetime.datetime) -> list[happened.Event]:
        works = tuple(facility for facility in self._hospital.facilities if facility.kind in ("hospital", "clinic"))
        provider = self._newcomers.provider(works)
        self._change_hospital(replace(self._hospital, providers=(*self._hospital.providers, provider)))
        return [happened.ProviderHired(provider)]

    def _open(self, _: datetime.datetime) -> list[happened.Event]:
        clinic = self._newcomers.clinic()
        self._change_hospital(replace(self._hospital, facilities=(*self._hospital.facilities, clinic)))
        return [happened.FacilityOpened(clinic)]

    def _change_hospital(self, hospital: Hospital) -> None:
        self._hospital = hospital
        self._composer.move_to(hospital)

    # New notes

    def _compose(self, patient: Patient, moment: datetime.datetime) -> GoldNote:
        note_id, self._next_note = str(self._next_note), self._next_note + 1
        return self._composer.compose(note_id, patient, moment, self._rng)

    def _write(self, at: datetime.datetime) -> list[happened.Event]:
        note = self._compose(self._known.draw_patient(), at - datetime.timedelta(minutes=5))
        self._known.add(note)
        return [happened.NoteWritten(note)]

    def _write_late(self, at: datetime.datetime) -> list[happened.Event]:
        before = datetime.timedelta(days=2 + int(self._rng.random() * 12), minutes=5)
        note = self._compose(self._known.draw_patient(), at - before)
        self._known.add(note)
        return [happened.NoteArrivedLate(note)]

    def _write_before_patient(self, at: datetime.datetime) -> list[happened.Event]:
        patient = self._newcomers.patient()
        self._known.register_later(patient, (at + _REGISTERED_AFTER).date())
        return [happened.NoteBeforePatient(self._compose(patient, at - datetime.timedelta(minutes=5)))]

    def _write_in_clock_change(self, at: datetime.datetime) -> list[happened.Event]:
        notes = [
            self._compose(self._known.draw_patient(), datetime.datetime.combine(at.date(), datetime.time(hour, 30)))
            for hour in (1, 1, 2)
        ]
        for note in notes:
            self._known.add(note)
        return [happened.NoteInClockChange(note) for note in notes]

    def _write_without_text(self, at: datetime.datetime) -> list[happened.Event]:
        note = self._compose(self._known.draw_patient(), at - datetime.timedelta(minutes=5))
        note = replace(note, text="", spans=())
        self._known.add(note)
        return [happened.NoteWithoutText(note)]

    def _write_damaged(self, at: datetime.datetime) -> list[happened.Event]:
        note = self._compose(self._known.draw_patient(), at - datetime.timedelta(minutes=5))
        return [happened.NoteDamaged(replace(note, text=note.text + "\udcff\udcfe"))]

    # Changes of notes

    def _amend(self, at: datetime.datetime) -> list[happened.Event]:
        note = self._known.draw_note()
        if note is None:
            return []
        patient = self._known.patient(note.patient_id)
        self._amended += 1
        if self._amended % 2:
            changed = self._composer.add_addendum(note, patient, at, self._rng)
        else:
            changed = self._composer.compose(note.note_id, patient, note.note_datetime, self._rng, note.note_type)
            changed = replace(note, text=changed.text, spans=changed.spans, skeleton=changed.skeleton)
        self._known.change(changed)
        return [happened.NoteAmended(changed)]

    def _resave(self, _: datetime.datetime) -> list[happened.Event]:
        note = self._known.draw_note()
        return [] if note is None else [happened.NoteResaved(note.note_id)]

    def _redate(self, _: datetime.datetime) -> list[happened.Event]:
        note = self._known.draw_note()
        if note is None:
            return []
        shift = datetime.timedelta(days=1 + int(self._rng.random() * 4), minutes=int(self._rng.random() * 90))
        self._known.change(replace(note, note_datetime=note.note_datetime - shift))
        return [happened.NoteRedated(note.note_id, note.note_datetime - shift)]

    def _delete(self, _: datetime.datetime) -> list[happened.Event]:
        note = self._known.draw_note()
        if note is None:
            return []
        self._known.drop(note.note_id)
        return [happened.NoteDeleted(note.note_id)]

    # Exclusions

    def _exclude_patient(self, _: datetime.datetime) -> list[happened.Event]:
        patient_id = self._known.draw_patient_with_note()
        if not patient_id:
            return []
        number = self._number_exclusion(patient_id)
        return [happened.PatientExcluded(number, patient_id, _PATIENT_REASONS[number % len(_PATIENT_REASONS)])]

    def _exclude_note(self, _: datetime.datetime) -> list[happened.Event]:
        note = self._known.draw_note()
        if note is None:
            return []
        number = self._number_exclusion(note.patient_id)
        return [happened.NoteExcluded(number, note.note_id, _NOTE_REASONS[number % len(_NOTE_REASONS)])]

    def _number_exclusion(self, patient_id: str) -> int:
        number, self._next_exclusion = self._next_exclusion, self._next_exclusion + 1
        self._known.exclude(number, patient_id)
        return number

    def _end_exclusion(self, _: datetime.datetime) -> list[happened.Event]:
        number = self._known.end_exclusion()
        return [] if number is None else [happened.ExclusionEnded(number)]
