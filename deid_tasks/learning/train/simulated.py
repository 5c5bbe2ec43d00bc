"""Training text of the simulated hospital: its notes' skeletons, and contexts written for training alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.check import SKELETONS
from deid_tasks.hospital.errors import SkeletonError
from deid_tasks.hospital.grammar import Skeleton, read_skeletons
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.hospital.render import join, write_pieces
from deid_tasks.learning.train.sample import Mark, Sample, frame_of, sentences_of
from deid_tasks.learning.train.scenes import SceneMaker

CONTEXTS = Path(__file__).parent / "contexts"


def read_world(world: World) -> tuple[Skeleton, ...]:
    """Return the skeletons of ``world``.

    Raises:
        SkeletonError: a skeleton does not parse.
    """
    return _read(SKELETONS / world)


def read_contexts() -> tuple[Skeleton, ...]:
    """Return lists of sentences with slots; every sentence of a list is written each time."""
    return _read(CONTEXTS)


def write_sentences(
    skeletons: Sequence[Skeleton], maker: SceneMaker, source: str, rounds: int, copies: int
) -> Iterator[Sample]:
    """Yield distinct sentences of ``rounds`` writings of each skeleton.

    A sentence that holds no identifier is given once. Of sentences that differ in their identifiers alone (the same
    words around them) ``copies`` are given.
    """
    seen: set[str] = set()
    frames: dict[str, int] = {}
    for _ in range(rounds):
        for skeleton in skeletons:
            for sample in sentences_of(write(skeleton, maker, source)):
                frame = frame_of(sample)
                if sample.text in seen or frames.get(frame, 0) >= (copies if sample.marks else 1):
                    continue
                seen.add(sample.text)
                frames[frame] = frames.get(frame, 0) + 1
                yield sample


def write_hospital(notes: int, seed: int, repeats: int) -> Iterator[Sample]:
    """Yield sentences of ``notes`` notes of a simulated hospital of the ``train`` world, as often as they stand there.

    That is the share of sentences without identifiers that real notes have. No sentence is given more than ``repeats``
    times.
    """
    spec = HospitalSpec(
        "training", World.TRAIN, seed, max(50, notes // 2), max(20, notes // 8), notes, mrn_format="T########"
    )
    seen: Counter[str] = Counter()
    for note in write_notes(build_hospital(spec)):
        marks = tuple(Mark(s.start, s.end, s.entity.value) for s in note.spans)
        for sample in sentences_of(Sample(note.text, marks, "hospital", note.skeleton)):
            seen[sample.text] += 1
            if seen[sample.text] <= repeats:
                yield sample


def write(skeleton: Skeleton, maker: SceneMaker, source: str) -> Sample:
    """Return one note of ``skeleton`` about a new scene."""
    scene = maker.scene(skeleton.sex, (skeleton.min_age, min(skeleton.max_age, 97)))
    text, spans = join(write_pieces(skeleton, scene))
    return Sample(text, tuple(Mark(s.start, s.end, s.entity.value) for s in spans), source, skeleton.name)


def _read(folder: Path) -> tuple[Skeleton, ...]:
    skeletons, problems = read_skeletons(folder)
    if problems:
        raise SkeletonError(f"{len(problems)} problems in {folder.name}; the first: {problems[0]}")
    if not skeletons:
        raise SkeletonError(f"no skeletons in {folder.name}")
    return skeletons
