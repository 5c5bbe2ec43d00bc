"""A stretch of text with what is known of it: the unit of training."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from deid_tasks.core.errors import InputError
from deid_tasks.engine.text import split_sentences


class Mark(NamedTuple):
    """``text[start:end]`` is ``target``, one of ``labels.TARGETS``."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class Sample:
    """Text, and the marks in it, sorted and disjoint; what no mark covers is outside. The ``repr`` holds no text."""

    text: str = field(repr=False)
    marks: tuple[Mark, ...]
    source: str = ""
    group: str = ""
    """What the sample was made from (a template, a skeleton, a document); a split never divides a group."""


def sentences_of(sample: Sample) -> Iterator[Sample]:
    """Yield the sentences of ``sample`` as the detector will meet them; a mark that crosses a break is cut there."""
    for start, end in split_sentences(sample.text):
        marks = tuple(
            Mark(max(mark.start, start) - start, min(mark.end, end) - start, mark.target)
            for mark in sample.marks
            if mark.start < end and mark.end > start
        )
        yield Sample(sample.text[start:end], marks, sample.source, sample.group)


def frame_of(sample: Sample) -> str:
    """What stands around the identifiers of ``sample``, with digits as ``0``: equal for two fillings of a sentence."""
    parts: list[str] = []
    position = 0
    for mark in sample.marks:
        parts += (sample.text[position : mark.start], f"{{{mark.target}}}")
        position = mark.end
    parts.append(sample.text[position:])
    return "".join("0" if c.isdigit() else c for c in "".join(parts))


def joined_samples(samples: Sequence[Sample], count: int, seed: int) -> list[Sample]:
    """``count`` samples, each of two or three of one source side by side, a space or a line break between them."""
    rng = random.Random(seed)  # noqa: S311 - repeatable chance, no secrecy
    by_source: dict[str, list[Sample]] = {}
    for sample in samples:
        by_source.setdefault(sample.source, []).append(sample)
    pools = list(by_source.values())
    made: list[Sample] = []
    for pool in rng.choices(pools, [len(pool) for pool in pools], k=count):
        parts, marks = "", list[Mark]()
        for number, part in enumerate(rng.choices(pool, k=rng.choice((2, 2, 3)))):
            parts += rng.choice((" ", "  ", "\n", "\n", "; ")) if number else ""
            marks += (Mark(m.start + len(parts), m.end + len(parts), m.target) for m in part.marks)
            parts += part.text.strip() if not part.marks else part.text
        made.append(Sample(parts, tuple(marks), f"{pool[0].source}+", "joined"))
    return made


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str


def edited(sample: Sample, edits: Iterable[Edit]) -> Sample:
    """``sample`` with all ``edits`` made, its marks moved along. Edits are disjoint; their order does not matter."""
    ordered = sorted(edits)
    parts: list[str] = []
    position = 0
    for edit in ordered:
        parts += (sample.text[position : edit.start], edit.new)
        position = edit.end
    parts.append(sample.text[position:])

    def moved(offset: int, *, is_end: bool) -> int:
        shift = 0
        for edit in ordered:
            if edit.end <= offset and (edit.start < offset or not is_end):
                shift += len(edit.new) - (edit.end - edit.start)
            elif edit.start < offset:
                # Inside an edit: a mark keeps to the side of the new text it was on.
                return edit.start + shift + (len(edit.new) if is_end else 0)
        return offset + shift

    marks = (Mark(moved(m.start, is_end=False), moved(m.end, is_end=True), m.target) for m in sample.marks)
    return Sample("".join(parts), tuple(m for m in marks if m.end > m.start), sample.source, sample.group)


def read_jsonl(path: Path) -> Iterator[dict[str, object]]:
    """Yield the objects of a JSON-lines file.

    Raises:
        InputError: the file is missing or a line is not a JSON object; the text names file and line.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    row = json.loads(line)
                except json.JSONDecodeError:
                    raise InputError(f"{path}: line {number} is not JSON") from None
                if not isinstance(row, dict):
                    raise InputError(f"{path}: line {number} is not a JSON object")
                yield row
    except FileNotFoundError:
        raise InputError(f"{path} is missing") from None
