"""The cascade on a GPU: sentences per second, the share of the card's peak, where it waits, and whether it agrees with
the int8 models of a processor.

    python -m benchmarks.gpu                                  # all GPUs of this machine
    python -m benchmarks.gpu --processes 1 --processes 8      # so many processes share the devices
    python -m benchmarks.gpu --device cpu --notes 40          # the same path on a processor

Sentences are those of simulated notes, each once. Each process splits, tokenizes, decodes and merges by itself, as the
workers of a host do. "Share of peak" counts the multiplications of the weights, twice for each token, padding not
counted; it is what the card could do at best in bfloat16.
"""

import multiprocessing
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from benchmarks.support.corpora import hospital_rows
from benchmarks.support.results import parser_of, results
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.cascade import CascadeDetector
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.text import Document
from deid_tasks.settings import EngineSettings, SecondStageSettings, TransformerSettings

_BATCH_NOTES = 2_000


@dataclass(frozen=True)
class Reading:
    """What one process read, once its models were loaded."""

    began: float
    ended: float
    processor_seconds: float
    second_stage_texts: int
    operations: int
    """Multiplications and additions of the weights."""


def main() -> None:
    """Read the notes on the devices, and a part of them with int8 models."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--device", action="append", help="cuda:0, cpu, …; all GPUs if not given")
    parser.add_argument("--precision", default="auto", choices=("auto", "bfloat16", "float16", "float32"))
    parser.add_argument("--batch", type=int, default=16_384, help="word groups or word pieces of one batch")
    parser.add_argument("--peak", type=float, default=989, help="TFLOP/s of one device, dense bfloat16; an H100's")
    parser.add_argument("--compared", type=int, default=400, help="notes that are also read with the int8 models")
    parser.add_argument("--gated", action="store_true", help="the second stage reads what can change the result alone")
    parser.add_argument("--processes", type=int, action="append", help="processes that share the devices; may repeat")
    arguments = parser.parse_args()
    documents = _distinct([row.document for row in hospital_rows(arguments.notes, 5)[0]])
    sentences = sum(len(document.sentences) for document in documents)
    words = sum(len(document.text.split()) for document in documents)
    devices = tuple(arguments.device or ())
    settings = _settings(devices, arguments.precision, arguments.batch, is_gated=arguments.gated)
    with results("gpu", "The cascade on a GPU", arguments) as made:
        made.table(
            f"Speed on {_device_names()}: {sentences:,} distinct sentences of {words:,} words",
            {
                "processes": "d",
                "seconds": ",.1f",
                "sentences/s": ",.0f",
                "words/s": ",.0f",
                "processor seconds": ",.1f",
                "share that the second stage read": ".1%",
                "TFLOP/s": ",.2f",
                "share of peak": ".2%",
            },
        )
        for processes in arguments.processes or [1]:
            read = _read_beside(settings, documents, processes)
            seconds = max(one.ended for one in read) - min(one.began for one in read)
            tera = sum(one.operations for one in read) / seconds / 1e12
            made.add(
                processes,
                seconds,
                sentences / seconds,
                words / seconds,
                sum(one.processor_seconds for one in read),
                sum(one.second_stage_texts for one in read) / max(1, sentences),
                tera,
                tera / arguments.peak / max(1, len(devices)),
            )
        detector = _detector(settings)
        detector.detect(documents[:20])
        made.table("Where the time goes: profile of one batch of one process", {"what": "", "milliseconds": ",.1f"})
        for what, milliseconds in _profile(detector, documents[:_BATCH_NOTES]):
            made.add(what, milliseconds)
        compared = documents[: arguments.compared]
        int8 = _detector(TransformerSettings(second_stage=SecondStageSettings(is_gated=arguments.gated)))
        here, there = (one.detect(compared) for one in (detector, int8))
        same, total = _agreement(compared, here, there)
        made.table("Agreement with the int8 models, word by word", {"what": "", "figure": ",.4f"})
        made.add("words", total)
        made.add("words with the same entity, percent", 100 * same / max(1, total))


def _read_beside(settings: TransformerSettings, documents: Sequence[Document], processes: int) -> list[Reading]:
    """Read the notes in several processes, which begin together."""
    context = multiprocessing.get_context("spawn")
    begin, answers = context.Barrier(processes), context.Queue()
    shares = [[(one.note_id, one.text) for one in documents[number::processes]] for number in range(processes)]
    running = [context.Process(target=_read_share, args=(settings, share, begin, answers)) for share in shares]
    for process in running:
        process.start()
    read: list[Reading] = [answers.get() for _ in running]
    for process in running:
        process.join()
    return read


def _read_share(settings: TransformerSettings, share: Sequence[tuple[str, str]], begin: Any, answers: Any) -> None:
    """Read the notes of one process, and put a ``Reading`` into ``answers``."""
    documents = [Document(*one) for one in share]
    detector = _detector(settings)
    cascade = cast("CascadeDetector", detector.reader)
    # Kernels are compiled and memory is reserved by the first batches.
    detector.detect(documents[:20])
    before, again = cascade.tokens_read.copy(), cascade.second_stage_texts
    begin.wait()
    began, own = time.time(), time.process_time()
    for start in range(0, len(documents), _BATCH_NOTES):
        detector.detect(documents[start : start + _BATCH_NOTES])
    ended, own = time.time(), time.process_time() - own
    operations = sum(2 * tokens * _weights(path) for path, tokens in (cascade.tokens_read - before).items())
    answers.put(Reading(began, ended, own, cascade.second_stage_texts - again, operations))


def _detector(model: TransformerSettings) -> SentenceDetector:
    """Return the neural detector of the public engine, with its gate and without a cache."""
    settings = EngineSettings.public()
    chosen = settings.detect.model_copy(update={"transformers": (model,)})
    engine = build_engine(settings.model_copy(update={"detect": chosen}))
    return next(one for one in engine.detectors if isinstance(one, SentenceDetector))


def _settings(devices: tuple[str, ...], precision: str, batch: int, *, is_gated: bool) -> TransformerSettings:
    chosen = {"backend": "torch", "devices": devices, "precision": precision, "batch_word_pieces": batch}
    second = SecondStageSettings.model_validate(SecondStageSettings().model_dump() | chosen | {"is_gated": is_gated})
    return TransformerSettings.model_validate(TransformerSettings().model_dump() | chosen | {"second_stage": second})


def _distinct(documents: Sequence[Document]) -> list[Document]:
    """Return the notes, each with the sentences that no earlier one has: no cache saves the models any."""
    seen: set[str] = set()
    found = []
    for document in documents:
        new = [text for text in (document.text[start:end] for start, end in document.sentences) if text not in seen]
        seen.update(new)
        if new:
            found.append(Document(document.note_id, "\n\n".join(new)))
    return found


def _device_names() -> str:
    import torch

    names = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    return ", ".join(names) or "processor"


def _weights(path: Path) -> int:
    """Return the weights that each token is multiplied with: those of matrices, embeddings not counted."""
    from deid_tasks.engine.detect.torch_tagger import read_graph

    weights = read_graph(path)[0]
    return sum(one.size for name, one in weights.items() if name.startswith(("layers.", "head.")) and one.ndim > 1)


def _profile(detector: SentenceDetector, documents: Sequence[Document]) -> list[tuple[str, float]]:
    """Return the time of this process and of the GPU during one batch, and its longest operations on the GPU."""
    import torch

    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities) as profile:
        wall = time.monotonic()
        detector.detect(documents)
        wall = time.monotonic() - wall
    events = profile.key_averages()
    busy = sum(event.self_device_time_total for event in events) / 1_000
    longest = sorted(events, key=lambda event: -(event.self_device_time_total or event.self_cpu_time_total))[:8]
    return [
        ("wall", wall * 1_000),
        ("GPU busy", busy),
        *((event.key[:60], (event.self_device_time_total or event.self_cpu_time_total) / 1_000) for event in longest),
    ]


def _agreement(
    documents: Sequence[Document], first: Sequence[Sequence[Span]], second: Sequence[Sequence[Span]]
) -> tuple[int, int]:
    """Return the words to which both give the same entity, or none, and all words."""
    counts: Counter[bool] = Counter()
    for document, one, two in zip(documents, first, second, strict=True):
        marks = [
            {place: span.entity for span in spans for place in range(span.start, span.end)} for spans in (one, two)
        ]
        position = 0
        for word in document.text.split():
            position = document.text.index(word, position)
            counts[marks[0].get(position) == marks[1].get(position)] += 1
            position += len(word)
    return counts[True], counts.total()


if __name__ == "__main__":
    main()
