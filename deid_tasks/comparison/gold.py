"""Gold notes for a comparison, and what each gold set annotates."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.evidence.annotation.labels import OwnLabels

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


_Note = TypeVar("_Note", ComparedNote, AnnotatedNote)


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
    labels: dict[str, Entity | None] = {}
    """Labels of the corpus's own, each as an entity, or ``null`` for text that is not an identifier."""
    ignored_labels: frozenset[str] = frozenset()
    """Labels that count on neither side."""
    group_by: str = ""
    """A key of JSONL lines whose value the bootstrap resamples, in place of ``patient_id``."""

    @property
    def own_labels(self) -> OwnLabels:
        """What the readers of formats need to know of the set's labels."""
        return OwnLabels(self.labels, self.ignored_labels)

    def group_of(self, note: AnnotatedNote) -> str:
        """Return what the bootstrap resamples: the value of ``group_by``, or the patient, or the note."""
        own = note.meta.get(self.group_by) if self.group_by else note.patient_id
        return own or note.note_id


def read_compared_set(path: Path, form: str = "jsonl", limit: int | None = None) -> ComparedSet:
    """Return the gold set of a file or a folder, or the one that a YAML file describes.

    Args:
        path: Notes in a format of annotation, or a ``GoldSetDescription`` in YAML.
        form: The format of notes that are given directly.
        limit: Read this many notes at most.

    Raises:
        InputError: It cannot be read, or holds no notes.
    """
    about = describe_gold_set(path, form)
    notes = []
    for note in islice(FORMATS[about.format].read(about.path, about.own_labels), limit):
        compared = ComparedNote(note.note_id, note.text, note.spans, about.group_of(note), note.ignored, note.note_type)
        notes.append(narrowed(compared, about.categories, about.without))
    if not notes:
        raise InputError(f"{about.path}: holds no notes")
    return ComparedSet(about.name or about.path.stem, notes, about.categories, about.without)


def describe_gold_set(path: Path, form: str = "jsonl") -> GoldSetDescription:
    """Return what a YAML file says of a gold set, or the description of notes that are given directly.

    Raises:
        InputError: The file cannot be read or is not valid, or there is no such format.
    """
    about = _description(path) if path.suffix in _DESCRIPTIONS else GoldSetDescription(path=path, format=form)
    if about.format not in FORMATS:
        raise InputError(f"{path}: the format is one of {', '.join(FORMATS)}, not {about.format!r}")
    return about


def narrowed(note: _Note, categories: frozenset[Category], without: frozenset[Entity]) -> _Note:
    """Return the note with the gold spans ignored that the set's annotation does not cover.

    Where times of day are not annotated, their text is ignored too: a system may call them dates.
    """
    spans: tuple[Span, ...] = tuple(
        span for span in note.spans if span.category in categories and span.entity not in without
    )
    counted: frozenset[Span] = frozenset(spans)
    ignored = [*note.ignored, *(span for span in note.spans if span not in counted)]
    if Entity.TIME in without:
        ignored += [Span(*match.span(), Entity.TIME) for match in _CLOCK_TIME.finditer(note.text)]
    # What the gold marks is never ignored.
    return replace(note, spans=spans, ignored=tuple(cut_out(sorted(ignored), spans)))


def covered(
    note: _Note, spans: Sequence[Span], categories: frozenset[Category], without: frozenset[Entity]
) -> list[Span]:
    """Return the predicted spans that count in a narrowed note: of what is annotated, without the text it ignores."""
    kept = [span for span in spans if span.category in categories and span.entity not in without]
    return cut_out(kept, note.ignored)


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
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: {where}: {first['msg']}" if where else f"{path}: is not a mapping of keys") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"{path}: is not valid YAML") from None
    return about.model_copy(update={"path": path.parent / about.path})
