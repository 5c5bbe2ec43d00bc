"""Label Studio's JSON: task lists to import, and the export of a finished project.

Some versions of the editor count offsets in UTF-16 code units, others in code points. Each span therefore carries the
text that it marks, by which the reader tells the unit.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats.files import read_text, write_lines
from deid_tasks.evidence.annotation.formats.marks import FileMark, spans_of
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, AnnotationFormat, ReadNote, note_or_error
from deid_tasks.evidence.annotation.labels import NO_OWN_LABELS, SCHEMES, OwnLabels

_COLORS = {
    Category.NAME: "#d62728",
    Category.PROFESSION: "#8c564b",
    Category.LOCATION: "#2ca02c",
    Category.ORGANIZATION: "#17becf",
    Category.AGE: "#bcbd22",
    Category.DATE: "#1f77b4",
    Category.CONTACT: "#9467bd",
    Category.ID: "#ff7f0e",
}
_FROM, _TO = "entity", "text"


class LabelStudio(AnnotationFormat):
    """Files of Label Studio's JSON."""

    suffix = ".json"

    def read_each(self, source: Path, labels: OwnLabels = NO_OWN_LABELS) -> Iterator[ReadNote]:
        """Yield the notes that have an annotation.

        If one person annotated a task several times, the newest annotation counts; a skipped task counts as unfinished.
        A task that two people annotated is an error: the work of each person needs an export of its own.
        """
        for location, task in _tasks(source):
            done = [a for a in _list(task, "annotations", location) if not a.get("was_cancelled")]
            if done:
                yield note_or_error(_finished_note, task, done, location, labels)

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """Yield every task, with the spans of its first prediction."""
        for location, task in _tasks(source):
            shown = _list(task, "predictions", location)
            yield _note(task, shown[0] if shown else {}, location, "", NO_OWN_LABELS)

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """Write a JSON array, one task on each line; proposals are predictions, finished work is annotations."""
        lines = (json.dumps(_task(note, annotated=annotated), ensure_ascii=False) for note in notes)
        return write_lines(task_array(lines), target) - 1


def labeling_config() -> str:
    """Return the project's labeling configuration, with a label for every entity."""
    labels = "\n".join(
        f"    <Label value={quoteattr(entity)} background={quoteattr(_COLORS[category_of(entity)])}/>"
        for entity in Entity
    )
    return (
        f'<View>\n  <Labels name="{_FROM}" toName="{_TO}">\n{labels}\n  </Labels>\n'
        f'  <Text name="{_TO}" value="$text" granularity="symbol"/>\n</View>\n'
    )


def task_array(lines: Iterable[str]) -> Iterator[str]:
    """Yield the text of a JSON array from the texts of its tasks, one task on each line."""
    before = "["
    for line in lines:
        yield f"{before}\n{line}"
        before = ","
    yield "\n]\n" if before == "," else "[]\n"


def _task(note: AnnotatedNote, *, annotated: bool) -> dict[str, Any]:
    data = {"text": note.text, "note_id": note.note_id, "note_type": note.note_type}
    result = [
        {
            "id": f"span{number}",
            "from_name": _FROM,
            "to_name": _TO,
            "type": "labels",
            "value": {
                "start": span.start,
                "end": span.end,
                "text": note.text[span.start : span.end],
                "labels": [str(span.entity)],
            },
        }
        for number, span in enumerate(note.spans)
    ]
    if annotated:
        return {"data": data, "annotations": [{"completed_by": {"email": note.annotator}, "result": result}]}
    if not result:
        return {"data": data}
    return {"data": data, "predictions": [{"model_version": "palimpsest", "result": result}]}


def _tasks(source: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        tasks = json.loads(read_text(source))
    except (ValueError, RecursionError):
        raise InputError(f"{source}: is not valid JSON") from None
    if not isinstance(tasks, list):
        raise InputError(f"{source}: is not a JSON array of tasks; export the project as JSON")
    for number, task in enumerate(tasks, start=1):
        location = f"{source}: task {number}"
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict) or not isinstance(data.get("text"), str) or not data.get("note_id"):
            raise InputError(f"{location}: lacks data.text and data.note_id")
        yield f"{source}: note {data['note_id']}", task


def _list(task: Mapping[str, Any], key: str, location: str) -> list[dict[str, Any]]:
    found = task.get(key) or []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise InputError(f"{location}: {key} is not a list of objects")
    return found


def _age(annotation: Mapping[str, Any]) -> tuple[str, int]:
    """Return what orders annotations of one task; a later one is greater."""
    number = annotation.get("id")
    written = str(annotation.get("updated_at") or annotation.get("created_at") or "")
    return written, number if isinstance(number, int) else 0


def _person(annotation: Mapping[str, Any]) -> str:
    who = annotation.get("completed_by") or ""
    return str(who.get("email") or who.get("id") or "") if isinstance(who, dict) else str(who)


def _finished_note(
    task: Mapping[str, Any], done: Sequence[Mapping[str, Any]], location: str, labels: OwnLabels
) -> AnnotatedNote:
    people = {_person(annotation) for annotation in done}
    if len(people) > 1:
        raise InputError(
            f"{location}: was annotated by {len(people)} people; export the work of each person separately"
        )
    return _note(task, max(done, key=_age), location, people.pop(), labels)


def _note(
    task: Mapping[str, Any], annotation: Mapping[str, Any], location: str, annotator: str, labels: OwnLabels
) -> AnnotatedNote:
    data = task["data"]
    text = data["text"]
    marks = chain.from_iterable(_marks(item, location) for item in _list(annotation, "result", location))
    found = spans_of(marks, text, labels, SCHEMES["ours"])
    return AnnotatedNote(
        str(data["note_id"]),
        text,
        found.spans,
        note_type=str(data.get("note_type") or ""),
        annotator=annotator,
        ignored=found.ignored,
    )


def _marks(item: Mapping[str, Any], location: str) -> Iterator[FileMark]:
    if item.get("type") != "labels":
        return
    value = item.get("value")
    try:
        start, end, names = int(value["start"]), int(value["end"]), list(value["labels"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{location}: a span lacks start, end or labels") from None
    if len(names) != 1:
        raise InputError(f"{location}: span {start}-{end} has {len(names)} labels instead of one")
    carried = value.get("text") if isinstance(value, dict) else None
    # The editor writes a line end as two characters.
    carried = carried.replace("\\n", "\n") if isinstance(carried, str) else None
    yield FileMark(((start, end),), str(names[0]), location, carried)
