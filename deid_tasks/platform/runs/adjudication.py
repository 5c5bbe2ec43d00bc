"""Two annotators' work to agreement, conflicts to a third person, and the settled notes to a gold set.

What these functions return is counts, figures, versions and paths.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.engine.engine import Context, Engine
from deid_tasks.engine.pipeline import detect
from deid_tasks.engine.text import Document
from deid_tasks.evidence.annotation import AgreementTally, Comparison, adjudicate_note, compare_annotators
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.platform.runs.annotation import person_dir, take_in, task_file
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.dictionaries import load_engine
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.annotations import (
    DrawnNote,
    DrawnSample,
    drawn_samples,
    hand_over,
    handed_over,
    read_drawn,
)
from deid_tasks.platform.warehouse.gold import SettledNote, freeze_gold_set
from deid_tasks.platform.workspace import whole_target
from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100
_SHOWN_PROBLEMS = 10


@dataclass
class _State:
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
        return bool(+self.unfinished or self.undecided)


def adjudicate(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = (), *, errors: bool = False
) -> list[dict[str, Any]]:
    """Take in the adjudicator's finished notes, compare the annotators, and hand new conflicts to the adjudicator.

    Conflicts are written once, each time as a new list ``tasks-0001``, ``tasks-0002`` and so on, of notes that both annotators
    have finished; from then on the annotators' work on these notes stands.

    Args:
        settings: The institution's.
        secrets: The institution's.
        sample_versions: Samples; none names the newest of each design.
        errors: Also run the engine over the notes, for the kappa of its errors alone.

    Raises:
        InputError: the adjudicator's file is damaged, or a finished note has spans that overlap; such notes stay open.
    """
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    engine = load_engine(settings, secrets) if errors else None
    return [_adjudicate(settings, secrets, sample, engine) for sample in samples]


def annotation_status(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """How far each sample is; changes nothing."""
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [_report(settings, sample, _survey(settings, secrets, sample)) for sample in samples]


def freeze(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Freeze the gold set of every sample on which nothing is open; the same work again is the same version, and a no-op.

    Returns:
        One report a sample, as ``annotation_status`` gives it; ``gold_version`` is empty where work is open, and ``waiting_for``
        then says whose.
    """
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [_freeze(settings, secrets, sample) for sample in samples]


def _adjudicate(
    settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, engine: Engine | None
) -> dict[str, Any]:
    adjudicator = settings.annotation.adjudicator
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        handed = frozenset(handed_over(connection, settings, sample.version))
    taken, problems = take_in(settings, secrets, sample, adjudicator, asked=handed)
    state = _survey(settings, secrets, sample, engine)
    tasks = _hand_over(settings, secrets, sample, state.disputed) if state.disputed else ""
    report = _report(settings, sample, state)
    # After everything else is done: what is wrong with one note holds no other up.
    if problems:
        shown = "; ".join(problems[:_SHOWN_PROBLEMS])
        raise InputError(f"{adjudicator} delivered {len(problems)} notes whose spans overlap; mend them: {shown}")
    return report | {"tasks": tasks, "handed_over": len(state.disputed), adjudicator: asdict(taken)}


def _freeze(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample) -> dict[str, Any]:
    state = _survey(settings, secrets, sample)
    report = _report(settings, sample, state)
    if state.is_open:
        return report | {"gold_version": ""}
    with (
        connect(secrets.text(settings.warehouse.connection)) as reader,
        connect(secrets.text(settings.warehouse.connection)) as connection,
    ):
        gold = freeze_gold_set(
            connection,
            settings,
            (_settled(settings, note) for note in read_drawn(reader, settings, sample.version)),
            design=sample.design,
            sample_version=sample.version,
            preannotated_by="+".join(sorted(state.preannotated_by)),
            kappa=state.tally.table().kappa,
        )
    return report | {"gold_version": gold.version}


def _survey(
    settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, engine: Engine | None = None
) -> _State:
    """Read all work on one sample once, as a stream."""
    state = _State()
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


def _look(settings: InstitutionSettings, note: DrawnNote, engine: tuple[Span, ...] | None, state: _State) -> None:
    first, second = settings.annotation.annotators
    state.notes += 1
    state.unfinished.update(who for who in (first, second) if who not in note.marked)
    comparison = _compared(settings, note)
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


def _compared(settings: InstitutionSettings, note: DrawnNote) -> Comparison | None:
    """The two annotators' work, or ``None`` while one of them has not finished."""
    first, second = (note.marked.get(who) for who in settings.annotation.annotators)
    return compare_annotators(first.spans, second.spans) if first and second else None


def _hand_over(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, note_ids: Sequence[str]) -> str:
    """Write the adjudicator's next task list, then write down that it is written: killed between, it is written again."""
    wanted = frozenset(note_ids)
    folder = person_dir(settings, sample.version, settings.annotation.adjudicator)
    with (
        connect(secrets.text(settings.warehouse.connection)) as reader,
        connect(secrets.text(settings.warehouse.connection)) as connection,
    ):
        lists = set(handed_over(connection, settings, sample.version).values())
        name = f"tasks-{1 + max((int(name.rpartition('-')[2]) for name in lists), default=0):04d}"
        target = task_file(settings, folder, name)

        def tasks() -> Iterator[AnnotatedNote]:
            for note in read_drawn(reader, settings, sample.version):
                comparison = _compared(settings, note) if note.note_id in wanted else None
                if comparison:
                    yield AnnotatedNote(
                        note.note_id,
                        note.text,
                        comparison.proposals(),
                        note_type=note.note_type,
                        meta={"conflicts": " ".join(f"{c.start}-{c.end}" for c in comparison.conflicts)},
                    )

        with whole_target(target) as partial:
            FORMATS[settings.annotation.format].write(tasks(), partial, annotated=False)
        hand_over(connection, settings, sample.version, note_ids, name)
    return str(target)


def _settled(settings: InstitutionSettings, note: DrawnNote) -> SettledNote:
    comparison = _compared(settings, note)
    if comparison is None:
        raise InputError(f"note {note.note_id} is not finished by both annotators")
    answer = note.marked.get(settings.annotation.adjudicator)
    try:
        settled = adjudicate_note(
            comparison,
            settings.annotation.annotators,
            answer.spans if answer else None,
            settings.annotation.adjudicator,
        )
    except InputError as error:
        raise InputError(f"note {note.note_id}: {error}") from None
    return SettledNote(
        note.note_id,
        note.patient_id,
        note.note_type,
        note.note_datetime,
        note.author_id,
        note.text,
        settled.spans,
        note.period,
        settled.decisions,
    )


def _report(settings: InstitutionSettings, sample: DrawnSample, state: _State) -> dict[str, Any]:
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
