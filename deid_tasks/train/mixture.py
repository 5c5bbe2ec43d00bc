"""What a model is trained on, put together; and the check that nothing of another world is in it."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deid_tasks.entities import Entity
from deid_tasks.errors import InputError
from deid_tasks.hospital.records import World
from deid_tasks.hospital.worlds import fold, world_of
from deid_tasks.reference import read_tsv
from deid_tasks.train.augment import NAMES
from deid_tasks.train.corpora import read_prose, read_social
from deid_tasks.train.labels import PLACE
from deid_tasks.train.negatives import write_negatives
from deid_tasks.train.planting import Planter
from deid_tasks.train.sample import Mark, Sample, sentences_of
from deid_tasks.train.scenes import SceneMaker
from deid_tasks.train.simulated import frame_of, read_contexts, read_world, write_hospital, write_sentences

SOCIAL = ("broad_twitter_train.jsonl", "wnut17_train.jsonl")
PROSE = (
    "mtsdialog_sections_unannotated.jsonl",
    "acibench_notes_unannotated.jsonl",
    "primock57_notes_unannotated.jsonl",
)


@dataclass(frozen=True, slots=True)
class MixtureSettings:
    """How much of each source."""

    corpora: Path | None = None
    """Folder of the open corpora; without it only simulated text is used."""
    skeleton_rounds: int = 30
    skeleton_copies: int = 12
    """Most sentences that differ in their identifiers alone."""
    context_rounds: int = 40
    context_copies: int = 25
    hospital_notes: int = 900
    hospital_repeats: int = 3
    """Most copies of one sentence of the simulated hospital's notes."""
    negatives: int = 9_000
    plantings: int = 2
    """How often each sentence of clinical prose is planted."""
    seed: int = 0


def build_mixture(settings: MixtureSettings, report: Callable[[str], None] = print) -> list[Sample]:
    """All training samples, checked by ``check_worlds``."""
    maker = SceneMaker(World.TRAIN, settings.seed)
    samples = list(
        write_sentences(read_world(World.TRAIN), maker, "skeletons", settings.skeleton_rounds, settings.skeleton_copies)
    )
    samples += write_sentences(read_contexts(), maker, "contexts", settings.context_rounds, settings.context_copies)
    samples += write_hospital(settings.hospital_notes, settings.seed, settings.hospital_repeats)
    samples += write_negatives(settings.negatives, settings.seed)
    if settings.corpora is not None:
        for name in SOCIAL:
            samples += read_social(settings.corpora / name, _namesakes(maker), _other_places(maker))
        samples += _planted(settings, maker)
    # A misspelled name, and a part of a compound one, may by chance be a name of another world.
    names, cities = foreign_names(), foreign_cities()
    kept = [sample for sample in samples if _foreign_mark(sample, names, cities) is None]
    report(f"{len(samples) - len(kept)} samples left out for a name or a city of another world")
    samples = kept
    check_worlds(samples)
    for source, count in sorted(Counter(sample.source for sample in samples).items()):
        report(f"{source}: {count} samples")
    return samples


def check_worlds(samples: Sequence[Sample]) -> None:
    """Make sure that no name and no city that is marked belongs to the ``dev`` or the ``test`` world.

    Raises:
        InputError: one does; the text names the source, the group and the offset.
    """
    names, cities = foreign_names(), foreign_cities()
    for sample in samples:
        if (mark := _foreign_mark(sample, names, cities)) is not None:
            raise InputError(
                f"{sample.source}, {sample.group}: the {mark.target} at {mark.start} belongs to another world than train"
            )


def foreign_names() -> frozenset[str]:
    """The folded names of people, of the public lists, that belong to another world than ``train``."""
    columns = {
        "surnames.tsv": "surname",
        "given_names.tsv": "given_name",
        "names_beyond.tsv": "name",
        "nicknames.tsv": "nickname",
    }
    names = (row[column] for file, column in columns.items() for row in read_tsv(file))
    return frozenset(fold(name) for name in names if world_of(name) is not World.TRAIN)


def foreign_cities() -> frozenset[str]:
    """The folded names of cities, of the public list, that belong to another world than ``train``."""
    return frozenset(fold(row["city"]) for row in read_tsv("places.tsv") if world_of(row["city"]) is not World.TRAIN)


def _foreign_mark(sample: Sample, names: frozenset[str], cities: frozenset[str]) -> Mark | None:
    for mark in sample.marks:
        value = fold(sample.text[mark.start : mark.end])
        is_foreign_name = mark.target in NAMES and any(len(word) > 2 and word in names for word in value.split())
        if is_foreign_name or (mark.target in (Entity.CITY, PLACE) and value in cities):
            return mark
    return None


def _namesakes(maker: SceneMaker) -> Callable[[str], str]:
    """Gives a name of the train world for a name of another one, always the same for the same word."""
    given: dict[str, str] = {}

    def namesake(word: str) -> str:
        if len(word) < 3 or world_of(word) is World.TRAIN:
            return word
        return given.setdefault(word.lower(), maker.name_word())

    return namesake


def _other_places(maker: SceneMaker) -> Callable[[str], str]:
    cities, given = foreign_cities(), dict[str, str]()

    def other_place(value: str) -> str:
        return given.setdefault(fold(value), maker.city()) if fold(value) in cities else value

    return other_place


def _planted(settings: MixtureSettings, maker: SceneMaker) -> list[Sample]:
    assert settings.corpora is not None
    words = medical_words() - all_name_words()
    planter, seen, planted = Planter(maker), set[str](), list[Sample]()
    for document in read_prose([settings.corpora / name for name in PROSE], words.__contains__):
        for sentence in sentences_of(document):
            if sentence.text in seen:
                continue
            seen.add(sentence.text)
            made = [planter(sentence) for _ in range(settings.plantings)]
            planted += {frame_of(sample): sample for sample in made}.values()
    return planted


def medical_words() -> frozenset[str]:
    """The words of the public medical lists, in lower case."""
    terms = [row["term"] for name in ("medical_terms.tsv", "eponyms.tsv") for row in read_tsv(name)]
    return frozenset(word.lower() for term in terms for word in re.findall(r"[^\W\d_]+", term))


def all_name_words() -> frozenset[str]:
    """The words of every listed name of people, of any world, in lower case: as a word of prose each may be a name."""
    columns = {"surnames.tsv": "surname", "given_names.tsv": "given_name", "nicknames.tsv": "nickname"}
    return frozenset(row[column].lower() for file, column in columns.items() for row in read_tsv(file))
