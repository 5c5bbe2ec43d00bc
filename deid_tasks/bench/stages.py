"""One run over notes with a clock between the stages. The stages are called as the pipeline calls them, and give what it gives."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from deid_tasks.core.span import Span
from deid_tasks.engine.audit import audit
from deid_tasks.engine.engine import Context
from deid_tasks.engine.merge import count_agreed, merge_spans
from deid_tasks.engine.pipeline import measure
from deid_tasks.engine.recover import recover_all
from deid_tasks.engine.resolve import Detection
from deid_tasks.engine.text import Document


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage."""

    name: str
    seconds: float
    """Processor time, all threads together."""
    elapsed_seconds: float
    """By the clock: what counts where another device works."""
    spans: int
    """Spans that came out of it; 0 where none do."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run took and read."""

    stages: tuple[Stage, ...]
    """In the order a note travels."""
    amounts: dict[str, int]
    """``notes``, ``words`` (runs of letters and digits), ``tokens`` (words and marks), ``characters``, ``sentences``, ``distinct`` ones of the whole run."""
    counts: dict[str, Counter[Any]]
    """What detectors counted themselves: ``<detector>``, sentences, and how many the inclusion list and the cache spared it; ``<detector> pieces``, word pieces by file of weights."""

    @property
    def seconds(self) -> float:
        """Of all stages."""
        return sum(stage.seconds for stage in self.stages)


class Bench:
    """Adds up batches; holds no text but the hashes of distinct sentences."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._elapsed: dict[str, float] = {}
        self._spans: Counter[str] = Counter()
        self._order: list[str] = []
        self._amounts: Counter[str] = Counter()
        self._distinct: set[int] = set()
        self._counters: dict[str, Counter[Any]] = {}
        self._before: dict[str, Counter[Any]] = {}

    def run(self, documents: Sequence[Document], context: Context) -> list[Detection]:
        """Read one batch, stage by stage. The documents must be fresh: what they computed already would be missing from the times."""
        with self._stage("tokens"):
            tokens = sum(len(document.tokens) for document in documents)
        with self._stage("sentences"):
            sentences = sum(len(document.sentences) for document in documents)
        found: list[dict[str, list[Span]]] = [{} for _ in documents]
        for detector in context.detectors():
            self._note_counters(detector.name, getattr(detector, "counts", None))
            self._note_counters(
                f"{detector.name} pieces", getattr(getattr(detector, "reader", None), "tokens_read", None)
            )
            with self._stage(detector.name):
                each = detector.detect(documents)
            self._spans[detector.name] += sum(map(len, each))
            for one, spans in zip(found, each, strict=True):
                one.setdefault(detector.name, []).extend(spans)
        with self._stage("merge"):
            merged = [merge_spans(d, one, context.engine.merge) for d, one in zip(documents, found, strict=True)]
        self._spans["merge"] += sum(map(len, merged))
        detections = self._recover(documents, context, found, merged)
        if context.engine.obfuscator is not None:
            self._rewrite(documents, context, detections)
        self._amounts.update(
            notes=len(documents),
            words=sum(document.text[start].isalnum() for document in documents for start, _ in document.tokens),
            tokens=tokens,
            characters=sum(len(document.text) for document in documents),
            sentences=sentences,
        )
        self._distinct.update(hash(document.text[a:b]) for document in documents for a, b in document.sentences)
        return detections

    def _recover(
        self,
        documents: Sequence[Document],
        context: Context,
        found: list[dict[str, list[Span]]],
        merged: list[list[Span]],
    ) -> list[Detection]:
        if not context.engine.recover.enabled:
            pairs = zip(merged, found, strict=True)
            return [Detection(tuple(spans), agreed=count_agreed(spans, one)) for spans, one in pairs]
        with self._stage("recover"):
            protected = [one.get("patient", ()) for one in found]
            results = recover_all(documents, merged, context.engine.lexicon, protected)
            detections = [
                Detection(result.kept, result.recovered, count_agreed(result.kept, one))
                for result, one in zip(results, found, strict=True)
            ]
        self._spans["recover"] += sum(len(one.spans) for one in detections)
        return detections

    def _rewrite(self, documents: Sequence[Document], context: Context, detections: Sequence[Detection]) -> None:
        obfuscator = context.engine.obfuscator
        assert obfuscator is not None
        patients = [context.patients.get(document.patient_id or "") for document in documents]
        with self._stage("obfuscate"):
            rewritten = [
                obfuscator.obfuscate(document, detection.spans, patient, None)
                for document, detection, patient in zip(documents, detections, patients, strict=True)
            ]
        with self._stage("audit"):
            for one, patient in zip(rewritten, patients, strict=True):
                audit(one.text, patient, one.replaced)
        with self._stage("measure"):
            for document, detection, one in zip(documents, detections, rewritten, strict=True):
                measure(document, detection, one)

    def measured(self) -> Measured:
        """Everything so far."""
        stages = tuple(Stage(name, self._seconds[name], self._elapsed[name], self._spans[name]) for name in self._order)
        counts = {name: counter - self._before[name] for name, counter in self._counters.items()}
        return Measured(stages, {**self._amounts, "distinct": len(self._distinct)}, counts)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        if name not in self._order:
            self._order.append(name)
        began, begun = time.process_time(), time.perf_counter()
        yield
        self._elapsed[name] = self._elapsed.get(name, 0.0) + time.perf_counter() - begun
        self._seconds[name] = self._seconds.get(name, 0.0) + time.process_time() - began

    def _note_counters(self, name: str, counter: object) -> None:
        """Remember what a detector had counted before the run."""
        if isinstance(counter, Counter) and name not in self._counters:
            self._counters[name] = counter
            self._before[name] = counter.copy()
