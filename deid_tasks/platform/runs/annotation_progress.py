"""How far the work on a sample is, and how well the annotators agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from deid_tasks.core.span import Span
from deid_tasks.engine.engine import Context, Engine
from deid_tasks.engine.pipeline import detect
from deid_tasks.engine.text import Document
from deid_tasks.evidence.annotation import AgreementTally, Comparison, compare_annotators
from deid_tasks.platform.runs.annotation_files import person_dir
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.annotations import (
    DrawnNote,
    DrawnSample,
    drawn_samples,
    read_drawn,
)
from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100


@dataclass
class SampleProgress:
    """How far the work on one sample is."""

    notes: int = 0
    unfinished: Counter[str] = field(default_factory=Counter)
    """Notes by annotator who has not finished them."""
    disputed: list[str] = field(default_factory=list)
    """Notes with conflicts that the adjudicator has not been given yet."""
    undecided: list[str] = field(default_factory=list)
    """Notes with conflicts that the adjudicator has not answered."""
    disputes: Counter[str] = field(default_factory=Counter)
    preannotated_by: set[str] = field(default_factory=set)
    tally: AgreementTally = field(default_factory=AgreementTally)

    @property
    def is_open(self) -> bool:
        """Whether annotators or the adjudicator still have notes to finish."""
        return bool(+self.unfinished or self.undecided)


def annotation_status(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """How far each sample is; changes nothing."""
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [sample_report(settings, sample, survey_sample(settings, secrets, sample)) for sample in samples]


def survey_sample(
    settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, engine: Engine | None = None
) -> SampleProgress:
    """Read all work on one sample once, as a stream."""
    state = SampleProgress()
    with (
        connect(secrets.text(settings.warehouse.connection)) as reader,
        connect(secrets.text(settings.warehouse.connection)) as connection,
    ):
        for notes in batched(read_drawn(reader, settings, sample.version), _BATCH_NOTES):
            found: Sequence[tuple[Span, ...] | None] = [None] * len(notes)
            if engine:
                patients = read_patients(connection, settings, (n.patient_id for n in notes if n.patient_id))
                documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
                found = [detection.spans for detection in detect(documents, Context(engine, patients))]
            for note, spans in zip(notes, found, strict=True):
                _look(settings, note, spans, state)
    return state


def _look(
    settings: InstitutionSettings, note: DrawnNote, engine: tuple[Span, ...] | None, state: SampleProgress
) -> None:
    first, second = settings.annotation.annotators
    state.notes += 1
    state.unfinished.update(who for who in (first, second) if who not in note.marked)
    comparison = compare_finished_work(settings, note)
    if comparison is None:
        return
    marks = [note.marked[who] for who in (first, second)]
    state.tally.add(note.text, marks[0].spans, marks[1].spans, note.patient_id or note.note_id, engine)
    state.preannotated_by.update(mark.preannotated_by for mark in marks if mark.preannotated_by)
    state.disputes.update(str(conflict.kind) for conflict in comparison.conflicts)
    if comparison.conflicts and settings.annotation.adjudicator not in note.marked:
        state.undecided.append(note.note_id)
        if not marks[0].handed_over:
            state.disputed.append(note.note_id)


def compare_finished_work(settings: InstitutionSettings, note: DrawnNote) -> Comparison | None:
    """The two annotators' work, or ``None`` while one of them has not finished."""
    first, second = (note.marked.get(who) for who in settings.annotation.annotators)
    return compare_annotators(first.spans, second.spans) if first and second else None


def sample_report(settings: InstitutionSettings, sample: DrawnSample, state: SampleProgress) -> dict[str, Any]:
    """Figures of one sample that may stand in Airflow's database."""
    table = state.tally.table()
    folder = person_dir(settings, sample.version, settings.annotation.adjudicator).parent
    waiting = [f"{who}: {notes} of {state.notes} notes" for who, notes in sorted(state.unfinished.items())]
    if state.undecided:
        waiting.append(f"{settings.annotation.adjudicator}: {len(state.undecided)} notes with conflicts")
    return {
        "sample_version": sample.version,
        "design": sample.design,
        "notes": state.notes,
        "annotated_by_both": state.tally.notes,
        "alike": state.tally.notes_alike,
        "words": table.words,
        "matrix": [table.both, table.first, table.second, table.neither],
        "positive_agreement": round(table.positive, 4) if state.tally.notes else None,
        "kappas": {
            kappa.name: {
                "value": round(kappa.value, 4),
                "lower": round(kappa.lower, 4),
                "upper": round(kappa.upper, 4),
                "words": kappa.table.words,
            }
            for kappa in state.tally.kappas()
            if state.tally.notes
        },
        "disputes": dict(state.disputes),
        "preannotated": bool(state.preannotated_by),
        "open": {**state.unfinished, settings.annotation.adjudicator: len(state.undecided)},
        "waiting_for": "; ".join(waiting) + (f"; folder {folder}" if waiting else ""),
    }
