"""The leak check: no name, place, firm or sentence of the ``dev`` and ``test`` worlds may be in the training text."""

import random
from collections.abc import Sequence
from functools import cache

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.reference import read_tsv
from deid_tasks.hospital.check import write_plain
from deid_tasks.hospital.places import gazetteer
from deid_tasks.hospital.records import World
from deid_tasks.hospital.vocabulary import words
from deid_tasks.hospital.worlds import fold_for_world, world_of
from deid_tasks.learning.train.augment import NAMES
from deid_tasks.learning.train.sample import Mark, Sample, frame_of, sentences_of
from deid_tasks.learning.train.targets import PLACE

_OTHERS = (World.DEV, World.TEST)
_LONG_FRAME = 9
"""Words of a frame from which on two notes that share it were not written apart: shorter ones are fields and set
phrases.
"""
_SETS = frozenset({Entity.ORGANIZATION, Entity.LOCATION_OTHER, Entity.FACILITY})


def check_worlds(samples: Sequence[Sample]) -> None:
    """Check that nothing of the ``dev`` or the ``test`` world is in ``samples``.

    No marked name and no marked city may be one of theirs, no organisation or named place one of their gazetteers, and
    no sentence of nine words or more may be one of their skeletons' with other identifiers.

    Raises:
        InputError: one is; the text names the source, the group and the offset.
    """
    names, cities, sites, frames = foreign_names(), foreign_cities(), foreign_sites(), foreign_frames()
    for sample in samples:
        if (mark := foreign_mark(sample, names, cities, sites)) is not None:
            raise InputError(
                f"{sample.source}, {sample.group}: the {mark.target} at {mark.start} belongs to another world than"
                " train"
            )
        if is_foreign_frame(sample, frames):
            raise InputError(f"{sample.source}, {sample.group}: the sentence is one of another world than train")


def without_foreign(samples: Sequence[Sample]) -> list[Sample]:
    """``samples`` without those that hold something of another world: a misspelled name, or a part of a compound one,
    may by chance be one of theirs.
    """
    names, cities, sites, frames = foreign_names(), foreign_cities(), foreign_sites(), foreign_frames()
    return [
        sample
        for sample in samples
        if foreign_mark(sample, names, cities, sites) is None and not is_foreign_frame(sample, frames)
    ]


@cache
def foreign_names() -> frozenset[str]:
    """Return the folded names of people, of the public lists, that belong to another world than ``train``."""
    columns = {
        "surnames.tsv": "surname",
        "given_names.tsv": "given_name",
        "names_beyond.tsv": "name",
        "nicknames.tsv": "nickname",
    }
    names = (row[column] for file, column in columns.items() for row in read_tsv(file))
    return frozenset(fold_for_world(name) for name in names if world_of(name) is not World.TRAIN)


@cache
def foreign_cities() -> frozenset[str]:
    """Return the folded names of cities, of the public list, that belong to another world than ``train``."""
    return frozenset(
        fold_for_world(row["city"]) for row in read_tsv("places.tsv") if world_of(row["city"]) is not World.TRAIN
    )


@cache
def foreign_sites() -> frozenset[str]:
    """Return the folded names of organisations and places of the gazetteers of the other worlds, and of their real
    firms.

    A name that the gazetteer of ``train`` has too (``Route 9``) is none of theirs alone.
    """
    own = gazetteer(World.TRAIN)
    shared = {fold_for_world(value) for value in (*own.organizations, *own.places)}
    theirs = {
        fold_for_world(value)
        for world in _OTHERS
        for value in (*gazetteer(world).organizations, *gazetteer(world).places)
    } | {fold_for_world(firm) for firm in words("firms") if world_of(firm) is not World.TRAIN}
    return frozenset(theirs - shared)


@cache
def foreign_frames() -> frozenset[str]:
    """Return the longer sentences of the skeletons of the other worlds, without their identifiers and figures."""
    return frozenset(
        frame
        for world in _OTHERS
        for turn in range(4)
        for text, marks in write_plain(world, random.Random(turn))  # noqa: S311 - repeatable chance, no secrecy
        for sentence in sentences_of(Sample(text, tuple(Mark(s.start, s.end, s.entity.value) for s in marks)))
        if _is_long(frame := frame_of(sentence))
    )


def foreign_mark(sample: Sample, names: frozenset[str], cities: frozenset[str], sites: frozenset[str]) -> Mark | None:
    """Return the first mark of ``sample`` whose text is one of the given folded names, cities or sites."""
    for mark in sample.marks:
        value = fold_for_world(sample.text[mark.start : mark.end])
        is_foreign_name = mark.target in NAMES and any(len(word) > 2 and word in names for word in value.split())
        is_foreign_city = mark.target in (Entity.CITY, PLACE) and value in cities
        if is_foreign_name or is_foreign_city or (mark.target in _SETS and value in sites):
            return mark
    return None


def is_foreign_frame(sample: Sample, frames: frozenset[str]) -> bool:
    """Whether ``sample`` is one of ``frames`` with other identifiers."""
    return _is_long(frame := frame_of(sample)) and frame in frames


def _is_long(frame: str) -> bool:
    return sum(word.isalpha() for word in frame.split()) >= _LONG_FRAME
