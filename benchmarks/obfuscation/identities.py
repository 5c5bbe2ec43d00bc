"""Who the identifiers of a note are: files of people, and what the simulated hospital says of its gold."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

_OF_PERSON = frozenset(
    {Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE, Entity.INITIALS, Entity.USERNAME, Entity.EMAIL}
)
_OF_ORGANIZATION = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_OF_PLACE = frozenset({Entity.CITY, Entity.STATE, Entity.ZIP, Entity.STREET})
_ENTITIES = {"person": _OF_PERSON, "organization": _OF_ORGANIZATION, "place": _OF_PLACE}


def people_files(gold: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the people of each note, by the id of the note.

    Args:
        gold: a folder of notes, each with a file ``NOTE.people.json`` beside it; or a JSON-lines file, with one file
            ``STEM.people.json`` beside it that holds the people by note id. What is missing is left out.
    """
    if gold.is_dir():
        files = sorted(gold.glob("*.people.json"))
        return {path.name.removesuffix(".people.json"): json.loads(path.read_text("utf-8")) for path in files}
    beside = gold.with_name(f"{gold.stem}.people.json")
    return read_people(beside) if beside.exists() else {}


def read_people(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the people of each note from one file, by the id of the note."""
    found: dict[str, list[dict[str, Any]]] = json.loads(path.read_text("utf-8"))
    return found


def identities_of(text: str, spans: Sequence[Span], people: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return whose each span is; empty for spans that no person, organization or place of the note is written as.

    Args:
        text: the note.
        spans: its gold spans.
        people: its people, organizations and places: ``kind``, and ``mentions`` as written.
    """
    owners: dict[tuple[Entity, str], str] = {}
    for index, one in enumerate(people):
        for mention in one["mentions"]:
            for entity in _ENTITIES[one["kind"]]:
                owners.setdefault((entity, mention), f"{one['kind']} {index}")
    return tuple(owners.get((span.entity, text[span.start : span.end]), "") for span in spans)
