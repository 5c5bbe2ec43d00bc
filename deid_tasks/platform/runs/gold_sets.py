"""Annotated and adjudicated notes to frozen gold sets."""

from collections.abc import Sequence
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation import adjudicate_note
from deid_tasks.platform.runs.annotation_progress import compare_finished_work, sample_report, survey_sample
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import DrawnNote, DrawnSample, drawn_samples, read_drawn
from deid_tasks.platform.warehouse.gold import NewGoldNote, freeze_gold_set
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def freeze_gold_sets(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Freeze the gold set of every sample without open work; the same work gives the same version and changes nothing.

    Args:
        settings: The institution.
        secrets: Its secrets.
        sample_versions: Samples; if empty, the newest of each design.

    Returns:
        Of each sample: the report that ``annotation_status`` gives, and ``gold_version``. Where work is open, the
        version is empty and ``waiting_for`` names the people and their open notes.
    """
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [_freeze(settings, secrets, sample) for sample in samples]


def _freeze(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample) -> dict[str, Any]:
    progress = survey_sample(settings, secrets, sample)
    report = sample_report(settings, sample, progress)
    if progress.is_open:
        return report | {"gold_version": ""}
    with (
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as reader,
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection,
    ):
        gold = freeze_gold_set(
            connection,
            settings,
            (_adjudicated_note(settings, note) for note in read_drawn(reader, settings, sample.version)),
            design=sample.design,
            sample_version=sample.version,
            preannotated_by="+".join(sorted(progress.preannotated_by)),
            kappa=progress.tally.table().kappa,
        )
    return report | {"gold_version": gold.version}


def _adjudicated_note(settings: InstitutionSettings, note: DrawnNote) -> NewGoldNote:
    """Return the note with its final spans and the decision behind each.

    Raises:
        InputError: an annotator has not finished the note, or the adjudicator's spans overlap.
    """
    comparison = compare_finished_work(settings, note)
    if comparison is None:
        raise InputError(f"note {note.note_id} is not finished by both annotators")
    answer = note.marked.get(settings.annotation.adjudicator)
    try:
        adjudicated = adjudicate_note(
            comparison,
            settings.annotation.annotators,
            answer.spans if answer else None,
            settings.annotation.adjudicator,
        )
    except InputError as error:
        raise InputError(f"note {note.note_id}: {error}") from None
    return NewGoldNote(
        note.note_id,
        note.patient_id,
        note.note_type,
        note.note_datetime,
        note.author_id,
        note.text,
        adjudicated.spans,
        note.period,
        adjudicated.decisions,
    )
