"""Counts of words and phrases in a body of literature, streamed: exact, in memory that does not grow with it."""

import heapq
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from deid_tasks.engine.lexicon.normalise import normalise

LONGEST = 5
TERMS = 2_000_000
"""Different terms held in memory before they are sorted and written: about 250 MB."""
_STRETCH = re.compile(r"[^\w'’/ \-]+")
_MERGED_AT_ONCE = 64
"""Files open at once while runs are merged."""


class PhraseCounter:
    """How often each phrase of one to ``longest`` words stands in the texts added; a phrase does not reach over a
    punctuation mark.

    Terms are normalised as dictionary terms are. What does not fit in memory is sorted through files, which are gone
    with the counter.
    """

    def __init__(self, folder: Path, longest: int = LONGEST, terms: int = TERMS) -> None:
        """Sort in files under ``folder``, at most ``terms`` different terms in memory at once."""
        self._room = tempfile.TemporaryDirectory(prefix=".counting-", dir=folder)
        self._longest, self._terms = longest, terms
        self._counts: Counter[str] = Counter()
        self._runs: list[Path] = []
        self._made = 0
        self.documents = self.words = 0

    def __enter__(self) -> "PhraseCounter":
        return self

    def __exit__(self, *_: object) -> None:
        self._room.cleanup()

    def add(self, text: str) -> None:
        """Count the phrases of one text, or of a part of one."""
        for stretch in _STRETCH.split(text):
            words = normalise(stretch).split()
            self.words += len(words)
            self._counts.update(words)
            for size in range(2, min(self._longest, len(words)) + 1):
                self._counts.update(map(" ".join, zip(*(words[first:] for first in range(size)), strict=False)))
        if len(self._counts) >= self._terms:
            self._spill()

    def counts(self, least: int) -> Iterator[tuple[str, int]]:
        """``(term, occurrences)`` of every term that stands ``least`` times or more, in order of the term."""
        if not self._runs:
            yield from ((term, count) for term, count in sorted(self._counts.items()) if count >= least)
            return
        self._spill()
        while len(self._runs) > _MERGED_AT_ONCE:
            merged = self._file()
            with ExitStack() as stack, merged.open("w", encoding="utf-8") as file:
                _write(file, _merged(self._runs[:_MERGED_AT_ONCE], stack))
            for run in self._runs[:_MERGED_AT_ONCE]:
                run.unlink()
            self._runs = [*self._runs[_MERGED_AT_ONCE:], merged]
        with ExitStack() as stack:
            yield from ((term, count) for term, count in _merged(self._runs, stack) if count >= least)

    def _spill(self) -> None:
        if not self._counts:
            return
        path = self._file()
        with path.open("w", encoding="utf-8") as file:
            _write(file, sorted(self._counts.items()))
        self._runs.append(path)
        self._counts = Counter()

    def _file(self) -> Path:
        self._made += 1
        return Path(self._room.name) / f"run-{self._made}"


def _write(file: TextIO, counts: Iterable[tuple[str, int]]) -> None:
    file.writelines(f"{term}\t{count}\n" for term, count in counts)


def _merged(runs: list[Path], stack: ExitStack) -> Iterator[tuple[str, int]]:
    """Yield the counts of the runs, each sorted, added up."""
    streams = [map(_read, stack.enter_context(run.open(encoding="utf-8"))) for run in runs]
    for term, group in groupby(heapq.merge(*streams), key=itemgetter(0)):
        yield term, sum(count for _, count in group)


def _read(line: str) -> tuple[str, int]:
    term, _, count = line.rpartition("\t")
    return term, int(count)
