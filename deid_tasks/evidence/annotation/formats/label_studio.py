"""Label Studio: task lists to import, finished projects as its JSON export.

Offsets: its editor counts UTF-16 code units in some versions and code points in others, so each span carries the text it marks, and
the reader takes the count under which all of a note's spans mark what they say.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats.document import AnnotatedNote, checked_span, read_text, write_lines
from deid_tasks.evidence.annotation.labels import SCHEMES, entity_of

_COLOURS = {
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


class LabelStudio:
    """Label Studio's JSON."""

    suffix = ".json"

    def read(self, source: Path) -> Iterator[AnnotatedNote]:
        """The notes that have an annotation; of several by one person the newest counts, and skipped ones count as unfinished.

        Raises ``InputError`` also where two people annotated one task: their work belongs into two exports.
        """
        for place, task in _tasks(source):
            done = [a for a in _list(task, "annotations", place) if not a.get("was_cancelled")]
            if not done:
                continue
            people = {_person(annotation) for annotation in done}
            if len(people) > 1:
                raise InputError(f"{place}: was annotated by {len(people)} people; export each person's work apart")
            newest = max(done, key=lambda a: (str(a.get("updated_at") or a.get("created_at") or ""), a.get("id") or 0))
            yield _note(task, newest, place, people.pop())

    def read_tasks(self, source: Path) -> Iterator[AnnotatedNote]:
        """Every task, with the spans of its first prediction."""
        for place, task in _tasks(source):
            shown = _list(task, "predictions", place)
            yield _note(task, shown[0] if shown else {}, place, "")

    def write(self, notes: Iterable[AnnotatedNote], target: Path, *, annotated: bool) -> int:
        """A JSON array, one task a line; proposals are predictions, finished work annotations."""
        lines = (json.dumps(_task(note, annotated=annotated), ensure_ascii=False) for note in notes)
        return write_lines(_array(lines), target) - 1


def labeling_config() -> str:
    """The project's labeling configuration, with a label for every entity."""
    labels = "\n".join(
        f"    <Label value={quoteattr(entity)} background={quoteattr(_COLOURS[category_of(entity)])}/>"
        for entity in Entity
    )
    return (
        f'<View>\n  <Labels name="{_FROM}" toName="{_TO}">\n{labels}\n  </Labels>\n'
        f'  <Text name="{_TO}" value="$text" granularity="symbol"/>\n</View>\n'
    )


def _array(lines: Iterable[str]) -> Iterator[str]:
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
    except (json.JSONDecodeError, RecursionError):
        raise InputError(f"{source}: is no valid JSON") from None
    if not isinstance(tasks, list):
        raise InputError(f"{source}: is no JSON array of tasks, as Label Studio exports it")
    for number, task in enumerate(tasks, start=1):
        place = f"{source}: task {number}"
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict) or not isinstance(data.get("text"), str) or not data.get("note_id"):
            raise InputError(f"{place}: lacks data.text and data.note_id")
        yield f"{source}: note {data['note_id']}", task


def _list(task: Mapping[str, Any], key: str, place: str) -> list[dict[str, Any]]:
    found = task.get(key) or []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise InputError(f"{place}: {key} is no list of objects")
    return found


def _person(annotation: Mapping[str, Any]) -> str:
    who = annotation.get("completed_by") or ""
    return str(who.get("email") or who.get("id") or "") if isinstance(who, dict) else str(who)


def _note(task: Mapping[str, Any], annotation: Mapping[str, Any], place: str, annotator: str) -> AnnotatedNote:
    data = task["data"]
    text = data["text"]
    marks = list(chain.from_iterable(_marks(item, place) for item in _list(annotation, "result", place)))
    for count in (_same, _code_points(text)):
        spans = [Span(count(start), count(end), entity) for start, end, entity, _ in marks]
        if all(_agrees(text[s.start : s.end], said) for s, (*_, said) in zip(spans, marks, strict=True)):
            break
    else:
        raise InputError(f"{place}: a span does not mark the text it says")
    return AnnotatedNote(
        str(data["note_id"]),
        text,
        tuple(sorted(checked_span(span, text, place) for span in spans)),
        note_type=str(data.get("note_type") or ""),
        annotator=annotator,
    )


def _marks(item: Mapping[str, Any], place: str) -> Iterator[tuple[int, int, Entity, str | None]]:
    if item.get("type") != "labels":
        return
    value = item.get("value")
    try:
        start, end, labels = int(value["start"]), int(value["end"]), list(value["labels"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{place}: a span lacks start, end or labels") from None
    if len(labels) != 1:
        raise InputError(f"{place}: span {start}-{end} bears {len(labels)} labels; one is needed")
    entity = entity_of(str(labels[0]), place, SCHEMES["ours"])
    if entity:
        said = value.get("text") if isinstance(value, dict) else None
        yield start, end, entity, said if isinstance(said, str) else None


def _same(offset: int) -> int:
    return offset


def _code_points(text: str) -> Callable[[int], int]:
    """From UTF-16 code units to code points of ``text``."""
    if text.isascii():
        return _same

    def convert(offset: int) -> int:
        return len(text.encode("utf-16-le")[: 2 * offset].decode("utf-16-le", errors="ignore"))

    return convert


def _agrees(marked: str, said: str | None) -> bool:
    """Whether they are the same, but for the white space that the editor rewrites."""
    return said is None or "".join(marked.split()) == "".join(said.replace("\\n", "\n").split())
