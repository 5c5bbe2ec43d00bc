"""Agreement of the two annotators, and their conflicts to the adjudicator and back."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import atomic_path
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.engine.parts import EngineParts
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.platform.runs.annotation_files import checked_out_sample, person_dir, sample_location, task_file
from deid_tasks.platform.runs.annotation_import import import_delivery
from deid_tasks.platform.runs.annotation_progress import compare_finished_work, sample_report, survey_sample
from deid_tasks.platform.runs.handed_texts import record_task_list
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import DrawnSample, drawn_samples, hand_over, handed_over, read_drawn
from deid_tasks.settings import InstitutionSettings, Secrets

_SHOWN_PROBLEMS = 10


@logged_step
def adjudicate_samples(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample_versions: Sequence[str] = (),
    exported_by: Identity = PLATFORM,
    *,
    errors: bool = False,
) -> list[dict[str, Any]]:
    """Import the adjudicator's finished notes, compare the annotators, and hand new conflicts to the adjudicator.

    Each note with conflicts that both annotators have finished is handed over once, in a task list ``tasks-0001``,
    ``tasks-0002`` and so on. From then on the annotators' work on the note is closed. The audit log says before it who
    gets the text of how many notes.

    Args:
        settings: The institution.
        secrets: Its secrets.
        sample_versions: Samples; if empty, the newest of each design.
        exported_by: Who asked for it.
        errors: Also run the engine over the notes, so that agreement is measured on its errors alone.

    Returns:
        Of each sample: the report that ``annotation_status`` gives, the new task list (empty where there is none), how
        many notes it holds, and what became of the adjudicator's delivery.

    Raises:
        InputError: the adjudicator's file is damaged, or finished notes have overlapping spans; these notes stay open.
    """
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    engine = load_engine(settings, secrets) if errors else None
    reports = []
    for sample in samples:
        with checked_out_sample(settings, secrets, sample.version):
            reports.append(_adjudicate(settings, secrets, sample, engine, exported_by))
    return reports


def _adjudicate(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample: DrawnSample,
    engine: EngineParts | None,
    exported_by: Identity,
) -> dict[str, Any]:
    adjudicator = settings.annotation.adjudicator
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        handed = frozenset(handed_over(connection, settings, sample.version))
    stored, problems = import_delivery(settings, secrets, sample, adjudicator, asked=handed)
    progress = survey_sample(settings, secrets, sample, engine)
    tasks = ""
    if progress.to_hand_over:
        record_task_list(settings, secrets, sample, [adjudicator], len(progress.to_hand_over), exported_by)
        tasks = _hand_over(settings, secrets, sample, progress.to_hand_over)
    report = sample_report(settings, sample, progress)
    # Raised last, so that an error in one note does not delay the others.
    if problems:
        more = len(problems) - _SHOWN_PROBLEMS
        shown = "; ".join(problems[:_SHOWN_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
        raise InputError(
            f"{settings.institution}: {adjudicator}, {sample.design} sample {sample.version}: {len(problems)} notes"
            f" have overlapping spans; keep one span of each pair and deliver these notes again: {shown}"
        )
    return report | {"tasks": tasks, "handed_over": len(progress.to_hand_over), adjudicator: asdict(stored)}


def _hand_over(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, note_ids: Sequence[str]) -> str:
    """Write the adjudicator's next task list and return its path.

    That it is written is recorded after it: where the process ends in between, the same list is written again.
    """
    wanted = frozenset(note_ids)
    folder = person_dir(settings, sample.version, settings.annotation.adjudicator)
    with (
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as reader,
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection,
    ):
        lists = set(handed_over(connection, settings, sample.version).values())
        name = f"tasks-{1 + max((int(name.rpartition('-')[2]) for name in lists), default=0):04d}"
        target = task_file(settings, folder, name)

        def tasks() -> Iterator[AnnotatedNote]:
            for note in read_drawn(reader, settings, sample.version):
                comparison = compare_finished_work(settings, note) if note.note_id in wanted else None
                if comparison:
                    yield AnnotatedNote(
                        note.note_id,
                        note.text,
                        comparison.proposals(),
                        note_type=note.note_type,
                        meta={"conflicts": " ".join(f"{c.start}-{c.end}" for c in comparison.conflicts)},
                    )

        with atomic_path(target) as partial:
            FORMATS[settings.annotation.format].write(tasks(), partial, annotated=False)
        hand_over(connection, settings, sample.version, note_ids, name)
    return f"{sample_location(settings, sample.version)}/{folder.name}/{target.name}"
