"""What a model is trained on, put together; and the check that nothing of another world is in it."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deid_tasks.entities import Category, Entity, category_of
from deid_tasks.errors import InputError
from deid_tasks.hospital.records import World
from deid_tasks.hospital.worlds import world_of
from deid_tasks.reference import read_tsv
from deid_tasks.train.augment import NAMES
from deid_tasks.train.corpora import read_prose, read_social
from deid_tasks.train.planting import Planter
from deid_tasks.train.sample import Sample, sentences_of
from deid_tasks.train.scenes import SceneMaker
from deid_tasks.train.simulated import frame_of, read_contexts, read_world, write_sentences

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
    context_rounds: int = 60
    context_copies: int = 40
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
    if settings.corpora is not None:
        for name in SOCIAL:
            samples += read_social(settings.corpora / name, _namesakes(maker))
        samples += _planted(settings, maker)
    check_worlds(samples)
    for source, count in sorted(Counter(sample.source for sample in samples).items()):
        report(f"{source}: {count} samples")
    return samples


def check_worlds(samples: Sequence[Sample]) -> None:
    """Make sure that every person's name and every city that is marked belongs to the ``train`` world.

    Raises:
        InputError: one does not; the text names the source, the group and the offset.
    """
    for sample in samples:
        for mark in sample.marks:
            value = sample.text[mark.start : mark.end]
            if not _belongs(value, mark.target):
                raise InputError(f"{sample.source}, {sample.group}: the {mark.target} at {mark.start} is not of the train world")


_JOINED = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def _belongs(value: str, target: str) -> bool:
    if target == Entity.CITY:
        return world_of(value) is World.TRAIN
    return True


def is_foreign(word: str) -> bool:
    """Whether ``word``, were it a name, would belong to the ``dev`` or the ``test`` world."""
    return world_of(word) is not World.TRAIN


def _namesakes(maker: SceneMaker) -> Callable[[str], str]:
    """Gives a name of the train world for a name of another one, always the same for the same word."""
    given: dict[str, str] = {}

    def namesake(word: str) -> str:
        if len(word) < 3 or not is_foreign(word):
            return word
        return given.setdefault(word.lower(), maker.name_word())

    return namesake


def _planted(settings: MixtureSettings, maker: SceneMaker) -> list[Sample]:
    assert settings.corpora is not None
    words = medical_words()
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
