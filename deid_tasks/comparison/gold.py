"""Gold notes for a comparison, and what each gold set annotates."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.evidence.annotation.formats.jsonl import json_lines, parse_spans

_DESCRIPTIONS = frozenset({".yaml", ".yml"})
_CLOCK_TIME = re.compile(
    r"(?<![\d:/.-])(?:[01]?\d|2[0-3])(?::[0-5]\d){1,2}(?:\s?[ap]\.?m\b\.?)?(?![\d:])"
    r"|(?<![\d:/.-])(?:1[0-2]|0?[1-9])\s?[ap]\.?m\b\.?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ComparedNote:
    """One note with what should be found in it."""

    note_id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...]
    group: str = field(repr=False)
    """The unit that the bootstrap resamples: the patient, or the note."""
    ignored: tuple[Span, ...] = ()
    """Text that counts on neither side."""
    note_type: str = ""


@dataclass(frozen=True, slots=True)
class ComparedSet:
    """Gold notes, and what their annotation covers."""

    name: str
    notes: Sequence[ComparedNote]
    categories: frozenset[Category] = frozenset(Category)
    """The categories that were annotated. A span of another category is neither correct nor wrong."""
    without: frozenset[Entity] = frozenset()
    """Entities of those categories that were not annotated all the same."""

    @property
    def words(self) -> int:
        """The number of words between blanks."""
        return sum(len(note.text.split()) for note in self.notes)


class GoldSetDescription(BaseModel):
    """A file that says where gold notes are and what they annotate."""

    model_config = ConfigDict(extra="forbid")

    path: Path
    """The notes, relative to the description."""
    format: str = "jsonl"
    name: str = ""
    categories: frozenset[Category] = frozenset(Category)
    without: frozenset[Entity] = frozenset()
    ignored_labels: frozenset[str] = frozenset()
    """Labels of JSONL spans that count on neither side."""
    group_by: str = ""
    """A key of JSONL lines whose value the bootstrap resamples, in place of ``patient_id``."""


def read_compared_set(path: Path, form: str = "jsonl", limit: int | None = None) -> ComparedSet:
    """Return the gold set of a file or a folder, or the one that a YAML file describes.

    Args:
        path: Notes in a format of annotation, or a ``GoldSetDescription`` in YAML.
        form: The format of notes that are given directly.
        limit: Read this many notes at most.

    Raises:
        InputError: It cannot be read, or holds no notes.
    """
    about = _description(path) if path.suffix in _DESCRIPTIONS else GoldSetDescription(path=path, format=form)
    if about.format not in FORMATS:
        raise InputError(f"{path}: the format is one of {', '.join(FORMATS)}, not {about.format!r}")
    notes: list[ComparedNote] = []
    for note in _jsonl_notes(about) if about.format == "jsonl" else _other_notes(about):
        if limit is not None and len(notes) >= limit:
            break
        notes.append(narrowed(note, about.categories, about.without))
    if not notes:
        raise InputError(f"{about.path}: holds no notes")
    return ComparedSet(about.name or about.path.stem, notes, about.categories, about.without)


def narrowed(note: ComparedNote, categories: frozenset[Category], without: frozenset[Entity]) -> ComparedNote:
    """Return the note with the gold spans ignored that the set's annotation does not cover.

    Where times of day are not annotated, their text is ignored too: a system may call them dates.
    """
    spans = tuple(span for span in note.spans if span.category in categories and span.entity not in without)
    ignored = [*note.ignored, *(span for span in note.spans if span not in spans)]
    if Entity.TIME in without:
        ignored += [Span(*match.span(), Entity.TIME) for match in _CLOCK_TIME.finditer(note.text)]
    # What the gold marks is never ignored.
    return replace(note, spans=spans, ignored=tuple(cut_out(sorted(ignored), spans)))


def cut_out(spans: Sequence[Span], holes: Sequence[Span]) -> list[Span]:
    """Return what remains of spans outside of other spans."""
    remaining = list(spans)
    for hole in holes:
        following = []
        for span in remaining:
            if not span.overlaps(hole):
                following.append(span)
                continue
            for start, end in ((span.start, hole.start), (hole.end, span.end)):
                if start < end:
                    following.append(Span(start, end, span.entity, span.detector, span.score))
        remaining = following
    return remaining


def _description(path: Path) -> GoldSetDescription:
    try:
        about = GoldSetDescription.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"{path}: is not valid YAML") from None
    return about.model_copy(update={"path": path.parent / about.path})


def _jsonl_notes(about: GoldSetDescription) -> Iterator[ComparedNote]:
    for number, record in json_lines(about.path):
        text = record.get("text")
        if not isinstance(text, str) or not isinstance(record.get("id"), str | int):
            raise InputError(f"{about.path}:{number}: needs a string 'text' and an 'id'")
        try:
            ignored = parse_spans(_part(record, about.ignored_labels, is_ignored=True), len(text))
            spans = parse_spans(_part(record, about.ignored_labels, is_ignored=False), len(text))
        except ValueError as error:
            raise InputError(f"{about.path}:{number}: {error}") from None
        note_id = str(record["id"])
        group = str(record.get(about.group_by or "patient_id") or note_id)
        yield ComparedNote(note_id, text, tuple(spans), group, tuple(ignored), str(record.get("note_type") or ""))


def _part(record: dict[str, Any], ignored_labels: frozenset[str], *, is_ignored: bool) -> dict[str, Any]:
    """Return the record with the ignored spans alone, or with the others alone."""
    spans = []
    for item in record.get("spans") or ():
        label = str(item.get("entity") or item.get("label")) if isinstance(item, dict) else ""
        if (label in ignored_labels) == is_ignored:
            # An ignored label need not be one of ours.
            spans.append({**item, "entity": "OTHER_ID"} if is_ignored else item)
    return {"spans": spans}


def _other_notes(about: GoldSetDescription) -> Iterator[ComparedNote]:
    for note in FORMATS[about.format].read(about.path):
        yield ComparedNote(note.note_id, note.text, note.spans, note.patient_id or note.note_id, (), note.note_type)
