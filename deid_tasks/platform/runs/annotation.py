"""Drawn notes out to annotators, and their finished work back in.

Under ``<work_dir>/annotation/<sample version>/<pseudonym>`` lie one person's task list and the folder ``done`` for what that
person finished. What these functions return is counts, versions and paths.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.engine.engine import Context
from deid_tasks.engine.pipeline import detect
from deid_tasks.engine.text import Document
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote, verify_text
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.dictionaries import load_engine
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.annotations import (
    DrawnSample,
    Stored,
    delivered,
    drawn_samples,
    drawn_texts,
    read_drawn,
    store_annotations,
)
from deid_tasks.platform.workspace import whole_file, whole_target, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What one person's task list was written as; it lies beside the list."""

    format: str
    preannotated_by: str
    notes: int


def export_tasks(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Write the two annotators' task lists of these samples, or of the newest of each design.

    A list that is there already stays as it is: people may be at work on it. Both lists hold the same notes in the same order,
    with the engine's findings where the settings say so.

    Raises:
        InputError: there is no such sample, or the settings now ask for another kind of list than one that work has come back on.
    """
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [_export(settings, secrets, sample) for sample in samples]


def import_annotations(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = (), *, reopen: bool = False
) -> list[dict[str, Any]]:
    """Read what the two annotators have finished so far; a later delivery of a note replaces the earlier one.

    Args:
        settings: The institution's.
        secrets: The institution's.
        sample_versions: Samples; none names the newest of each design.
        reopen: Also take changes of notes that are with the adjudicator already; the adjudicator's answers on those are dropped.

    Raises:
        InputError: a file is damaged, or holds a note that the sample lacks or whose text is another; nothing of that person's
            delivery is stored.
    """
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [
        {
            "sample_version": sample.version,
            "design": sample.design,
            "notes": sample.notes,
            **{
                who: asdict(take_in(settings, secrets, sample, who, reopen=reopen)[0])
                for who in settings.annotation.annotators
            },
        }
        for sample in samples
    ]


def person_dir(settings: InstitutionSettings, sample_version: str, person: str) -> Path:
    """One person's folder for one sample, with its folder ``done``."""
    folder = work_dir(settings)
    # One by one: the mode is only that of the last folder made.
    for name in ("annotation", sample_version, person):
        folder /= name
        folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "done").mkdir(mode=0o700, exist_ok=True)
    return folder


def task_file(settings: InstitutionSettings, folder: Path, name: str) -> Path:
    """Where a task list of the institution's format lies: a file, or a folder where the format is one of many files."""
    return folder / f"{name}{FORMATS[settings.annotation.format].suffix}"


def take_in(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample: DrawnSample,
    person: str,
    *,
    asked: frozenset[str] | None = None,
    reopen: bool = False,
) -> tuple[Stored, list[str]]:
    """Store what lies in one person's folder ``done``, in one transaction.

    Args:
        settings: The institution's.
        secrets: The institution's.
        sample: The sample worked on.
        person: Pseudonym.
        asked: Where given, the notes that this person decides: others are passed over, and spans must not overlap.
        reopen: Take changes of notes that are with the adjudicator.

    Returns:
        What became of the notes, and a sentence for each that was left out because its spans overlap.
    """
    folder = person_dir(settings, sample.version, person)
    manifest = _read_manifest(folder)
    stored, problems = Stored(), []
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        for batch in batched(_delivered(settings, folder / "done"), _BATCH_NOTES):
            texts = drawn_texts(connection, settings, sample.version, [note.note_id for _, note in batch])
            marked = {note.note_id: _checked(note, texts, source, sample) for source, note in batch}
            if asked is not None:
                marked = {note_id: spans for note_id, spans in marked.items() if note_id in asked}
                overlapping = {note_id: pair for note_id, spans in marked.items() if (pair := _overlap(spans))}
                problems += [f"note {note_id}: {pair}" for note_id, pair in overlapping.items()]
                marked = {note_id: spans for note_id, spans in marked.items() if note_id not in overlapping}
            stored += store_annotations(
                connection,
                settings,
                sample.version,
                person,
                marked,
                tool=settings.annotation.format,
                preannotated_by=manifest.preannotated_by if manifest else "",
                reopen=reopen,
            )
    if reopen and stored.changed:
        _set_aside(person_dir(settings, sample.version, settings.annotation.adjudicator) / "done")
    return stored, problems


def _export(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample) -> dict[str, Any]:
    wanted = settings.annotation.format, settings.annotation.preannotate
    folders = [person_dir(settings, sample.version, person) for person in settings.annotation.annotators]
    written = []
    for folder in folders:
        manifest = _read_manifest(folder)
        if manifest and (manifest.format, bool(manifest.preannotated_by)) != wanted:
            _drop_list(settings, secrets, sample, folder)
        elif manifest and task_file(settings, folder, "tasks").exists():
            written.append(folder)
    if not written:
        _write_list(settings, secrets, sample, folders[0])
        written.append(folders[0])
    for folder in folders:
        if folder not in written:
            _copy_list(settings, written[0], folder)
    manifest = _read_manifest(folders[0])
    return {
        "sample_version": sample.version,
        "design": sample.design,
        "notes": sample.notes,
        "preannotated_by": manifest.preannotated_by if manifest else "",
        "tasks": [str(task_file(settings, folder, "tasks")) for folder in folders],
    }


