"""Drawn notes to the two annotators' task lists."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import atomic_path
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.core.span import Span
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.platform.runs.annotation_files import (
    TaskManifest,
    checked_out_sample,
    person_dir,
    read_manifest,
    sample_location,
    task_file,
    write_manifest,
)
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.handed_texts import record_task_list
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.annotations import (
    DrawnSample,
    count_finished,
    drawn_samples,
    read_drawn,
)
from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100


@logged_step
def export_tasks(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample_versions: Sequence[str] = (),
    exported_by: Identity = PLATFORM,
) -> list[dict[str, Any]]:
    """Write the two annotators' task lists of these samples, or of the newest sample of each design.

    The audit log says before it who gets the text of how many notes.

    A list that exists stays as it is, because people may be working on it. Both lists hold the same notes in the same
    order, with the engine's spans where ``annotation.preannotate`` is set.

    Returns:
        Of each sample: version, design, number of notes, fingerprint of the engine that pre-annotated, and paths of the
        lists.

    Raises:
        InputError: a sample does not exist, or annotators have finished notes of a list that other settings wrote.
    """
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    made = []
    for sample in samples:
        with checked_out_sample(settings, secrets, sample.version):
            made.append(_export(settings, secrets, sample, exported_by))
    return made


def _export(
    settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, exported_by: Identity
) -> dict[str, Any]:
    wanted = settings.annotation.format, settings.annotation.preannotate
    folders = [person_dir(settings, sample.version, person) for person in settings.annotation.annotators]
    written = []
    for folder in folders:
        manifest = read_manifest(folder)
        if manifest and (manifest.format, bool(manifest.preannotated_by)) != wanted:
            _drop_list(settings, secrets, sample, folder)
        elif manifest and task_file(settings, folder, "tasks").exists():
            written.append(folder)
    if missing := [folder.name for folder in folders if folder not in written]:
        record_task_list(settings, secrets, sample, missing, sample.notes, exported_by)
    if not written:
        _write_list(settings, secrets, sample, folders[0])
        written.append(folders[0])
    for folder in folders:
        if folder not in written:
            _copy_list(settings, written[0], folder)
    manifest = read_manifest(folders[0])
    return {
        "sample_version": sample.version,
        "design": sample.design,
        "notes": sample.notes,
        "preannotated_by": manifest.preannotated_by if manifest else "",
        "tasks": [
            f"{sample_location(settings, sample.version)}/{folder.name}/{task_file(settings, folder, 'tasks').name}"
            for folder in folders
        ],
    }


def _write_list(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, folder: Path) -> None:
    engine = load_engine(settings, secrets) if settings.annotation.preannotate else None
    # The manifest is written first: without it, finished work on a pre-annotated list would count as unassisted.
    write_manifest(folder, TaskManifest(settings.annotation.format, engine.fingerprint if engine else "", sample.notes))
    with (
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as reader,
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection,
        atomic_path(task_file(settings, folder, "tasks")) as partial,
    ):

        def tasks() -> Iterator[AnnotatedNote]:
            for notes in batched(read_drawn(reader, settings, sample.version), _BATCH_NOTES):
                found: Sequence[tuple[Span, ...]] = [()] * len(notes)
                if engine:
                    patients = read_patients(connection, settings, (n.patient_id for n in notes if n.patient_id))
                    documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
                    found = [
                        detection.spans for detection in find_identifiers(documents, BatchContext(engine, patients))
                    ]
                for note, spans in zip(notes, found, strict=True):
                    yield AnnotatedNote(note.note_id, note.text, spans, note_type=note.note_type)

        FORMATS[settings.annotation.format].write(tasks(), partial, annotated=False)


def _copy_list(settings: InstitutionSettings, source: Path, folder: Path) -> None:
    if manifest := read_manifest(source):
        write_manifest(folder, manifest)
    tasks = task_file(settings, source, "tasks")
    with atomic_path(task_file(settings, folder, "tasks")) as partial:
        if tasks.is_dir():
            shutil.copytree(tasks, partial)
        else:
            shutil.copyfile(tasks, partial)


def _drop_list(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, folder: Path) -> None:
    """Delete a task list that other settings wrote, unless the person has finished notes of it."""
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        stored = count_finished(connection, settings, sample.version, folder.name)
    if stored or any((folder / "done").iterdir()):
        raise InputError(
            f"{settings.institution}: {folder.name} has finished notes of a task list of sample {sample.version} that"
            " was written with other annotation settings; restore annotation.format and annotation.preannotate,"
            " or draw a new sample"
        )
    for path in folder.glob("tasks*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
