"""How far the work on a sample is, and how well its two annotators agree."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from deid_tasks.core.span import Span
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.evidence.annotation import AgreementTally, Comparison, compare_annotators
from deid_tasks.platform.runs.annotation_files import sample_dir, sample_location
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.annotations import DrawnNote, DrawnSample, drawn_samples, read_drawn
from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100
_SHOWN_NOTES = 10
"""Note ids that a message names at most."""


@dataclass
class SampleProgress:
    """How far the work on one sample is."""

    notes: int = 0
    unfinished: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Ids of the notes that an annotator has not finished, by pseudonym."""
    to_hand_over: list[str] = field(default_factory=list)
    """Ids of the notes with conflicts that the adjudicator has not been given yet."""
    undecided: list[str] = field(default_factory=list)
    """Ids of the notes with conflicts that the adjudicator has not answered."""
    conflicts: Counter[str] = field(default_factory=Counter)
    """Conflicts by kind."""
    preannotated_by: set[str] = field(default_factory=set)
    tally: AgreementTally = field(default_factory=AgreementTally)

    @property
    def is_open(self) -> bool:
        """Whether annotators or the adjudicator still have notes to finish."""
        return bool(self.unfinished or self.undecided)


@logged_step
def annotation_status(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return how far the work on each sample is, as ``sample_report`` describes it; it changes nothing."""
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [sample_report(settings, sample, survey_sample(settings, secrets, sample)) for sample in samples]


def survey_sample(
    settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, engine: EngineParts | None = None
) -> SampleProgress:
    """Read all work on one sample as a stream.

    Args:
        settings: The institution.
        secrets: Its secrets.
        sample: The sample.
        engine: If given, it reads each note, so that agreement can be measured on its errors alone.
    """
    progress = SampleProgress()
    with (
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as reader,
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection,
    ):
        for notes in batched(read_drawn(reader, settings, sample.version), _BATCH_NOTES):
            found: Sequence[tuple[Span, ...] | None] = [None] * len(notes)
            if engine:
                patients = read_patients(connection, settings, (n.patient_id for n in notes if n.patient_id))
                documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
                found = [detection.spans for detection in find_identifiers(documents, BatchContext(engine, patients))]
            for note, spans in zip(notes, found, strict=True):
                _add_note(settings, note, spans, progress)
    return progress


def compare_finished_work(settings: InstitutionSettings, note: DrawnNote) -> Comparison | None:
    """Return the two annotators' work on a note, compared; ``None`` while one of them has not finished it."""
    first, second = (note.marked.get(person) for person in settings.annotation.annotators)
    return compare_annotators(first.spans, second.spans) if first and second else None


def sample_report(settings: InstitutionSettings, sample: DrawnSample, progress: SampleProgress) -> dict[str, Any]:
    """Return the figures of one sample.

    ``open`` counts the open notes by person. ``waiting_for`` names these people, the first open notes of each, and the
    folder, or say that the folder is missing; it is for people, and not for Airflow's database.
    """
    table = progress.tally.table()
    adjudicator = settings.annotation.adjudicator
    waiting = [
        f"{person}: {len(note_ids)} of {progress.notes} notes ({_shown(note_ids)})"
        for person, note_ids in sorted(progress.unfinished.items())
    ]
    if progress.undecided:
        waiting.append(f"{adjudicator}: {len(progress.undecided)} notes with conflicts ({_shown(progress.undecided)})")
    return {
        "sample_version": sample.version,
        "design": sample.design,
        "notes": progress.notes,
        "annotated_by_both": progress.tally.notes,
        "alike": progress.tally.notes_alike,
        "words": table.words,
        "matrix": [table.both, table.first, table.second, table.neither],
        "positive_agreement": round(table.positive, 4) if progress.tally.notes else None,
        "kappas": {
            kappa.name: {
                "value": round(kappa.value, 4),
                "lower": round(kappa.lower, 4),
                "upper": round(kappa.upper, 4),
                "words": kappa.table.words,
            }
            for kappa in progress.tally.kappas()
            if progress.tally.notes
        },
        "conflicts": dict(progress.conflicts),
        "preannotated": bool(progress.preannotated_by),
        "open": {
            **{person: len(note_ids) for person, note_ids in progress.unfinished.items()},
            adjudicator: len(progress.undecided),
        },
        "waiting_for": "; ".join(waiting) + (f"; {_found(settings, sample.version)}" if waiting else ""),
    }


def _add_note(
    settings: InstitutionSettings, note: DrawnNote, engine: tuple[Span, ...] | None, progress: SampleProgress
) -> None:
    first, second = settings.annotation.annotators
    progress.notes += 1
    for person in (first, second):
        if person not in note.marked:
            progress.unfinished[person].append(note.note_id)
    comparison = compare_finished_work(settings, note)
    if comparison is None:
        return
    marks = [note.marked[person] for person in (first, second)]
    progress.tally.add(note.text, marks[0].spans, marks[1].spans, note.patient_id or note.note_id, engine)
    progress.preannotated_by.update(mark.preannotated_by for mark in marks if mark.preannotated_by)
    progress.conflicts.update(str(conflict.kind) for conflict in comparison.conflicts)
    if comparison.conflicts and settings.annotation.adjudicator not in note.marked:
        progress.undecided.append(note.note_id)
        if not marks[0].handed_over:
            progress.to_hand_over.append(note.note_id)


def _found(settings: InstitutionSettings, sample_version: str) -> str:
    """Return where the task lists are, or that their folder is missing and what to do."""
    place = f"folder {sample_location(settings, sample_version)}"
    if settings.work_store is not None or sample_dir(settings, sample_version).is_dir():
        return place
    return (
        f"{place} is missing: run `deid annotate export` if no task list was written yet, else correct work_dir"
        " in the settings or restore the folder"
    )


def _shown(note_ids: Sequence[str]) -> str:
    """Return the first note ids, and how many more there are."""
    more = len(note_ids) - _SHOWN_NOTES
    return ", ".join(note_ids[:_SHOWN_NOTES]) + (f" and {more} more" if more > 0 else "")
