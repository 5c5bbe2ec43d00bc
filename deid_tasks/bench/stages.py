"""One run over notes with a clock at every stage. The pipeline itself runs; a clock observes it."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from deid_tasks.core.span import Span
from deid_tasks.engine.observer import PipelineObserver
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.text import Document


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the pipeline."""

    name: str
    seconds: float
    """Processor time, all threads together."""
    elapsed_seconds: float
    """Wall time: what counts if another device does the work."""
    spans: int
    """Spans that the stage returned; 0 if it returns none."""


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The times and amounts of one run."""

    stages: tuple[Stage, ...]
    """In the order in which a note passes them."""
    amounts: dict[str, int]
    """``notes``, ``words`` (runs of letters and digits), ``tokens`` (words and marks), ``characters``, ``sentences``,
    and ``distinct`` sentences of the whole run."""
    counts: dict[str, Counter[Any]]
    """What detectors count: by detector its sentences, and how many the inclusion list and the cache saved; by
    ``<detector> tokens`` its tokens, by file of weights."""

    @property
    def seconds(self) -> float:
        """Processor time of all stages."""
        return sum(stage.seconds for stage in self.stages)


class Bench:
    """Times of several batches, added up. It stores no text, only hashes of distinct sentences."""

    def __init__(self) -> None:
        self._clock = _StageClock()
        self._counters: dict[str, Counter[Any]] = {}
        self._before: dict[str, Counter[Any]] = {}

    def run(self, batch: pa.RecordBatch, context: BatchContext, *, detect_only: bool = False) -> pa.RecordBatch:
        """Send one batch through the pipeline, and return the pipeline's result."""
        for detector in context.detectors():
            self._remember(detector.name, getattr(detector, "counts", None))
            self._remember(f"{detector.name} tokens", getattr(getattr(detector, "reader", None), "tokens_read", None))
        return deidentify(batch, context, detect_only=detect_only, observer=self._clock)

    def result(self) -> BenchResult:
        """Return everything so far."""
        counts = {name: counter - self._before[name] for name, counter in self._counters.items()}
        return BenchResult(self._clock.stages(), self._clock.amounts(), counts)

    def _remember(self, name: str, counter: object) -> None:
        """Remember what a detector had counted before the run."""
        if isinstance(counter, Counter) and name not in self._counters:
            self._counters[name] = counter
            self._before[name] = counter.copy()


class _StageClock(PipelineObserver):
    """Measures every stage. Tokens and sentences, which detectors share, are computed first as stages of their own."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._elapsed: defaultdict[str, float] = defaultdict(float)
        self._spans: Counter[str] = Counter()
        self._order: dict[str, None] = {}
        self._amounts: Counter[str] = Counter()
        self._distinct: set[int] = set()

    def begin(self, documents: Sequence[Document]) -> None:
        """Count the documents, and time tokens and sentences."""
        with self.stage("tokens"):
            tokens = sum(len(document.tokens) for document in documents)
        with self.stage("sentences"):
            sentences = sum(len(document.sentences) for document in documents)
        self._amounts.update(
            notes=len(documents),
            words=sum(document.text[start].isalnum() for document in documents for start, _ in document.tokens),
            tokens=tokens,
            characters=sum(len(document.text) for document in documents),
            sentences=sentences,
        )
        self._distinct.update(hash(document.text[a:b]) for document in documents for a, b in document.sentences)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the stage ``name``."""
        self._order.setdefault(name)
        process, wall = time.process_time(), time.perf_counter()
        yield
        self._elapsed[name] += time.perf_counter() - wall
        self._seconds[name] += time.process_time() - process

    def spans(self, name: str, spans: Sequence[Sequence[Span]]) -> None:
        """Count the spans of the stage ``name``."""
        self._spans[name] += sum(map(len, spans))

    def stages(self) -> tuple[Stage, ...]:
        """Return the stages so far, in order."""
        return tuple(Stage(name, self._seconds[name], self._elapsed[name], self._spans[name]) for name in self._order)

    def amounts(self) -> dict[str, int]:
        """Return the amounts so far."""
        return {**self._amounts, "distinct": len(self._distinct)}
