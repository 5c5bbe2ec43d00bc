"""What happens in the demo's hospitals after their days were published."""

import psycopg2
import pytest

from deid_tasks.demo import DEMO_INSTITUTIONS, Size, demo_institutions
from deid_tasks.demo.changes import change_hospital, events_of
from deid_tasks.demo.command import BACKFILLED
from deid_tasks.demo.seed import seed, spec_of
from deid_tasks.demo.state import INSTITUTIONS, State, checkout
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.history.events import (
    NoteAmended,
    NoteArrivedLate,
    NoteDeleted,
    PatientExcluded,
    PatientsMerged,
)

SIZE = Size(notes=240, patients=60, providers=30)


@pytest.fixture
def settings(tmp_path, request):
    found = demo_institutions(checkout() / INSTITUTIONS, State(tmp_path))
    return next(one for one in found if one.institution == request.param)


both = pytest.mark.parametrize("settings", DEMO_INSTITUTIONS, indirect=True)


@both
def test_each_event_concerns_another_patient_of_the_published_days(settings):
    notes = {note.note_id: note for note in write_notes(build_hospital(spec_of(settings, SIZE)))}
    published = {n.note_id for n in notes.values() if BACKFILLED[0] <= n.note_datetime.date() <= BACKFILLED[1]}
    patients = []
    for event in events_of(settings, SIZE, BACKFILLED):
        match event:
            case NoteAmended(note):
                assert note.note_id in published
                assert note.text.startswith(notes[note.note_id].text)
                patients.append(note.patient_id)
            case NoteArrivedLate(note):
                assert note.note_id not in notes
                assert note.note_datetime.date() == BACKFILLED[0]
                patients.append(note.patient_id)
            case NoteDeleted(note_id):
                assert note_id in published
                patients.append(notes[note_id].patient_id)
            case PatientExcluded(_, patient_id, reason):
                assert reason == "consent_withdrawn"
                patients.append(patient_id)
            case PatientsMerged(former_id, surviving_id):
                patients += [former_id, surviving_id]
    assert len(patients) == len(set(patients)) == 10
    assert set(patients) <= {notes[note_id].patient_id for note_id in published}


@both
def test_the_events_happen_once(settings, postgres):
    postgres.create_database("demo_changes")
    uri = postgres.uri("demo_changes")
    seed(uri, settings, SIZE)
    assert change_hospital(uri, settings, SIZE, BACKFILLED) == len(events_of(settings, SIZE, BACKFILLED))
    assert change_hospital(uri, settings, SIZE, BACKFILLED) == 0
    connection = psycopg2.connect(uri)
    with connection, connection.cursor() as cursor:
        table = {"lakeshore": "pat_merge_history", "riverside": "person_merge"}[settings.institution]
        cursor.execute(f"select count(*) from {settings.schema_name('ehr')}.{table}")
        assert cursor.fetchone() == (1,)
    connection.close()
