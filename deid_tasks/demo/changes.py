"""What happens in the demo's hospitals after their days were published: notes and patients change."""

import datetime
import random
from collections.abc import Iterator, Sequence
from itertools import islice

from deid_tasks.demo.seed import DAYS, START, Size, spec_of
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.history import Event, HistoryDay, HistoryWriter
from deid_tasks.hospital.history.events import (
    NoteAmended,
    NoteArrivedLate,
    NoteDeleted,
    PatientExcluded,
    PatientsMerged,
)
from deid_tasks.hospital.records import GoldNote, Hospital, Patient
from deid_tasks.hospital.write import NoteComposer, first_note_number
from deid_tasks.settings import InstitutionSettings

_AMENDED, _LATE, _DELETED = 3, 2, 2
_MORNING = datetime.datetime.combine(START + datetime.timedelta(days=DAYS), datetime.time(8))
"""When the first event is written: on the day after the last simulated one."""
_MINUTE = datetime.timedelta(minutes=1)


def change_hospital(
    uri: str, settings: InstitutionSettings, size: Size, days: tuple[datetime.date, datetime.date]
) -> int:
    """Change notes and patients of the published days in the hospital's own tables; return how many events did so.

    Notes are amended, filed late and deleted, a patient withdraws consent, and two records turn out to be one
    person's. The same events come every time, and an event that happened before changes nothing.

    Args:
        uri: The database of the EHR.
        settings: The institution.
        size: How much was simulated.
        days: First and last published day.

    Raises:
        WarehouseError: a row was refused, or the hospital was not loaded.
    """
    import psycopg2

    hospital = build_hospital(spec_of(settings, size))
    events = _events(hospital, days)
    times = tuple(_MORNING + number * _MINUTE for number in range(len(events)))
    connection = psycopg2.connect(uri)
    try:
        writer = HistoryWriter(connection, settings.schema_name("ehr"), settings.warehouse.layout, hospital)
        return writer.apply(HistoryDay(_MORNING.date(), events, times))
    finally:
        connection.close()


def events_of(
    settings: InstitutionSettings, size: Size, days: tuple[datetime.date, datetime.date]
) -> tuple[Event, ...]:
    """Return the events in the order in which they happen; no two of them concern the same patient."""
    return _events(build_hospital(spec_of(settings, size)), days)


def _events(hospital: Hospital, days: tuple[datetime.date, datetime.date]) -> tuple[Event, ...]:
    notes = [note for note in write_notes(hospital) if days[0] <= note.note_datetime.date() <= days[1]]
    return tuple(_happen(hospital, notes, days[0]))


def _happen(hospital: Hospital, notes: Sequence[GoldNote], first_day: datetime.date) -> Iterator[Event]:
    patients = {patient.patient_id: patient for patient in hospital.patients}
    # One note for each patient, and first those with the fewest notes: what one event moves stays small.
    count = {one: sum(note.patient_id == one for note in notes) for one in {note.patient_id for note in notes}}
    first = {note.patient_id: note for note in reversed(notes)}
    chosen = iter([first[one] for one in sorted(count, key=lambda one: (count[one], one))])
    rng = random.Random(hospital.spec.seed)  # noqa: S311 - writes fiction, no secret
    composer = NoteComposer(hospital)
    for number, note in enumerate(islice(chosen, _AMENDED)):
        at = _MORNING + number * _MINUTE
        yield NoteAmended(composer.add_addendum(note, patients[note.patient_id], at, rng))
    for number, note in enumerate(islice(chosen, _LATE)):
        yield NoteArrivedLate(_late_note(composer, hospital, patients[note.patient_id], first_day, number, rng))
    for note in islice(chosen, _DELETED):
        yield NoteDeleted(note.note_id)
    yield PatientExcluded(1, next(chosen).patient_id, "consent_withdrawn")
    yield PatientsMerged(next(chosen).patient_id, next(chosen).patient_id)


def _late_note(
    composer: NoteComposer,
    hospital: Hospital,
    patient: Patient,
    day: datetime.date,
    number: int,
    rng: random.Random,
) -> GoldNote:
    note_id = first_note_number(hospital.spec) + hospital.spec.notes + number
    moment = datetime.datetime.combine(day, datetime.time(15, number))
    return composer.compose(str(note_id), patient, moment, rng)
