"""Finished work of annotators and of the adjudicator from their folders ``done`` into the warehouse."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote, verify_text
from deid_tasks.platform.runs.annotation_files import checked_out_sample, person_dir, read_manifest
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import (
    DeliveryCounts,
    DrawnSample,
    drawn_samples,
    drawn_texts,
    store_annotations,
)
from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100


@logged_step
def import_annotations(
    settings: InstitutionSettings, secrets: Secrets, sample_versions: Sequence[str] = (), *, reopen: bool = False
) -> list[dict[str, Any]]:
    """Import what the two annotators have finished; a later delivery of a note replaces an earlier one.

    Args:
        settings: The institution.
        secrets: Its secrets.
        sample_versions: Samples; if empty, the newest of each design.
        reopen: Also import changes of notes that the adjudicator has. The adjudicator's answers on these notes are
            dropped.

    Returns:
        Of each sample: version, design, number of notes, and for each annotator how many notes were new, changed,
        unchanged and closed.

    Raises:
        InputError: a file is damaged, or holds a note that is not in the sample or whose text was changed. Nothing of
            that person's delivery is stored.
    """
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    reports = []
    for sample in samples:
        with checked_out_sample(settings, secrets, sample.version):
            stored = {
                person: asdict(import_delivery(settings, secrets, sample, person, reopen=reopen)[0])
                for person in settings.annotation.annotators
            }
        reports.append({"sample_version": sample.version, "design": sample.design, "notes": sample.notes, **stored})
    return reports


def import_delivery(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample: DrawnSample,
    person: str,
    *,
    asked: frozenset[str] | None = None,
    reopen: bool = False,
) -> tuple[DeliveryCounts, list[str]]:
    """Store the finished notes of one person's folder ``done``, which is checked out, in one transaction.

    Args:
        settings: The institution.
        secrets: Its secrets.
        sample: The sample that the person works on.
        person: The person's pseudonym.
        asked: Ids of the notes that this person decides. If given, other notes are ignored, and notes with overlapping
            spans are left out.
        reopen: Also import changes of notes that the adjudicator has.

    Returns:
        How many notes were stored, and one sentence for each note that was left out because its spans overlap.

    Raises:
        InputError: a file is damaged or a note does not belong to the sample; nothing is stored.
    """
    folder = person_dir(settings, sample.version, person)
    try:
        stored, problems = _store_folder(settings, secrets, sample, person, asked=asked, reopen=reopen)
    except InputError as error:
        raise InputError(
            f"{settings.institution}: {person}, {sample.design} sample {sample.version}: {error};"
            " nothing of this delivery was stored"
        ) from None
    if reopen and stored.changed:
        _set_aside(person_dir(settings, sample.version, settings.annotation.adjudicator) / "done")
    return stored, [f"{folder / 'done'}: {problem}" for problem in problems]


def _store_folder(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample: DrawnSample,
    person: str,
    *,
    asked: frozenset[str] | None,
    reopen: bool,
) -> tuple[DeliveryCounts, list[str]]:
    folder = person_dir(settings, sample.version, person)
    manifest = read_manifest(folder)
    stored, problems = DeliveryCounts(), []
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        for batch in batched(_finished_notes(settings, folder / "done"), _BATCH_NOTES):
            texts = drawn_texts(connection, settings, sample.version, [note.note_id for _, note in batch])
            marked = {note.note_id: _checked_spans(note, texts, source, sample) for source, note in batch}
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
    return stored, problems


def _finished_notes(settings: InstitutionSettings, done: Path) -> Iterator[tuple[Path, AnnotatedNote]]:
    """Yield each finished note once, as it was delivered last, with its file.

    The files are read twice, so that not all notes are in memory at once.

    Raises:
        InputError: one file holds a note that two people marked.
    """
    read = FORMATS[settings.annotation.format].read
    sources = _sources(settings, done)
    last: dict[str, tuple[Path, int]] = {}
    for source in sources:
        annotators: dict[str, str] = {}
        for number, note in enumerate(read(source)):
            if annotators.setdefault(note.note_id, note.annotator) != note.annotator:
                raise InputError(
                    f"{source}: note {note.note_id} was marked by two people;"
                    " export each person's work by itself, into the person's own folder"
                )
            last[note.note_id] = source, number
    for source in sources:
        for number, note in enumerate(read(source)):
            if last.get(note.note_id) == (source, number):
                yield source, note


def _sources(settings: InstitutionSettings, done: Path) -> list[Path]:
    """Return the files in ``done`` by name, or ``done`` itself where the format has a file for each note."""
    visible = sorted(path for path in done.iterdir() if not path.name.startswith("."))
    if FORMATS[settings.annotation.format].suffix:
        return [path for path in visible if path.is_file()]
    return [done] if visible else []


def _checked_spans(note: AnnotatedNote, texts: dict[str, str], source: Path, sample: DrawnSample) -> tuple[Span, ...]:
    """Return the note's spans; raise ``InputError`` where the note, its text or a span does not fit the sample."""
    if note.note_id not in texts:
        raise InputError(f"{source}: note {note.note_id} is not in sample {sample.version}: remove it from the file")
    verify_text(note, texts[note.note_id], str(source))
    for span in note.spans:
        if not 0 <= span.start < span.end <= len(note.text):
            raise InputError(
                f"{source}: note {note.note_id}: span {span.start}-{span.end} lies outside the text of"
                f" {len(note.text)} characters: correct or remove it"
            )
    return note.spans


def _overlap(spans: Sequence[Span]) -> str:
    """Return a sentence about the first two spans that overlap; empty where none do."""
    for before, after in pairwise(sorted({(span.start, span.end, span.entity) for span in spans})):
        if after[0] < before[1]:
            return f"spans {before[0]}-{before[1]} and {after[0]}-{after[1]} overlap"
    return ""


def _set_aside(done: Path) -> None:
    """Move the adjudicator's delivery to another folder, because it answers notes as they were before reopening."""
    if not any(done.iterdir()):
        return
    number = 1
    while (aside := done.with_name(f"done-before-reopening-{number}")).exists():
        number += 1
    done.replace(aside)
    done.mkdir(mode=0o700)
