"""The demo's simulated people: two annotators, an adjudicator, and an officer who verifies a harvest."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.identity import Identity
from deid_tasks.core.span import Span
from deid_tasks.demo.seed import Size, spec_of
from deid_tasks.engine.text.sentences import split_sentences
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.annotators import ADJUDICATOR, Habits, annotate_tasks
from deid_tasks.learning.harvest.files import exclude, newest_harvest
from deid_tasks.platform.runs.annotation_files import person_dir
from deid_tasks.platform.runs.harvesting import approve_harvest
from deid_tasks.platform.runs.institution_engine import harvest_dir
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import drawn_samples
from deid_tasks.settings import InstitutionSettings, Secrets

Truth = Mapping[str, Sequence[Span]]


def approve(settings: InstitutionSettings, secrets: Secrets, size: Size) -> dict[str, Any]:
    """Approve the newest harvest, without the sentences that hold an identifier; return the counts."""
    folder = harvest_dir(settings)
    name = newest_harvest(folder, (path.name for path in folder.iterdir()))
    personal = set()
    for note in write_notes(build_hospital(spec_of(settings, size))):
        for start, end in split_sentences(note.text):
            if any(start <= span.start < end and span.entity is not Entity.TIME for span in note.spans):
                personal.add(note.text[start:end])
    exclude(folder, name, personal)
    return approve_harvest(settings, secrets, Identity("simulated officer", "unverified"), harvested=name)


def truth_of(settings: InstitutionSettings, size: Size) -> Truth:
    """Return the planted identifiers of each note: what careful readers would mark."""
    return {note.note_id: note.spans for note in write_notes(build_hospital(spec_of(settings, size)))}


def label_lists(settings: InstitutionSettings, secrets: Secrets, truth: Truth) -> int:
    """Finish both annotators' lists of the newest samples; return how many notes were marked."""
    return sum(
        _work(settings, folder, person, truth, Habits())
        for person in settings.annotation.annotators
        for folder in _folders(settings, secrets, person)
    )


def decide_conflicts(settings: InstitutionSettings, secrets: Secrets, truth: Truth) -> int:
    """Finish the adjudicator's lists; return how many notes were decided."""
    person = settings.annotation.adjudicator
    return sum(_work(settings, folder, person, truth, ADJUDICATOR) for folder in _folders(settings, secrets, person))


def _folders(settings: InstitutionSettings, secrets: Secrets, person: str) -> list[Path]:
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, ())
    return [person_dir(settings, sample.version, person) for sample in samples]


def _work(settings: InstitutionSettings, folder: Path, person: str, truth: Truth, habits: Habits) -> int:
    return sum(
        annotate_tasks(tasks, folder / "done", truth, person, 1, settings.annotation.format, habits)
        for tasks in sorted(folder.glob("tasks*"))
    )
