"""Notes written by hand for training alone, with their identifiers marked in the text: ``[[PATIENT:Okafor]]``.

Each file of ``notes`` holds many, apart by a line of four hyphens. They differ from simulated notes in that nothing in
them comes from a
grammar: headings, abbreviations, eponyms, brands and codes stand as clinicians of many houses and registers write them.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.learning.train.augment import like
from deid_tasks.learning.train.corpora import renamed
from deid_tasks.learning.train.sample import Edit, Mark, Sample, edited

NOTES = Path(__file__).parent / "notes"
SOURCE = "notes"
_MARK = re.compile(r"\[\[([A-Z_]+):([^\[\]\n]+)\]\]")
_APART = re.compile(r"(?m)^----[ \t]*$\n?")


def read_written(folder: Path = NOTES) -> Iterator[Sample]:
    """Yield the notes of the files of ``folder``, in order.

    Raises:
        InputError: a mark is of no entity, or not closed; the text names the file and the note.
    """
    for path in sorted(folder.glob("*.txt")):
        for number, note in enumerate(_APART.split(path.read_text(encoding="utf-8"))):
            if note.strip():
                yield _marked(note.strip("\n"), f"{path.stem}/{number}")


def rewritten(note: Sample, new_name: Callable[[], str], new_city: Callable[[], str]) -> Sample:
    """``note`` about other people in other cities; a name is the same at each of its places."""
    names: dict[str, str] = {}
    cities: dict[str, str] = {}

    def namesake(word: str) -> str:
        return names.setdefault(word.lower(), new_name()) if len(word) > 2 else word

    other = renamed(note, namesake)
    edits = []
    for mark in other.marks:
        value = other.text[mark.start : mark.end]
        if mark.target == Entity.CITY:
            edits.append(Edit(mark.start, mark.end, like(value, cities.setdefault(value.lower(), new_city()))))
    return edited(other, edits)


def _marked(note: str, group: str) -> Sample:
    parts, marks = list[str](), list[Mark]()
    position = length = 0
    for match in _MARK.finditer(note):
        if match[1] not in Entity.__members__:
            raise InputError(f"training notes, {group}: {match[1]} is not an entity")
        parts += (note[position : match.start()], match[2])
        length += match.start() - position
        marks.append(Mark(length, length + len(match[2]), match[1]))
        length += len(match[2])
        position = match.end()
    text = "".join((*parts, note[position:]))
    if "[[" in text or "]]" in text:
        raise InputError(f"training notes, {group}: a mark is not closed, or holds a bracket")
    return Sample(text, tuple(marks), SOURCE, group)
