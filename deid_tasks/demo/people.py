"""The demo's people, simulated: two annotators and a third, who work on the task lists as people would, and an officer, who verifies a harvest."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.demo.seed import Size, spec_of
from deid_tasks.engine.text.sentences import split_sentences
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.annotators import ADJUDICATOR, Habits, annotate_tasks
from deid_tasks.learning.harvest.files import exclude, newest_harvest
from deid_tasks.platform.runs.annotation_files import person_dir
from deid_tasks.platform.runs.harvesting import approve_harvest, harvest_dir
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import drawn_samples
from deid_tasks.settings import InstitutionSettings, Secrets

Truth = Mapping[str, Sequence[Span]]


def verify(settings: InstitutionSettings, secrets: Secrets, size: Size) -> dict[str, Any]:
    """The officer looks through the newest harvest, excludes every sentence that holds an identifier, and approves the rest."""
    folder = harvest_dir(settings)
    name = newest_harvest(folder)
    personal = set()
    for note in write_notes(build_hospital(spec_of(settings, size))):
        for start, end in split_sentences(note.text):
            if any(start <= span.start < end and span.entity is not Entity.TIME for span in note.spans):
                personal.add(note.text[start:end])
    exclude(folder, name, personal)
    return approve_harvest(settings, secrets, "simulated officer", harvested=name)


def truth_of(settings: InstitutionSettings, size: Size) -> Truth:
    """What was planted in each note of the institution: what people who read with care would mark."""
    return {note.note_id: note.spans for note in write_notes(build_hospital(spec_of(settings, size)))}


def annotate(settings: InstitutionSettings, secrets: Secrets, truth: Truth) -> int:
    """Both annotators finish their lists of the newest samples; return how many notes they marked."""
    return sum(
        _work(settings, folder, person, truth, Habits())
        for person in settings.annotation.annotators
        for folder in _folders(settings, secrets, person)
    )


def adjudicate(settings: InstitutionSettings, secrets: Secrets, truth: Truth) -> int:
    """The third person decides every conflict; return on how many notes."""
    person = settings.annotation.adjudicator
    return sum(_work(settings, folder, person, truth, ADJUDICATOR) for folder in _folders(settings, secrets, person))


def _folders(settings: InstitutionSettings, secrets: Secrets, person: str) -> list[Path]:
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        samples = drawn_samples(connection, settings, ())
    return [person_dir(settings, sample.version, person) for sample in samples]


def _work(settings: InstitutionSettings, folder: Path, person: str, truth: Truth, habits: Habits) -> int:
    return sum(
        annotate_tasks(tasks, folder / "done", truth, person, 1, settings.annotation.format, habits)
        for tasks in sorted(folder.glob("tasks*"))
    )
