"""Check that the skeletons of a world follow the grammar and can be rendered."""

import datetime
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span, check_spans
from deid_tasks.hospital.grammar import Skeleton, read_skeletons
from deid_tasks.hospital.records import Address, Facility, Patient, Person, Provider, Relative, World
from deid_tasks.hospital.render import join, write_pieces
from deid_tasks.hospital.scene import Scene
from deid_tasks.hospital.worlds import Gazetteer, Town

SKELETONS = Path(__file__).parent / "skeletons"


@dataclass(frozen=True)
class Report:
    """What ``check_skeletons`` found."""

    skeletons: tuple[Skeleton, ...]
    problems: tuple[str, ...]
    entities: dict[Entity, int]
    """How often each entity was planted when every skeleton was written a few times."""


def _scene(rng: random.Random) -> Scene:
    def person(first: str, last: str, sex: str) -> Person:
        return Person(first, "Tova", last, sex, first[:3])

    home = Address("12 Alder Street", "Millbrook", "NY", "12545", "Dutchess")

    def provider(last: str) -> Provider:
        return Provider(
            last, person("Ana", last, "F"), "MD", "cardiology", "axb12", "1234567893", "845-555-0101", "55512", "f"
        )

    def facility(name: str) -> Facility:
        return Facility(name, name, name[:4], "hospital", home, "845-555-0102", "845-555-0103", ("4W-12", "Rm 311"))

    relatives = tuple(Relative("wife", person("Edda", "Quill", "F"), "845-555-0104") for _ in range(2))
    patient = Patient(
        "1", person("Maria", "Quill", "F"), datetime.date(1961, 4, 5), "white", "RH1234567", "900-12-3456",
        "XYZ123456789",
        "10020030", "845-555-0105", "845-555-0106", "mq@mail.example", home, "Alder Mill", "welder", relatives, "Thorn",
    )  # fmt: skip
    return Scene(
        rng=rng,
        moment=datetime.datetime(2024, 3, 14, 8, 35),  # noqa: DTZ001
        patient=patient,
        author=provider("Author"),
        providers=(provider("One"), provider("Two"), provider("Three")),
        relatives=(relatives[0], relatives[1]),
        facility=facility("Alder Valley Hospital"),
        other_facility=facility("Other Hospital"),
        nursing_home=facility("Alder Manor"),
        pharmacy=facility("Alder Drugs"),
        gazetteer=Gazetteer(
            World.TRAIN, (Town("Millbrook", "NY", "12545", "Dutchess", ("845",)),), ("Alder Mill",), ("Alder Park",),
            ("Iceland",), ("welder",), ("ACC",), ("alder.example",),
        ),
        date_style="mdy",
    )  # fmt: skip


def check_skeletons(world: World, folder: Path | None = None) -> Report:
    """Parse every skeleton of ``world`` (or of ``folder``) and write each a few times.

    Problems read ``file:line: reason``; none means that every skeleton renders with exact spans.
    """
    skeletons, found = read_skeletons(folder or SKELETONS / world)
    problems = list(found)
    entities = dict.fromkeys(Entity, 0)
    for skeleton in skeletons:
        for turn in range(5):
            scene = _scene(random.Random(turn))
            try:
                text, spans = join(write_pieces(skeleton, scene))
                check_spans(spans, len(text))
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                problems.append(f"{skeleton.file}:{skeleton.line}: cannot be written: {type(error).__name__}: {error}")
                break
            for span in spans:
                entities[span.entity] += 1
    return Report(skeletons, tuple(problems), entities)


def write_plain(world: World, rng: random.Random) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield every skeleton of ``world`` written once about one and the same scene, for what stands around the
    identifiers.
    """
    for skeleton in read_skeletons(SKELETONS / world)[0]:
        yield join(write_pieces(skeleton, _scene(rng)))


def show(world: World, name: str, seed: int = 0) -> str:
    """Return the skeleton ``name`` (``note_type/id``) written once, each identifier marked ``[ENTITY:…]``."""
    skeletons, _ = read_skeletons(SKELETONS / world)
    skeleton = next((one for one in skeletons if one.name == name), None)
    if skeleton is None:
        return f"no skeleton {name} in {world}"
    pieces = write_pieces(skeleton, _scene(random.Random(seed)))
    return "".join(text if entity is None else f"[{entity}:{text}]" for text, entity in pieces)
