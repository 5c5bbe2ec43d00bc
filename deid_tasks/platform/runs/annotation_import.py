"""Finished work of annotators into the warehouse."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote, verify_text
from deid_tasks.platform.runs.annotation_files import person_dir, read_manifest
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import (
    DrawnSample,
    Stored,
    drawn_samples,
    drawn_texts,
    store_annotations,
)
from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100


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
    manifest = read_manifest(folder)
    stored, problems = Stored(), []
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        for batch in batched(_finished_notes(settings, folder / "done"), _BATCH_NOTES):
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


def _finished_notes(settings: InstitutionSettings, done: Path) -> Iterator[tuple[Path, AnnotatedNote]]:
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