def _write_list(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, folder: Path) -> None:
    engine = load_engine(settings, secrets) if settings.annotation.preannotate else None
    # The manifest first: a list without one would come back as work that nothing had been shown for.
    _write_manifest(folder, _Manifest(settings.annotation.format, engine.fingerprint if engine else "", sample.notes))
    with (
        connect(secrets.text(settings.warehouse.connection)) as reader,
        connect(secrets.text(settings.warehouse.connection)) as connection,
        whole_target(task_file(settings, folder, "tasks")) as partial,
    ):

        def tasks() -> Iterator[AnnotatedNote]:
            for notes in batched(read_drawn(reader, settings, sample.version), _BATCH_NOTES):
                found: Sequence[tuple[Span, ...]] = [()] * len(notes)
                if engine:
                    patients = read_patients(connection, settings, (n.patient_id for n in notes if n.patient_id))
                    documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
                    found = [detection.spans for detection in detect(documents, Context(engine, patients))]
                for note, spans in zip(notes, found, strict=True):
                    yield AnnotatedNote(note.note_id, note.text, spans, note_type=note.note_type)

        FORMATS[settings.annotation.format].write(tasks(), partial, annotated=False)


def _copy_list(settings: InstitutionSettings, source: Path, folder: Path) -> None:
    if manifest := _read_manifest(source):
        _write_manifest(folder, manifest)
    tasks = task_file(settings, source, "tasks")
    with whole_target(task_file(settings, folder, "tasks")) as partial:
        if tasks.is_dir():
            shutil.copytree(tasks, partial)
        else:
            shutil.copyfile(tasks, partial)


def _drop_list(settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, folder: Path) -> None:
    """Take an earlier task list of another kind away, if no work on it has come back."""
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        stored = delivered(connection, settings, sample.version, folder.name)
    if stored or any((folder / "done").iterdir()):
        raise InputError(
            f"{settings.institution}: {folder.name} has finished notes of a task list that was written under other"
            " annotation settings; set annotation.format and annotation.preannotate back, or draw a new sample"
        )
    for path in folder.glob("tasks*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _delivered(settings: InstitutionSettings, done: Path) -> Iterator[tuple[Path, AnnotatedNote]]:
    """Every finished note once, as it was delivered last, with its file. The files are read twice rather than held.

    Raises:
        InputError: one file holds a note as two people marked it.
    """
    read = FORMATS[settings.annotation.format].read
    sources = _sources(settings, done)
    last: dict[str, tuple[Path, int]] = {}
    for source in sources:
        annotators: dict[str, str] = {}
        for number, note in enumerate(read(source)):
            if annotators.setdefault(note.note_id, note.annotator) != note.annotator:
                raise InputError(f"{source}: note {note.note_id} was marked by two people; each person has a folder")
            last[note.note_id] = source, number
    for source in sources:
        for number, note in enumerate(read(source)):
            if last.get(note.note_id) == (source, number):
                yield source, note


def _sources(settings: InstitutionSettings, done: Path) -> list[Path]:
    """What lies in ``done``, in order of name: files, or where the format is one of many files, all of the folder as one."""
    visible = sorted(path for path in done.iterdir() if not path.name.startswith("."))
    if FORMATS[settings.annotation.format].suffix:
        return [path for path in visible if path.is_file()]
    return [done] if visible else []


def _checked(note: AnnotatedNote, texts: dict[str, str], source: Path, sample: DrawnSample) -> tuple[Span, ...]:
    if note.note_id not in texts:
        raise InputError(f"{source}: note {note.note_id} is not in sample {sample.version}")
    verify_text(note, texts[note.note_id], f"{source} (sample {sample.version})")
    for span in note.spans:
        if not 0 <= span.start < span.end <= len(note.text):
            raise InputError(f"{source}: note {note.note_id}: span {span.start}-{span.end} lies outside the text")
    return note.spans


def _overlap(spans: Sequence[Span]) -> str:
    """The first two different spans that overlap, in words; empty where none do."""
    for before, after in pairwise(sorted({(span.start, span.end, span.entity) for span in spans})):
        if after[0] < before[1]:
            return f"{before[0]}-{before[1]} and {after[0]}-{after[1]}"
    return ""


def _set_aside(done: Path) -> None:
    """Put what the adjudicator delivered out of the way: it answers notes as they were before they were reopened."""
    if not any(done.iterdir()):
        return
    number = 1
    while (aside := done.with_name(f"done-before-reopening-{number}")).exists():
        number += 1
    done.replace(aside)
    done.mkdir(mode=0o700)


def _read_manifest(folder: Path) -> _Manifest | None:
    try:
        return _Manifest(**json.loads((folder / "export.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (json.JSONDecodeError, TypeError):
        raise InputError(
            f"{folder / 'export.json'}: damaged; it says how the task list beside it was written"
        ) from None


def _write_manifest(folder: Path, manifest: _Manifest) -> None:
    with whole_file(folder / "export.json") as partial:
        partial.write_text(json.dumps(asdict(manifest)) + "\n", encoding="utf-8")
