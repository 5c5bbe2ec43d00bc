"""Assemble the training samples from all sources, and check that nothing of another world is among them."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from deid_tasks.core.reference import read_tsv
from deid_tasks.hospital.records import World
from deid_tasks.hospital.worlds import fold_for_world, stable, world_of
from deid_tasks.learning.train.corpora import read_prose, read_social, read_templates
from deid_tasks.learning.train.handwritten_notes import SOURCE, read_written, rewritten
from deid_tasks.learning.train.leaks import check_worlds, foreign_cities, without_foreign
from deid_tasks.learning.train.negatives import write_negatives
from deid_tasks.learning.train.planting import Planter
from deid_tasks.learning.train.sample import Sample, frame_of, joined_samples, sentences_of
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.learning.train.simulated import read_contexts, read_world, write_hospital, write_sentences

SOCIAL = ("broad_twitter_train.jsonl", "wnut17_train.jsonl")
TEMPLATES = "presidio_synth_v2.jsonl"
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
    note_copies: int = 8
    """How often each note written by hand is written about other people."""
    note_share: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of the samples that notes written by hand make up: of the others, so many are drawn at random. All of them
    where ``None``."""
    hospital_notes: int = 900
    hospital_repeats: int = 3
    """Most copies of one sentence of the simulated hospital's notes."""
    negatives: int = 9_000
    plantings: int = 2
    """How often each sentence of clinical prose is planted."""
    joined: int = 6_000
    """Samples of two or three that follow each other in one window, as where a sentence is not found to end."""
    seed: int = 0


def build_mixture(settings: MixtureSettings, report: Callable[[str], None] = print) -> list[Sample]:
    """Return all training samples, checked by ``check_worlds``."""
    maker = SceneMaker(World.TRAIN, settings.seed)
    samples = list(
        write_sentences(read_world(World.TRAIN), maker, "skeletons", settings.skeleton_rounds, settings.skeleton_copies)
    )
    samples += write_sentences(read_contexts(), maker, "contexts", settings.context_rounds, settings.context_copies)
    samples += _written(settings.note_copies, maker)
    samples += write_hospital(settings.hospital_notes, settings.seed, settings.hospital_repeats)
    samples += write_negatives(settings.negatives, settings.seed)
    if settings.corpora is not None:
        for name in SOCIAL:
            samples += read_social(settings.corpora / name, _namesakes(maker), _other_places(maker))
        samples += read_templates(settings.corpora / TEMPLATES, _namesakes(maker), _other_places(maker), is_held_out)
        samples += _planted(settings, maker)
    kept = without_foreign(samples)
    report(f"{len(samples) - len(kept)} samples left out for a name, a place or a sentence of another world")
    if settings.note_share is not None:
        kept = _with_share(kept, settings.note_share, settings.seed)
    samples = kept + joined_samples(kept, settings.joined, settings.seed)
    check_worlds(samples)
    for source, count in sorted(Counter(sample.source for sample in samples).items()):
        report(f"{source}: {count} samples")
    return samples


def is_held_out(template: str) -> bool:
    """Whether a template of the templated set is held out for measuring; a stable half of them is."""
    return stable("template", template) % 2 == 0


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
        return given.setdefault(fold_for_world(value), maker.city()) if fold_for_world(value) in cities else value

    return other_place


def _written(copies: int, maker: SceneMaker) -> Iterator[Sample]:
    for note in read_written():
        distinct = {
            sample.text: sample
            for _ in range(copies)
            for sample in sentences_of(rewritten(note, maker.name_word, maker.city))
        }
        yield from distinct.values()


def _with_share(samples: Sequence[Sample], share: float, seed: int) -> list[Sample]:
    written = [sample for sample in samples if sample.source == SOURCE]
    others = [sample for sample in samples if sample.source != SOURCE]
    chance = random.Random(seed)  # noqa: S311 - repeatable chance, no secrecy
    return [*written, *chance.sample(others, min(len(others), round(len(written) * (1 - share) / share)))]


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
    """Return the words of the public medical lists, in lower case."""
    terms = [row["term"] for name in ("medical_terms.tsv", "eponyms.tsv") for row in read_tsv(name)]
    return frozenset(word.lower() for term in terms for word in re.findall(r"[^\W\d_]+", term))


def all_name_words() -> frozenset[str]:
    """Return the words of every listed name of people, of any world, in lower case: as a word of prose each may be a
    name.
    """
    columns = {"surnames.tsv": "surname", "given_names.tsv": "given_name", "nicknames.tsv": "nickname"}
    return frozenset(row[column].lower() for file, column in columns.items() for row in read_tsv(file))
