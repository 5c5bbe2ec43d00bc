"""The files of the i2b2 challenges: one XML file for each note with standoff tags (2014), and one file of many records
with inline tags (2006).

Files are parsed with defusedxml, which refuses entity declarations: a file from elsewhere can neither expand without
bound nor read other files.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import quoteattr

from defusedxml import DefusedXmlException, ElementTree

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.files import make_folder
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.files import (
    annotation_files,
    file_stem,
    folder_of,
    note_id_of,
    read_text,
    write_text,
)
from deid_tasks.evidence.annotation.formats.marks import FileMark, is_marked, spans_of
from deid_tasks.evidence.annotation.formats.note import (
    AnnotatedNote,
    AnnotationFormat,
    ReadNote,
    ReadOnlyFormat,
    note_or_error,
)
from deid_tasks.evidence.annotation.formats.xml_text import (
    control_elements,
    controls_of,
    restore_control_characters,
    text_element,
    with_line_ends_of,
)
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, SCHEMES, OwnLabels, label_of
from deid_tasks.evidence.annotation.labels.schemes import I2B2_2014_TAGS

_SCHEME = SCHEMES["i2b2-2014"]
_TAG_OF = {label: tag for tag, labels in I2B2_2014_TAGS.items() for label in labels}
_OUR_ENTITY = "entity:"
"""The prefix of a tag's comment that names our entity, if the scheme's type is coarser."""
_RECORD = re.compile(r"(\d+)-\d+")
_TYPE_OF_TIMES = "DATE"
"""The type for times of day, which the guideline does not mark."""


class I2b2Of2014(AnnotationFormat):
    """The standoff format of the 2014 challenge."""

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield the note of each ``.xml`` file of a folder; the name ``220-03`` is the third note of patient 220."""
        for path in annotation_files(source, ".xml"):
            yield note_or_error(_note, path, labels, folder_of(path, source))

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write one file for each note; an entity that the scheme lacks is written as the nearest type and named in the
        comment.
        """
        folder = make_folder(target)
        count = 0
        for note in notes:
            write_text(folder / f"{file_stem(note.note_id)}.xml", _document(note, annotated=annotated))
            count += 1
        return count


class I2b2Of2006(ReadOnlyFormat):
    """The inline format of the 2006 challenge."""

    name = "i2b2-2006"
    suffix = ".xml"

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield the note of each ``RECORD`` of the file, or of the files of a folder."""
        for path in annotation_files(source, ".xml"):
            try:
                for _, element in ElementTree.iterparse(path):
                    if element.tag == "RECORD":
                        yield note_or_error(_record, element, path, labels)
                        element.clear()
            except (ParseError, LookupError, ValueError) as error:
                # A declared encoding that Python does not know is a LookupError.
                raise _invalid_xml(path, error) from None
            except OSError as error:
                raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _note(path: Path, labels: OwnLabels, folder: str) -> AnnotatedNote:
    content = read_text(path)
    root = _parse(content, path)
    element = root.find("TEXT")
    if element is None:
        raise InputError(f"{path}: has no TEXT")
    if len(element):
        # Only the text in front of them would be read.
        raise InputError(
            f"{path}: has elements inside TEXT: tags stand beside it, under TAGS; inline tags are i2b2-2006"
        )
    text = element.text or ""
    text = restore_control_characters(text, controls_of(root, len(text), str(path)))
    marks = list(_marks(root, path))
    # A parser reads every line end as a line feed; where the tags count the file's own line ends, these are the text's.
    exact = with_line_ends_of(text, content)
    if exact != text and not is_marked(marks, text) and is_marked(marks, exact):
        text = exact
    found = spans_of(marks, text, labels, SCHEMES["ours"], _SCHEME)
    note_id = note_id_of(path)
    record = _RECORD.fullmatch(note_id)
    return AnnotatedNote(
        note_id,
        text,
        found.spans,
        patient_id=record[1] if record else "",
        note_type=root.get("note_type", ""),
        annotator=root.get("annotator", ""),
        meta={"folder": folder},
        ignored=found.ignored,
    )


def _parse(content: str, path: Path) -> Element:
    try:
        root: Element = ElementTree.fromstring(content)
    except (ParseError, LookupError, ValueError) as error:
        raise _invalid_xml(path, error) from None
    return root


def _invalid_xml(path: Path, error: Exception) -> InputError:
    """The error without the parser's message, which may quote the file."""
    if isinstance(error, ParseError):
        return InputError(f"{path}: is not valid XML at line {error.position[0]}")
    if isinstance(error, DefusedXmlException):
        return InputError(f"{path}: declares XML entities, which are refused; remove the declarations")
    return InputError(f"{path}: is not valid XML")


def _marks(root: Element, path: Path) -> Iterator[FileMark]:
    for element in root.iterfind("TAGS/*"):
        location = f"{path}: tag {element.get('id', '?')}"
        try:
            start, end = int(element.get("start", "")), int(element.get("end", ""))
        except ValueError:
            raise InputError(f"{location} lacks start and end") from None
        comment = element.get("comment", "")
        label = element.get("TYPE") or element.tag
        if comment.startswith(_OUR_ENTITY):
            label = comment.removeprefix(_OUR_ENTITY)
        yield FileMark(((start, end),), label, location, element.get("text"))


def _document(note: AnnotatedNote, *, annotated: bool) -> str:
    about = {"note_type": note.note_type, "annotator": note.annotator if annotated else ""}
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in about.items() if value)
    tags = [_tag(number, note, span) for number, span in enumerate(note.spans)]
    lines = [
        '<?xml version="1.0" encoding="UTF-8" ?>',
        f"<deIdi2b2{attributes}>",
        f"<TEXT>{text_element(note.text)}</TEXT>",
        "<TAGS>",
        *tags,
        "</TAGS>",
        *control_elements(note.text),
        "</deIdi2b2>",
    ]
    return "\n".join(lines) + "\n"


def _tag(number: int, note: AnnotatedNote, span: Span) -> str:
    label = label_of(span.entity, _SCHEME) or _TYPE_OF_TIMES
    comment = "" if _SCHEME.entities[label] is span.entity else f"{_OUR_ENTITY}{span.entity}"
    marked_text = "".join(c if c.isprintable() else " " for c in note.text[span.start : span.end])
    return (
        f'<{_TAG_OF[label]} id="P{number}" start="{span.start}" end="{span.end}" text={quoteattr(marked_text)}'
        f' TYPE="{label}" comment="{comment}" />'
    )


def _record(record: Element, path: Path, labels: OwnLabels) -> AnnotatedNote:
    note_id = record.get("ID", "")
    element = record.find("TEXT")
    if not note_id or element is None:
        raise InputError(f"{path}: a RECORD lacks ID or TEXT")
    text, marks = element.text or "", []
    for child in element:
        marked = "".join(child.itertext())
        if marked:
            bounds = len(text), len(text) + len(marked)
            marks.append(FileMark((bounds,), child.get("TYPE", ""), f"{path}: record {note_id}"))
        text += marked + (child.tail or "")
    found = spans_of(marks, text, labels, SCHEMES["i2b2-2006"])
    return AnnotatedNote(note_id, text, found.spans, patient_id=note_id, ignored=found.ignored)


assert set(_TAG_OF) == set(_SCHEME.entities)
assert all(label is None or label in _TAG_OF for label in (label_of(entity, _SCHEME) for entity in Entity))
